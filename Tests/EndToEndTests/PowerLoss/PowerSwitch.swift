import Foundation
import Threads
import TestSupport

/// Cuts the power of a disk while a server writes to it, then ends the server.
final class PowerSwitch: Sendable {
    fileprivate struct State {
        var generator: SeededGenerator
        var port: UInt16?
        var cuts = 0
        var violations: [Violation] = []
    }

    private let disk: LoopDisk
    private let state: Locked<State>

    init(_ disk: LoopDisk, seed: UInt64) {
        self.disk = disk
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    /// Names the port of the server that will lose its disk.
    func watch(port: UInt16) { state.withLock { $0.port = port } }

    var violations: [Violation] { state.withLock { $0.violations } }

    /// Cuts the power as for a machine: the disk stops first, and everything else a moment later. The moment may be
    /// long enough for the server to notice. Some data without a sync may have reached the disk before.
    func cut(under victim: Int32) {
        state.withLock { state in
            if state.generator.once(in: 2) { disk.writeBackSome(&state.generator) }
            do { try disk.cutPower() } catch { state.violations.append(Violation(.unhealthy, "\(error)")) }
            state.cuts += 1
            if state.generator.once(in: 2) { state.expectRefusal() }
            kill(victim, SIGKILL)
        }
    }
}

extension PowerSwitch.State {
    /// A server without a disk must not acknowledge a write.
    fileprivate mutating func expectRefusal() {
        guard let port else { return }
        let body = #"{"operations":[{"op":"updateList","title":"without a disk \#(cuts)"}]}"#
        do {
            let answer = try HTTPClient(port: port).send("POST", "/v1/lists/l0/transactions", json: body)
            guard answer.status != 503 else { return }
            violations.append(Violation(.unhealthy, "without a disk: \(answer.status) \(answer.text)"))
        } catch {
            violations.append(Violation(.unhealthy, "without a disk: \(error)"))
        }
    }
}
