/// One change to the rows of a view, with indexes that count the rows just before it.
///
/// History keeps steps to tell how rows got from one version to another. A step names rows only if they come or go, so
/// the steps of a version are as long as its change, however long the list is.
package enum Step: Sendable, Equatable {
    /// The rows of one section before and after, where whole orders were written at once.
    package struct Arrangement: Sendable, Equatable {
        package var section: SectionHandle
        package var old: [ItemHandle]
        package var new: [ItemHandle]

        package init(_ section: SectionHandle, old: [ItemHandle], new: [ItemHandle]) {
            self.section = section
            self.old = old
            self.new = new
        }
    }

    /// A section came, without rows.
    case insertSection(SectionHandle)
    /// A section went; its rows had gone before.
    case deleteSection(SectionHandle)
    /// A run of rows came.
    ///
    /// - Parameter isPlaced: Whether an operation put them there; false if they are shown because a row above them
    ///   was expanded.
    case insertRows([ItemHandle], SectionHandle, at: Int, isPlaced: Bool)
    /// A run of rows went.
    case deleteRows([ItemHandle], SectionHandle, at: Int)
    /// A run of rows moved; `to` is an index among the rows without the run.
    case moveRows(count: Int, SectionHandle, from: Int, SectionHandle, to: Int)
    /// An operation placed rows that the view does not show.
    case placeHiddenRows([ItemHandle])
    /// Whole orders were written. The new orders have the same rows as the old ones.
    case arrangeRows([Arrangement])
}
