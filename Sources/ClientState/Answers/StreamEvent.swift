public import ListDiff
public import ListModel
public import Texts

/// An event of a stream (docs/contract.md section 9).
public enum StreamEvent: Sendable {
    /// A change set or a reset of a list.
    case catchup(ListID, Catchup)
    /// The list was deleted.
    case gone(ListID)
    /// The stream ends. `retryAfter` is the number of seconds to wait, `code` that of a problem.
    case bye(code: ByteText, retryAfter: Int)

    /// Reads the data of an event.
    ///
    /// - Returns: Nil for an event of a later server.
    /// - Throws: The member that is missing or wrong.
    public init?(name: ByteText, data: [UInt8]) throws(AnswerError) {
        switch name {
        case "change", "reset":
            let answer = try AnswerObject(data)
            self = .catchup(try answer.list("list"), try Catchup(answer))
        case "gone": self = .gone(try AnswerObject(data).list("list"))
        case "bye":
            let answer = try AnswerObject(data)
            self = .bye(code: try answer.text("code") ?? "", retryAfter: try answer.number("retryAfter") ?? 0)
        default: return nil
        }
    }
}
