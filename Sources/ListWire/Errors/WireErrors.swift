/// Collects the errors of a body, up to `most`.
///
/// A body is first read up to its first error, so correct values cost nothing. A body with an error is read again with
/// such a collection: the reader of a member or an element notes an error and goes on without that value.
///
/// - Safety: `@unchecked` is sound because whoever makes a collection reads one body with it, in one call on one thread.
///   A decoder that tells its errors is a value of that call, and nobody keeps it.
package final class WireErrors: @unchecked Sendable {
    package static let most = 20

    /// The errors in the order in which they were found.
    package private(set) var errors: [WireError] = []
    /// The steps from the top to the value that is being read.
    private var path: [WireError.Step] = []

    package init() {}

    /// Reads a body only to find its errors.
    package func collect(_ read: () throws(WireError) -> Void) {
        do throws(WireError) { try read() } catch { note(error, countBefore: 0) }
    }

    /// Notes an error of the value that is being read.
    ///
    /// - Returns: Whether there is room for more errors.
    @discardableResult
    func note(_ error: WireError) -> Bool {
        guard errors.count < Self.most else { return false }
        let error = error.below(path)
        let isKnown = errors.contains { $0.pointer == error.pointer && $0.code == error.code }
        if !isKnown { errors.append(error) }
        return errors.count < Self.most
    }

    /// Reads a part of the body. If the part has an error, the error is noted, and the result is nil.
    ///
    /// - Throws: `.noted` if there is no room for more errors.
    func attempt<Value>(
        _ step: WireError.Step, _ read: () throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        path.append(step)
        defer { path.removeLast() }
        return try attempt(read)
    }

    /// Reads a part of the body whose place is the value that is being read, so it adds no step. Otherwise as above.
    func attempt<Value>(_ read: () throws(WireError) -> Value) throws(WireError) -> Value? {
        let countBefore = errors.count
        do throws(WireError) { return try read() } catch {
            note(error, countBefore: countBefore)
            guard errors.count < Self.most else { throw WireError(.noted) }
            return nil
        }
    }

    /// Notes an error. A missing or conflicting member is not noted if a part of the same object had an error, because
    /// that error may be the cause.
    private func note(_ error: WireError, countBefore: Int) {
        switch error.fault {
        case .noted: return
        case .missingMember, .missingOneOf, .conflictsWith:
            guard errors.count == countBefore else { return }
        default: break
        }
        note(error)
    }
}
