import ListDiff
import ListModel

/// Some rows of a section, by their indexes in a view.
struct SectionPart: Equatable {
    let section: SectionHandle
    let rows: Range<Int>
}

extension [SectionPart] {
    static func whole(of source: some RowSource) -> Self {
        source.sectionHandles.map { SectionPart(section: $0, rows: 0..<source.rowCount(of: $0)) }
    }

    /// The parts of the sections that have these rows. The rows are counted through all sections of the view.
    ///
    /// An empty section is on the page that has the row behind it, or on the last page.
    init(_ rows: Range<Int>, of source: some RowSource) {
        let isLast = rows.upperBound == source.rowCount
        var start = 0
        self = Self.whole(of: source).compactMap { part in
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
