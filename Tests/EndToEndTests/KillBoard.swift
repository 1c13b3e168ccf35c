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
    /// The version that its operations were meant for.
    var base: String?
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

/// What the writers of one life of the server tell each other, and the one that ends it.
///
/// The writer that gets the last answer kills the server itself, at once: what the server still had to do after it
/// acknowledged is undone only if nobody has to be woken first.
///
/// - Safety: `@unchecked` is sound because `state` is touched while `condition` is locked only.
final class KillBoard: @unchecked Sendable {
    private struct State {
        var answersLeft: Int?
        var isKilled = false
        var finished: [Writer] = []
        var newest: [String: Int]
    }

    private let condition = NSCondition()
    private let victim: Int32
    private var state: State

    /// - Parameters:
    ///   - victim: The server's process.
    ///   - answers: After so many writes it is killed; nil if it is to live.
    ///   - newest: For each list the newest revision that is known to be acknowledged.
    init(victim: Int32, killAfter answers: Int?, newest: [String: Int]) {
        self.victim = victim
        state = State(answersLeft: answers, newest: newest)
    }

    private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }

    /// Called first thing when a write is answered.
    func answered() {
        withLock { state in
            guard let left = state.answersLeft, !state.isKilled else { return }
            state.answersLeft = left - 1
            guard left <= 1 else { return }
            state.isKilled = true
            kill(victim, SIGKILL)
        }
    }

    /// Whether connections may be lost.
    var isKilled: Bool { withLock { $0.isKilled } }

    func acknowledge(_ list: String, _ revision: Int) {
        withLock { $0.newest[list] = max(revision, $0.newest[list] ?? 0) }
    }

    func newest(_ list: String) -> Int { withLock { $0.newest[list] ?? 0 } }

    func finish(_ writer: Writer) {
        withLock { $0.finished.append(writer) }
        condition.broadcast()
    }

    /// Blocks until so many writers have ended.
    func writers(_ count: Int) -> [Writer] {
        condition.lock()
        defer { condition.unlock() }
        while state.finished.count < count { condition.wait() }
        return state.finished.sorted { $0.name < $1.name }
    }
}
