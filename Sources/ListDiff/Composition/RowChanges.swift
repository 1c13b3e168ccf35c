import ListModel

/// Where a row stands, whatever the order of sections.
struct RowPlace: Equatable, Sendable {
    var section: SectionHandle
    var index: Int
}

/// How the rows of a view got from an older version to a newer one: their net difference.
///
/// Rows of sections that came or went as a whole are not listed, but those that got out of a deleted section into
/// one of both versions have arrived there. All is sorted by section, in the order of their handles, and index.
///
/// Source: docs/contract.md section 5, rules 1, 2 and 4.
struct RowChanges: Equatable, Sendable {
    /// A row that the view has no more; `place` is an old one.
    struct Removal: Equatable, Sendable {
        var handle: ItemHandle
        var place: RowPlace
    }

    /// A row that stands elsewhere; `from` is an old place, `to` a new one.
    struct Move: Equatable, Sendable {
        var from: RowPlace
        var to: RowPlace
    }

    /// By old place.
    var removed: [Removal] = []
    /// Rows that went from a section of both versions into an inserted one, where they come inside it: each is a
    /// deletion at `from`. By new place.
    var entered: [Move] = []
    /// New places of rows that came.
    var arrived: [RowPlace] = []
    /// By new place.
    var moved: [Move] = []
}
