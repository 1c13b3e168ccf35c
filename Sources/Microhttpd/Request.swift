public import Texts

/// A request whose body has arrived whole.
public struct Request {
    public var head: RequestHead
    /// The content without its transfer coding; empty for GET and HEAD, whose content means nothing.
    public var body: Body

    public init(head: RequestHead, body: [UInt8]) {
        self.init(head: head, body: body.isEmpty ? .empty : Body(body))
    }

    public init(head: RequestHead, body: Body) {
        self.head = head
        self.body = body
    }
}

/// The bytes of a body, which all who know the request share. Whoever has read them can drop them, so that a long body
/// does not stay in memory beside what was made of it.
///
/// - Safety: `@unchecked` is sound because a request is handled on one thread at a time. The empty body, which requests
///   share, never changes.
public final class Body: @unchecked Sendable {
    public static let empty = Body([])

    /// Only `drop` changes the bytes, so access is not checked.
    @exclusivity(unchecked) public private(set) var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var isEmpty: Bool { bytes.isEmpty }

    /// Frees the memory of the bytes. Nobody may need them any more.
    public func drop() {
        if !isEmpty { bytes = [] }
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
        let bytes = query.utf8.span
        var items: [QueryItem] = []
        var start = 0
        var equals: Int?
        for index in 0...bytes.count {
            let isEnd = index == bytes.count || bytes[index] == UInt8(ascii: "&")
            guard isEnd else {
                if equals == nil, bytes[index] == UInt8(ascii: "=") { equals = index }
                continue
            }
            if start < index { items.append(QueryItem(bytes, start..<index, equals: equals)) }
            start = index + 1
            equals = nil
        }
        return items
    }

    private init(_ query: Span<UInt8>, _ part: Range<Int>, equals: Int?) {
        name = ByteText(decoding: query.extracting(part.lowerBound..<(equals ?? part.upperBound)))
        value = if let equals { ByteText(decoding: query.extracting(equals + 1..<part.upperBound)) } else { nil }
    }
}
