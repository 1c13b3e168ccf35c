public import Foundation
import Threads

extension Process {
    private static let starting = Locked(())

    /// Starts the process while no other one of the tests is started. Otherwise a child may get the descriptor by which
    /// Foundation hears of the end of another process, and that end is heard of only when the child has ended, too.
    public func runAlone() throws { try Self.starting.withLock { _ in try run() } }
}
