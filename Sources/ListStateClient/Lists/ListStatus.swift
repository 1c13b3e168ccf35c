/// How a list stands to its server.
public struct ListStatus: Sendable, Equatable {
    /// The state of the connection, as far as the list is concerned.
    public enum State: Sendable {
        /// The rows are not here yet.
        case connecting
        /// The rows are here, and follow the server.
        case live
        /// Requests fail.
        case offline
        /// The server wants another token.
        case unauthorized
        /// There is no such list, or the token may not read it.
        case gone
        /// The server does not take the query, or does not know the item around which the window is to be.
        case refused
        /// The store cannot be written, so edits are not sent. They wait there.
        case unsaved
        /// The list or its client was closed.
        case closed
    }

    /// The state of the connection.
    public internal(set) var state = State.connecting
    /// The number of edits without an answer.
    public internal(set) var pending = 0

    /// The status in a few words, such as "offline, 3 pending".
    public var text: String { pending > 0 ? "\(state), \(pending) pending" : "\(state)" }
}
