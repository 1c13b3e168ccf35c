import Threads

/// Takes the lines of a log, and writes them on a thread of its own.
///
/// A pipe that nobody reads takes 64 KiB, and whoever writes to it then waits for good. Here lines wait in memory
/// instead. If nobody takes them, new ones are lost and counted, and the server goes on.
final class LogStream: TextOutputStream, Sendable {
    private struct State: Sendable {
        var bytes: [UInt8] = []
        var lostCount = 0
        /// Those that the log has told of already.
        var toldLostCount = 0
        var isWriting = false
        /// Whether the writer is called although there may be no line.
        var isCalled = false
    }

    private let state = Locked(State())

    /// How many bytes wait at most.
    private static let bytesMax = 1 << 20

    /// - Parameter write: Writes lines, and waits for whoever takes them. It is called on the thread of the stream.
    /// - Throws: `ThreadError` if the system cannot start a thread.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void) throws(ThreadError) {
        try Thread { [state] in
            while true { Self.writeNext(of: state, write) }
        }.detach()
    }

    /// Has the writer called soon, even if there is no line.
    func call() { state.change { $0.isCalled = true } }

    /// Adds a line, with its end. Waits for nobody.
    func write(_ line: String) { write(bytes: line.utf8) }

    /// The same for a line in bytes.
    func write(bytes line: some Collection<UInt8> & Sendable) {
        state.change { state in
            if state.bytes.count + line.count <= Self.bytesMax {
                state.bytes += line
            } else {
                state.lostCount += 1
            }
        }
    }

    private static func writeNext(of state: Locked<State>, _ write: ([UInt8]) -> Void) {
        let (bytes, lostCount) = state.wait(until: { !$0.bytes.isEmpty || $0.isCalled }) { state in
            defer { state = State(toldLostCount: state.toldLostCount + state.lostCount, isWriting: true) }
            return (state.bytes, state.lostCount)
        }
        let loss = lostCount > 0 ? "\(lostCount) lines of this log were lost, because nobody took them.\n" : ""
        write(bytes + loss.utf8)
        state.change { $0.isWriting = false }
    }

    /// The lines that were lost since the start.
    var lostCount: Int { state.withLock { $0.lostCount + $0.toldLostCount } }

    /// Waits until all lines are written, or nobody has taken any for some seconds.
    func flush(seconds: Int) {
        state.wait(until: { $0.bytes.isEmpty && !$0.isWriting }, seconds: seconds) { _ in }
    }
}
