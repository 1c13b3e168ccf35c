import ClientState
import Foundation
import JSONValue
import ListDiff
public import ListModel
import Texts

/// What one edit does. All of it is done, or nothing.
///
/// Everything is named by ids, so it keeps its meaning when others have changed the list. An anchor is named together
/// with its parent or section, so that the server finds a place even if the anchor is gone.
public struct ListEdit<Content: Codable & Sendable> {
    /// A place for items.
    public enum Place: Sendable {
        /// Just before the item.
        case before(ItemID)
        /// Behind the item with its whole subtree.
        case after(ItemID)
        /// Before all rows of a section, or all children of an item.
        case first(Container)
        /// Behind all rows of a section, or all children of an item.
        case last(Container)
    }

    /// The operations so far.
    public private(set) var operations: [ListModel.Operation] = []
    private let rows: any LocalRows
    /// The contents that this edit has changed.
    private var contents: [ItemID: Content] = [:]

    init(on rows: any LocalRows) { self.rows = rows }

    /// Moves an item with its subtree.
    public mutating func move(_ item: ItemID, to place: Place) {
        operations.append(.moveItem(item, destination(place)))
    }

    /// Moves an item with its subtree to just before another one.
    public mutating func move(_ item: ItemID, before anchor: ItemID) { move(item, to: .before(anchor)) }

    /// Moves an item with its subtree behind the subtree of another one.
    public mutating func move(_ item: ItemID, after anchor: ItemID) { move(item, to: .after(anchor)) }

    /// Adds an item.
    ///
    /// - Returns: The id, which is made at random.
    @discardableResult
    public mutating func add(
        _ content: Content, kind: String = "item", to place: Place
    ) throws -> ItemID {
        let id = ItemID(unchecked: ByteText(UUID().uuidString.lowercased()))
        var value = ItemChanges()
        value.kind = .set(ByteText(kind))
        value.content = .replace(JSONText(try Self.json(content)))
        let items = [NewItem(id, value: value)]
        contents[id] = content
        switch destination(place) {
        case .anchor(let anchor): operations.append(.insertItems(items, anchor))
        case .last(let container): operations.append(.appendItems(items, container))
        case .first(let container):
            operations += [.appendItems(items, container), .moveItem(id, .first(container))]
        }
        return id
    }

    /// Deletes items with their subtrees.
    public mutating func delete(_ items: [ItemID]) { operations.append(.deleteItems(items)) }

    /// Gives items a star, or takes it away.
    public mutating func star(_ items: [ItemID], _ isStarred: Bool = true) {
        operations.append(.setStarred(items, isStarred))
    }

    /// Shows the children of items, or hides them.
    public mutating func expand(_ items: [ItemID], _ isExpanded: Bool = true) {
        operations.append(.setExpanded(items, isExpanded))
    }

    /// Any operation of the contract.
    public mutating func perform(_ operation: ListModel.Operation) { operations.append(operation) }

    /// The content of an item; nil if the list does not have the item here, or if its content is no `Content`.
    ///
    /// To set it changes the members that differ, so that others may change other members at the same time. To set nil
    /// has no effect.
    public subscript(item: ItemID) -> Content? {
        get { contents[item] ?? rows.row(of: item).flatMap { Self.content($0.item.content) } }
        set {
            guard let newValue, let old = self[item], let before = try? Self.json(old),
                let after = try? Self.json(newValue), before != after
            else { return }
            var changes = ItemChanges()
            changes.content = .merge(JSONText(Self.patch(from: before, to: after)))
            contents[item] = newValue
            operations.append(.updateItem(item, changes))
        }
    }

    static func content(_ text: JSONText) -> Content? {
        try? JSONDecoder().decode(Content.self, from: Data(text.bytes))
    }

    private static func json(_ content: Content) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try JSONValue(parsing: [UInt8](try encoder.encode(content)))
    }

    /// The merge patch (RFC 7396) that makes one value of another.
    private static func patch(from old: JSONValue, to new: JSONValue) -> JSONValue {
        guard case .object(let before) = old, case .object(let after) = new else { return new }
        var patch: [(key: ByteText, value: JSONValue)] = []
        for (key, _) in before.members where after[key] == nil { patch.append((key, .null)) }
        for (key, value) in after.members where before[key] != value {
            patch.append((key, before[key].map { self.patch(from: $0, to: value) } ?? value))
        }
        return .object(JSONObject(patch))
    }

    private func destination(_ place: Place) -> Destination {
        switch place {
        case .before(let item): .anchor(ItemAnchor(.before, item, guardedBy: container(around: item)))
        case .after(let item): .anchor(ItemAnchor(.after, item, guardedBy: container(around: item)))
        case .first(let container): .first(container)
        case .last(let container): .last(container)
        }
    }

    /// Nil for an item that this edit adds or moves, whose place may be another one then.
    private func container(around item: ItemID) -> Container? {
        operations.isEmpty ? rows.container(around: item) : nil
    }
}
