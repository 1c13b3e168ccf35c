internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd
internal import Texts

/// A page of a snapshot: a number of rows of a view, beginning at one row.
///
/// The link to the next page names the version of the first one. So no row is skipped or repeated if the list changes
/// between two pages.
struct Page {
    private let limit: Int
    private let start: Int
    /// The other query parameters of the request, unchanged, as in `view=visible&`. Bytes that would end a link are
    /// percent-encoded.
    private let others: ByteText

    private static let own = [QueryParameter.at, .limit, .cursor].map { ByteText($0.rawValue) }

    /// Nil if the request asks for the whole snapshot.
    ///
    /// - Throws: `invalid` for a cursor without `at` or `limit`, for a cursor that no page came with, and for a limit
    ///   beside `around`.
    init?(_ query: Query, _ items: [QueryItem]) throws(Problem) {
        let others = items.filter { !Self.own.contains(formDecoded($0.name) ?? "") }
        self.others = Self.linked(others.map { "\($0.name)=\($0.value ?? "")&" as ByteText }.joined())
        let limit = try query.limit(at: .getList)
        guard limit == nil || !query.hasWindow else {
            let middle: ByteText = query[.around] == nil ? "row" : "around"
            throw .parameter(middle, #"A window has no pages: leave out "limit" and "cursor"."#)
        }
        guard let cursor = query[.cursor] else {
            guard let limit else { return nil }
            (self.limit, start) = (limit, 0)
            return
        }
        guard let limit, query[.at] != nil else {
            throw .parameter("cursor", KnownNames.paging)
        }
        guard let start = cursor.dropping(prefix: "r").flatMap({ Int($0) }), start > 0,
            Self.cursor(start) == cursor
        else { throw .notACursor }
        (self.limit, self.start) = (limit, start)
    }

    /// Percent-encodes the bytes that would end the target of a link. RFC 3986 allows none of them in a target, but
    /// requests with them are accepted.
    static func linked(_ text: ByteText) -> ByteText {
        ByteText(
            decoding: text.utf8.reduce(into: [UInt8]()) { link, byte in
                switch byte {
                case UInt8(ascii: "<"): link += "%3C".utf8
                case UInt8(ascii: ">"): link += "%3E".utf8
                case UInt8(ascii: "\""): link += "%22".utf8
                case UInt8(ascii: "\\"): link += "%5C".utf8
                default: link.append(byte)
                }
            })
    }

    private static func cursor(_ start: Int) -> ByteText { "r\(start)" }

    /// The indexes of the page's rows, counted through the view.
    ///
    /// - Throws: `invalid` if the view has no row at the cursor.
    func rows(of source: some RowSource) throws(Problem) -> Range<Int> {
        let count = source.rowCount
        guard start == 0 || start < count else { throw .notACursor }
        return start..<min(count, start + limit)
    }

    /// The link to the next page; nil if this is the last one.
    func next(after rows: Range<Int>, of source: some RowSource, _ snapshot: ListSnapshot) -> Response.Field? {
        guard rows.upperBound < source.rowCount else { return nil }
        let query: ByteText = "\(others)at=\(snapshot.version)&limit=\(limit)&cursor=\(Self.cursor(rows.upperBound))"
        return .next("/v1/lists/\(snapshot.id)?\(query)")
    }
}

extension Problem {
    static var notACursor: Problem {
        .parameter("cursor", "No page has come with this cursor. \(KnownNames.paging)")
    }
}
