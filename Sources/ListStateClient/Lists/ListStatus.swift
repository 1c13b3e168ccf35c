/// How a list stands to its server.
public struct ListStatus: Sendable, Equatable {
    /// The state of the connection, as far as the list is concerned.
    public enum State: String, Sendable {
        case connecting, live, offline, unauthorized, gone, closed
    }

    /// The state of the connection.
    public internal(set) var state = State.connecting
    /// The number of edits without an answer.
    public internal(set) var pending = 0

    /// The status in a few words, such as "offline, 3 pending".
    public var text: String { pending > 0 ? "\(state.rawValue), \(pending) pending" : state.rawValue }
}
