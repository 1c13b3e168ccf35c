public import Texts

/// The lists that one client has made, counted together.
public struct Holding: Sendable, Equatable {
    public var lists: Int
    /// The items of all of these lists.
    public var items: Int
    /// The bytes of their contents, titles, layouts, headers and footers.
    public var bytes: Int

    public init(lists: Int, items: Int, bytes: Int) { (self.lists, self.items, self.bytes) = (lists, items, bytes) }

    /// Nothing.
    public static let none = Holding(lists: 0, items: 0, bytes: 0)
    /// The holding that a new list adds before its first write.
    static let newList = Holding(lists: 1, items: 0, bytes: 0)
    /// More than anybody has.
    public static let unlimited = Holding(lists: .max, items: .max, bytes: .max)

    static func + (left: Self, right: Self) -> Self {
        Holding(lists: left.lists + right.lists, items: left.items + right.items, bytes: left.bytes + right.bytes)
    }

    static func - (left: Self, right: Self) -> Self {
        Holding(lists: left.lists - right.lists, items: left.items - right.items, bytes: left.bytes - right.bytes)
    }

    /// The three numbers of a holding.
    public enum Part: Sendable, Hashable, CaseIterable {
        case lists, items, bytes
    }

    public subscript(part: Part) -> Int {
        switch part {
        case .lists: lists
        case .items: items
        case .bytes: bytes
        }
    }
}

/// The part of one list in the holding of its creator. A shared journal keeps it beside the list.
public struct ListHolding: Sendable, Equatable {
    public var creator: ByteText
    public var items: Int
    public var bytes: Int

    public init(creator: ByteText, items: Int, bytes: Int) {
        (self.creator, self.items, self.bytes) = (creator, items, bytes)
    }

    var holding: Holding { Holding(lists: 1, items: items, bytes: bytes) }
}
