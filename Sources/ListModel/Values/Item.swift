import JSONValue
public import Texts

/// One row of a section, shown or hidden, with everything that a cell registration of its kind needs.
///
/// The place of the item (section, parent, level) is no part of it; the list keeps the place.
public struct Item: Sendable {
    public var id: ItemID {
        didSet { isSealed = false }
    }
    /// The name of the cell registration that a client uses: `[A-Za-z0-9._-]{1,64}`.
    public var kind: ByteText {
        didSet { isSealed = isSealed && kind == oldValue }
    }
    /// A JSON object, opaque to the server.
    public var content: JSONText {
        didSet { isSealed = false }
    }
    /// A mark that any item can have.
    public var isStarred: Bool
    /// Whether the children are shown. Needs no children, and is kept while the item lives
    /// (`expand(_:)` of `NSDiffableDataSourceSectionSnapshot`).
    public var isExpanded: Bool
    /// Whether the item may be moved by a reorder (`reorderingHandlers.canReorderItem`).
    public var isReorderable: Bool
    /// Whether the buffer of `content` holds the item's JSON, which ends with the content.
    package private(set) var isSealed = false

    public init(
        id: ItemID, kind: ByteText = Item.defaultKind, content: JSONText = .emptyObject, isStarred: Bool = false,
        isExpanded: Bool = false, isReorderable: Bool = true
    ) {
        self.id = id
        self.kind = kind
        self.content = content
        self.isStarred = isStarred
        self.isExpanded = isExpanded
        self.isReorderable = isReorderable
    }

    /// The kind of an item that names none.
    public static let defaultKind: ByteText = "item"

    /// Whether a text from outside can be the kind of an item.
    public static func isKind(_ text: ByteText) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isOfKind)
    }

    private static func isOfKind(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }
}

extension Item {
    /// Whether a row of the item has more members than id, kind and content.
    var isMarked: Bool { isStarred || isExpanded || !isReorderable }
}

extension Item: Equatable {
    /// Whether all members are equal, however they are kept in memory.
    public static func == (left: Item, right: Item) -> Bool {
        left.isStarred == right.isStarred && left.isExpanded == right.isExpanded
            && left.isReorderable == right.isReorderable && left.id == right.id && left.kind == right.kind
            && left.content == right.content
    }
}

// MARK: - Encoded once

extension Item {
    /// The item with its JSON made.
    ///
    /// The content is the end of that JSON and is kept nowhere else, so a sealed item takes little more memory.
    ///
    /// - Complexity: O(1) for an item that is sealed already. An item stays sealed until id, kind or content are set.
    package func sealed() -> Item {
        guard !isSealed else { return self }
        let content = content.bytes
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.framingCount + id.rawValue.utf8.count + kind.utf8.count + content.count)
        bytes.append(utf8: "\"id\":")
        bytes.appendJSON(string: id.rawValue)
        bytes.append(utf8: ",\"kind\":")
        bytes.appendJSON(string: kind)
        bytes.append(utf8: SealedJSON.contentKey)
        let start = bytes.count
        // This has an effect only if something was escaped. Without it, the buffer would double as it grows.
        bytes.reserveCapacity(start + content.count)
        bytes += content
        return with(JSONText(bytes, startingAt: start), isSealed: true)
    }

    /// The item with its JSON made. The JSON of `old` is used if it is the same.
    func sealed(keeping old: Item) -> Item {
        guard !isSealed, id == old.id, kind == old.kind, content.hasSameBytes(as: old.content) else {
            return sealed()
        }
        return with(old.content, isSealed: old.isSealed)
    }

    /// Takes the memory of a value that differs in its flags at most.
    mutating func share(_ other: Item) { self = with(other.content, isSealed: other.isSealed) }

    private func with(_ content: JSONText, isSealed: Bool) -> Item {
        var item = self
        item.content = content
        item.isSealed = isSealed
        return item
    }

    /// The item's JSON.
    package var json: ItemJSON { isSealed ? .sealed(SealedJSON(content)) : .pieces(self) }

    /// The number of bytes of keys and quotes.
    private static let framingCount = 28
}

/// The members of an item that all views have, `"id":"a","kind":"item","content":{}`.
package enum ItemJSON: Sendable {
    case sealed(SealedJSON)
    /// The JSON is still to be written: the item is as it was read from a snapshot.
    case pieces(Item)
}

/// The members of an item made once, in one buffer with the content.
package struct SealedJSON: Sendable {
    package static let contentKey: StaticString = ",\"content\":"

    private let content: JSONText

    /// - Parameter content: The content of a sealed item.
    init(_ content: JSONText) { self.content = content }

    /// The index of the comma before the member `content`.
    private var contentIndex: Int { content.bufferOffset - Self.contentKey.utf8CodeUnitCount }

    /// Calls `body` with the whole JSON.
    package func withAll(_ body: (UnsafeRawBufferPointer) -> Void) {
        content.withBuffer(from: 0, body)
    }

    /// Calls `body` with the members `id` and `kind`.
    package func withMembersUpToContent(_ body: (UnsafeRawBufferPointer) -> Void) {
        content.withBuffer(from: 0, upTo: contentIndex, body)
    }

    /// Calls `body` with the member `content`, and the comma before it.
    package func withContentMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        content.withBuffer(from: contentIndex, body)
    }
}

/// A section without its items.
public struct SectionProperties: Sendable, Equatable {
    public var id: SectionID
    public var title: ByteText?
    /// A JSON object for the client; nil if the layout of the list is used.
    public var layout: JSONText?
    /// A JSON string or object, as is the footer.
    public var header: JSONText?
    public var footer: JSONText?
    /// Whether the section's items may be moved by a reorder.
    public var isReorderable: Bool

    public init(
        id: SectionID, title: ByteText? = nil, layout: JSONText? = nil, header: JSONText? = nil,
        footer: JSONText? = nil,
        isReorderable: Bool = true
    ) {
        self.id = id
        self.title = title
        self.layout = layout
        self.header = header
        self.footer = footer
        self.isReorderable = isReorderable
    }
}

/// The members of a list besides its sections.
public struct ListProperties: Sendable, Equatable {
    public var title: ByteText
    public var layout: JSONText?

    public init(title: ByteText, layout: JSONText? = nil) {
        self.title = title
        self.layout = layout
    }
}
