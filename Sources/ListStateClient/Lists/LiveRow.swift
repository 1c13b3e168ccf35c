import ClientState
import JSONValue
import ListDiff
public import ListModel
public import Observation

/// One row of a list. A view that reads a row renders anew when that row changes, and not when another one does.
@MainActor @Observable public final class LiveRow<Content: Codable & Sendable>: Identifiable {
    /// The id of the item.
    public nonisolated let id: ItemID
    /// The item with its flags; nil while the list does not have it.
    public private(set) var item: Item?
    /// The content; nil if it is no `Content`.
    public private(set) var content: Content?
    /// The item around this one; nil for an item of the section itself.
    public private(set) var parent: ItemID?
    /// The number of ancestors.
    public private(set) var level = 0
    /// The number of direct children, hidden ones too.
    public private(set) var childCount = 0

    /// Whether the item has a star.
    public var isStarred: Bool { item?.isStarred ?? false }
    /// Whether the children of the item are shown.
    public var isExpanded: Bool { item?.isExpanded ?? false }

    init(_ id: ItemID, of rows: any LocalRows) {
        self.id = id
        update(from: rows)
    }

    /// Takes over what has changed, and nothing else, because each assignment renders views anew.
    func update(from rows: any LocalRows) {
        let row = rows.row(of: id)
        let new = row?.item
        if item != new {
            if item?.content != new?.content { content = new.flatMap { ListEdit<Content>.content($0.content) } }
            item = new
        }
        if parent != row?.parent { parent = row?.parent }
        if level != row?.level ?? 0 { level = row?.level ?? 0 }
        if childCount != row?.childCount ?? 0 { childCount = row?.childCount ?? 0 }
    }
}
