import JSONValue
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

    init(_ id: ItemID, of state: ListState) {
        self.id = id
        update(from: state)
    }

    /// Takes over what has changed, and nothing else, because each assignment renders views anew.
    func update(from state: ListState) {
        let handle = state.handle(of: id)
        let new = handle.map { state[$0] }
        if item != new {
            if item?.content != new?.content { content = new.flatMap { ListEdit<Content>.content($0.content) } }
            item = new
        }
        let (newLevel, newCount) = (handle.map(state.level) ?? 0, handle.map(state.childCount) ?? 0)
        let newParent = handle.flatMap(state.parent).map { state.id(of: $0) }
        if parent != newParent { parent = newParent }
        if level != newLevel { level = newLevel }
        if childCount != newCount { childCount = newCount }
    }
}
