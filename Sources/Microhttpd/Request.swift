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
    public var name: String
    /// Nil if there is no `=`.
    public var value: String?

    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    /// Splits a query at its `&`, in order, repeats kept; empty parts are skipped.
    static func parse(_ query: String) -> [QueryItem] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                return QueryItem(name: String(Substring(part)), value: nil)
            }
            return QueryItem(
                name: String(Substring(part[..<equals])),
                value: String(Substring(part[part.index(after: equals)...])))
        }
    }
}
