internal import Threads

/// Everything that is wrong with a body, up to a number.
///
/// A body is read once, up to its first error, and what is right costs nothing. One that has an error is read again with
/// one of these beside: whoever reads a member or an element leaves out one that is wrong and goes on.
package final class WireErrors: Sendable {
    package static let most = 20

    private struct State {
        var errors: [WireError] = []
        /// From the top to what is being read.
        var path: [WireError.Step] = []
    }

    private let state = Locked(State())

    package init() {}

    /// In the order in which they were found.
    package var errors: [WireError] { state.withLock { $0.errors } }

    /// Reads a body for the sake of its errors.
    package func collect(_ read: () throws(WireError) -> Void) {
        do throws(WireError) { try read() } catch { note(error, countBefore: 0) }
    }

    /// Notes an error of what is being read.
    ///
    /// - Returns: Whether there is room for more.
    @discardableResult
    func note(_ error: WireError) -> Bool {
        state.withLock { state in
            guard state.errors.count < Self.most else { return false }
            let error = error.below(state.path)
            let isKnown = state.errors.contains { $0.pointer == error.pointer && $0.code == error.code }
            if !isKnown { state.errors.append(error) }
            return state.errors.count < Self.most
        }
    }

    /// Reads a part of the body; nil if it is wrong, which has then been noted.
    ///
    /// - Throws: `.noted` when there is no room for more.
    func attempt<Value>(
        _ step: WireError.Step, _ read: () throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        state.withLock { $0.path.append(step) }
        defer { state.withLock { _ = $0.path.removeLast() } }
        return try attempt(read)
    }

    /// As above, of a part that has no step of its own.
    func attempt<Value>(_ read: () throws(WireError) -> Value) throws(WireError) -> Value? {
        let countBefore = errors.count
        do throws(WireError) { return try read() } catch {
            note(error, countBefore: countBefore)
            guard state.withLock({ $0.errors.count < Self.most }) else { throw WireError(.noted) }
            return nil
        }
    }

    /// What is missing, or too much, may be so only because a member that is wrong was left out.
    private func note(_ error: WireError, countBefore: Int) {
        switch error.fault {
        case .noted: return
        case .missingMember, .missingOneOf, .conflictsWith:
            guard state.withLock({ $0.errors.count == countBefore }) else { return }
        case .unknownMember, .wrongType, .noWord, .noObject, .idOutOfBounds, .tooLong, .integerOutOfBounds,
            .invalidFormat, .repeatedID, .unknownOperation, .unknownValue, .idMismatch, .partialSnapshot, .overLimit,
            .tooDeep,
            .noNumber, .numberOutOfBounds, .badCount, .repeatedWord, .badField, .groupsTooDeep:
            break
        }
        note(error)
    }
}
