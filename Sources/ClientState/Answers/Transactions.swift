import JSONValue
public import ListModel
public import Texts

/// A transaction of the history of a list (docs/contract.md section 10).
public struct ListTransaction: Sendable, Equatable {
    /// The version that the transaction made.
    public let version: Version
    /// The time at which it was done, as RFC 3339 has it.
    public let time: ByteText
    /// The name of the token that has sent it, or `anonymous`.
    public let actor: ByteText
    /// The text that its author has given it.
    public let label: ByteText?
    /// The operations as a JSON array, in the form in which they were sent.
    public let operations: [UInt8]
    /// Whether the operations are only names and counts, because there is too much of them.
    public let isTruncated: Bool
    /// Whether the transaction is taken back.
    public let isUndone: Bool
    /// The version of the transaction that this one takes back.
    public let undoes: Version?
    /// The version of the transaction that this one does again.
    public let redoes: Version?
    /// The version that this transaction made the head again.
    public let restores: Version?

    /// Reads the answer of `transactions`, newest first.
    ///
    /// - Throws: The member that is missing or wrong.
    public static func page(answer bytes: [UInt8]) throws(AnswerError) -> [ListTransaction] {
        try AnswerObject(bytes).objects("transactions") { entry throws(AnswerError) in try ListTransaction(entry) }
    }

    private init(_ answer: AnswerObject) throws(AnswerError) {
        version = try answer.version("version")
        time = try answer.text("time") ?? ""
        actor = try answer.text("actor") ?? ""
        label = try answer.text("label")
        operations = answer.present("operations").map { $0.bytes($0.extent) } ?? Array("[]".utf8)
        isTruncated = try answer.flag("truncated", orMissing: false)
        isUndone = try answer.flag("undone", orMissing: false)
        undoes = try answer.knownVersion("undoes")
        redoes = try answer.knownVersion("redoes")
        restores = try answer.knownVersion("restores")
    }
}

extension AnswerObject {
    /// A version; nil if the member is missing.
    fileprivate func knownVersion(_ name: ByteText) throws(AnswerError) -> Version? {
        present(name) == nil ? nil : try version(name)
    }
}
