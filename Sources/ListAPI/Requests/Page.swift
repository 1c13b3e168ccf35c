internal import ListDiff
internal import ListModel
internal import ListStore
internal import Microhttpd

/// A part of a snapshot: so many rows of a view, from one on.
///
/// A page is pinned: its link names the version of the first one, so that no row is skipped or repeated however the
/// list changes meanwhile.
struct Page {
    private let limit: Int
    private let start: Int

    private static let limitMax = 10_000

    /// Nil if the whole is asked for.
    ///
    /// - Throws: `invalid` for a cursor without its version or limit, or one that came with no page.
    init?(_ query: Query) throws(Problem) {
        let limit = try query.count(.limit, in: 1...Self.limitMax)
        guard let cursor = query[.cursor] else {
            guard let limit else { return nil }
            (self.limit, start) = (limit, 0)
            return
        }
        guard let limit, query[.at] != nil else {
            throw .parameter("cursor", "A cursor goes with the limit and the version of its link.")
        }
        guard cursor.utf8.first == UInt8(ascii: "r"), let start = Int(cursor.dropFirst()), start > 0,
            Self.cursor(start) == cursor
        else { throw .notACursor }
        (self.limit, self.start) = (limit, start)
    }

    private static func cursor(_ start: Int) -> String { "r\(start)" }

    /// - Throws: `invalid` if the view has no row there.
    func rows(of snapshot: ListSnapshot, _ view: View) throws(Problem) -> Range<Int> {
        let count = snapshot.state.rowCount(view)
        guard start == 0 || start < count else { throw .notACursor }
        return start..<min(count, start + limit)
    }

    /// The way to the page behind `rows`; nil if there is none (RFC 8288).
    func next(after rows: Range<Int>, of snapshot: ListSnapshot, _ view: View) -> Response.Field? {
        guard rows.upperBound < snapshot.state.rowCount(view) else { return nil }
        let viewed = view == .items ? "" : "view=\(view.rawValue)&"
        let query = "\(viewed)at=\(snapshot.version)&limit=\(limit)&cursor=\(Self.cursor(rows.upperBound))"
        return Response.Field("Link", "</v1/lists/\(snapshot.id)?\(query)>; rel=\"next\"")
    }
}

/// Some rows of a section, by their indexes in a view.
struct SectionPart: Equatable {
    let section: SectionHandle
    let rows: Range<Int>
}

extension [SectionPart] {
    static func whole(of state: ListState, _ view: View) -> Self {
        state.sectionHandles.map { SectionPart(section: $0, rows: 0..<state.rowCount(of: $0, view: view)) }
    }

    /// The rows of a view with these numbers, counted through the list, in the sections that they are in.
    ///
    /// An empty section is on the page of the row before which it stands, or on the last page.
    init(_ rows: Range<Int>, of state: ListState, _ view: View) {
        let isLast = rows.upperBound == state.rowCount(view)
        var start = 0
        self = Self.whole(of: state, view).compactMap { part in
            let all = start..<start + part.rows.count
            start = all.upperBound
            if all.isEmpty {
                let isHere = rows.contains(all.lowerBound) || isLast && all.lowerBound == rows.upperBound
                return isHere ? part : nil
            }
            let own = all.clamped(to: rows)
            guard !own.isEmpty else { return nil }
            return SectionPart(
                section: part.section, rows: own.lowerBound - all.lowerBound..<own.upperBound - all.lowerBound)
        }
    }
}

extension Problem {
    fileprivate static var notACursor: Problem { .parameter("cursor", "Not a cursor that came with a page.") }
}
