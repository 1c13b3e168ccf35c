public import Texts

/// A request whose body has arrived whole.
public struct Request {
    public var head: RequestHead
    /// The content without its transfer coding; empty for GET and HEAD, whose content means nothing.
    public var body: [UInt8]

    public init(head: RequestHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// One `name=value` of a query, both still percent-encoded.
public struct QueryItem: Equatable, Hashable, Sendable {
    public var name: ByteText
    /// Nil if there is no `=`.
    public var value: ByteText?

    public init(name: ByteText, value: ByteText?) {
        self.name = name
        self.value = value
    }

    /// Splits a query at its `&`, in order, repeats kept; empty parts are skipped.
    static func parse(_ query: ByteText) -> [QueryItem] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                return QueryItem(name: ByteText(part), value: nil)
            }
            return QueryItem(
                name: ByteText(part[..<equals]),
                value: ByteText(part[part.index(after: equals)...]))
        }
    }
}
