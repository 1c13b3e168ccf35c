import Foundation
import JSONValue

/// A request that changes a list, and the answer that settled it.
struct KeyedWrite: Sendable {
    let list: String
    let key: String
    let method: String
    let target: String
    let body: String?
    /// The version of `If-Match`.
    let match: String?
    /// The item whose star it toggles: the write that would show if it were done twice.
    var toggled: String?
    /// The newest revision of the list that was acknowledged before the first try.
    let floor: Int
    /// How often it was sent.
    var tries = 0
    var answer: Answer?

    struct Answer: Sendable {
        let status: Int
        let body: JSONValue
        let isReplay: Bool
    }

    var fields: [(String, String)] {
        [("Idempotency-Key", key)] + (match.map { [("If-Match", "\"\($0)\"")] } ?? [])
            + (body == nil ? [] : [("Content-Type", "application/json")])
    }
}

/// `<epoch>-<revision>`.
struct WireVersion: Sendable, Equatable, CustomStringConvertible {
    let epoch: String
    let revision: Int

    init?(_ text: String?) {
        guard let parts = text?.split(separator: "-"), parts.count == 2, let revision = Int(parts[1]) else {
            return nil
        }
        epoch = String(parts[0])
        self.revision = revision
    }

    var description: String { "\(epoch)-\(revision)" }
}

/// What is not as it was promised.
struct Violation: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        /// An acknowledged version is no longer there.
        case lost
        /// A version belongs to two keys, or a key to two versions.
        case doubled
        /// A version belongs to no key.
        case gap
        /// A key got another answer than the first time.
        case forgotten
        /// States, changes and versions do not agree.
        case wrong
        /// The server answered what it should not, or went away before it was killed.
        case unhealthy
    }

    let kind: Kind
    let text: String

    var description: String { "\(kind.rawValue): \(text)" }
}

/// What the writers of one life of the server tell whoever is about to end it.
///
/// - Safety: `@unchecked` is sound because `state` is touched while `condition` is locked only.
final class KillBoard: @unchecked Sendable {
    private struct State {
        var acknowledged = 0
        var finished: [Writer] = []
        var isKilled = false
        var newest: [String: Int]
    }

    private let condition = NSCondition()
    private var state: State

    /// - Parameter newest: For each list the newest revision that is known to be acknowledged.
    init(newest: [String: Int]) {
        state = State(newest: newest)
    }

    private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        defer { condition.broadcast() }
        return body(&state)
    }

    func acknowledge(_ list: String, _ revision: Int) {
        withLock { state in
            state.acknowledged += 1
            state.newest[list] = max(revision, state.newest[list] ?? 0)
        }
    }

    func newest(_ list: String) -> Int { withLock { $0.newest[list] ?? 0 } }

    /// Said before the server is killed: from now on connections may be lost.
    func announceKill() { withLock { $0.isKilled = true } }

    var isKilled: Bool { withLock { $0.isKilled } }

    func finish(_ writer: Writer) { withLock { $0.finished.append(writer) } }

    /// Blocks until so many writes are acknowledged, or all writers have ended.
    func wait(forAcknowledged count: Int, orWriters writers: Int) {
        condition.lock()
        defer { condition.unlock() }
        while state.acknowledged < count, state.finished.count < writers { condition.wait() }
    }

    /// Blocks until all writers have ended.
    func writers(_ count: Int) -> [Writer] {
        wait(forAcknowledged: .max, orWriters: count)
        return withLock { $0.finished.sorted { $0.name < $1.name } }
    }
}
