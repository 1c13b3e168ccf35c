/// A row of a section: an item, and whether the row is shown.
package struct Row: Sendable, Equatable {
    /// The handle, complemented while the row is hidden.
    private var raw: Int32

    package init(_ item: ItemHandle, isShown: Bool) { raw = isShown ? item.raw : ~item.raw }

    package var isShown: Bool { raw >= 0 }
    package var item: ItemHandle { ItemHandle(raw: raw ^ (raw >> 31)) }
}
