import ListModel

/// The place of a row. It does not depend on the order of the sections.
struct RowPlace: Equatable, Sendable {
    var section: SectionHandle
    var index: Int
}

/// The net difference between the rows of a view at an older version and at a newer one.
///
/// Rows of sections that came or went as a whole are not listed. A row that went from a deleted section into a section
/// of both versions is in `arrived`. Everything is sorted by section handle, then by index.
///
/// Source: docs/contract.md section 5, rules 1, 2 and 4.
struct RowChanges: Equatable, Sendable {
    /// A row that the view no longer has; `place` is its old place.
    struct Removal: Equatable, Sendable {
        var handle: ItemHandle
        var place: RowPlace
    }

    /// A row that stands elsewhere; `from` is an old place, `to` a new one.
    struct Move: Equatable, Sendable {
        var from: RowPlace
        var to: RowPlace
    }

    /// The rows that the view no longer has, sorted by old place.
    var removed: [Removal] = []
    /// The rows that went from a section of both versions into an inserted one, sorted by new place. Each is a deletion
    /// at `from`, because an inserted section brings its rows with it.
    var entered: [Move] = []
    /// The new places of rows that came.
    var arrived: [RowPlace] = []
    /// The rows that stand elsewhere, sorted by new place.
    var moved: [Move] = []
}
