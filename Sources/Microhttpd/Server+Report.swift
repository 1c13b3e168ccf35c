extension Server {
    /// How far a server has come with stopping, as seen from any thread.
    public struct Report: Sendable {
        public var loops: Int
        /// The number of loops that have not ended.
        public var loopsRunning: Int
        /// The seconds for which the slowest loop has been busy with one turn; nil if all loops wait.
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
