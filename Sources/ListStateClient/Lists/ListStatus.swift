/// How a list stands to its server.
public struct ListStatus: Sendable, Equatable {
    /// The state of the connection, as far as the list is concerned.
    public enum State: Sendable {
        /// The server has not told the list yet.
        case connecting
        /// Changes come as they happen.
        case live
        /// The server cannot be reached. The client tries again by itself.
        case offline
        /// The server takes no token of the user.
        case unauthorized
        /// The server does not have the list.
        case gone
        /// The client was closed.
        case closed
    }

    /// The state of the connection.
    public internal(set) var state = State.connecting
    /// The number of edits without an answer.
    public internal(set) var pending = 0

    /// The status in a few words, such as "offline, 3 pending".
    public var text: String { pending > 0 ? "\(state), \(pending) pending" : "\(state)" }
}
