/// One change to the rows that a view has, in the index space of the rows just before it.
///
/// What history keeps to tell how rows got from one version to another: a step names rows only where they come or
/// go, so that the steps of a version are as long as its change, however long the list.
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
    /// A run of rows moved; `to` counts without it.
    case moveRows(count: Int, SectionHandle, from: Int, SectionHandle, to: Int)
    /// An operation placed rows that the view does not show.
    case placeHiddenRows([ItemHandle])
    /// Each row of the old orders is in one of the new ones, and no other is.
    case arrangeRows([Arrangement])
}
