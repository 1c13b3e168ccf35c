extension Server {
    /// How far a server has come with stopping, as seen from any thread.
    public struct Report: Sendable {
        public var loops: Int
        /// Those that have not ended.
        public var loopsRunning: Int
        /// For how long the slowest of them has been busy with one turn; nil if all wait for something to happen.
        public var turnSeconds: Int?
        public var connections: Int
    }

    public var report: Report {
        let states = loops.map(\.state)
        let turn = states.compactMap(\.turnMilliseconds).max()
        return Report(
            loops: loops.count, loopsRunning: states.count { !$0.hasEnded },
            turnSeconds: turn.map { Int($0 / 1000) }, connections: connections.count)
    }
}
