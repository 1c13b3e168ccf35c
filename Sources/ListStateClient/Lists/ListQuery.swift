import Foundation
import JSONValue
import ListDiff
public import ListModel
import Texts

/// The rows of a list that are wanted, instead of all of them.
///
///     ListQuery.window(around: "k2", before: 20, after: 60)
///     ListQuery(where: ["content.done:false"], sort: "content.name")
///
/// All members apply together, and the window last.
public struct ListQuery: Sendable, Hashable {
    /// The rows of which the other members choose some.
    public enum Rows: Sendable {
        /// Those of which every ancestor is expanded.
        case visible
        /// All items.
        case items
    }

    /// The rows around one row, counted through the whole list.
    public struct Window: Sendable, Hashable {
        /// An item of the list. If it is hidden, its nearest shown ancestor takes its place.
        public var item: ItemID
        /// The number of rows above that of the item, and below it; fewer at the ends of the list.
        public var before: Int
        /// The number of rows below that of the item.
        public var after: Int

        /// The rows around the row of an item.
        public init(around item: ItemID, before: Int, after: Int) {
            (self.item, self.before, self.after) = (item, before, after)
        }
    }

    /// The rows of which the other members choose some.
    public var rows: Rows
    /// The sections whose rows are wanted; nil for all.
    public var sections: [SectionID]?
    /// The items that are taken as expanded, and no others; nil takes those that are.
    public var expanded: [ItemID]?
    /// A text that is in a string of the content; nil for any.
    public var filter: String?
    /// The member of the content in which the text is, such as `name` or `place.name`; nil for any.
    public var field: String?
    /// The values that the content has, such as `content.done:false`. All of them must hold. Strings stand in quotes.
    public var values: [String]
    /// Whether items with a star are wanted, or those without one; nil for both.
    public var isStarred: Bool?
    /// The kind of the items; nil for all.
    public var kind: String?
    /// The member by which the rows of each section are sorted, such as `content.name`, or `-content.name`; nil for the
    /// order of the list.
    public var sort: String?
    /// The window; nil for all of these rows.
    public var window: Window?

    /// The rows for which all of this holds. The parameters are the members of the same names, and `where` is `values`.
    public init(
        _ rows: Rows = .visible, sections: [SectionID]? = nil, expanded: [ItemID]? = nil, filter: String? = nil,
        field: String? = nil, where values: [String] = [], isStarred: Bool? = nil, kind: String? = nil,
        sort: String? = nil
    ) {
        (self.rows, self.sections, self.expanded, self.filter) = (rows, sections, expanded, filter)
        (self.field, self.values, self.isStarred, self.kind, self.sort) = (field, values, isStarred, kind, sort)
    }

    /// The rows around the row of an item.
    public static func window(around item: ItemID, before: Int, after: Int) -> ListQuery {
        var query = ListQuery()
        query.window = Window(around: item, before: before, after: after)
        return query
    }
}

extension ListQuery {
    /// The query as parameters of an address (docs/contract.md section 8).
    var parameters: String {
        var parameters: [(name: String, value: String)] = [("view", rows == .visible ? "visible" : "items")]
        for section in sections ?? [] { parameters.append(("section", "\(section)")) }
        if let expanded {
            if expanded.isEmpty { parameters.append(("expanded", "")) }
            for item in expanded { parameters.append(("expanded", "\(item)")) }
        }
        if let filter { parameters.append(("filter", filter)) }
        if let field { parameters.append(("field", field)) }
        for value in values { parameters.append(("where", value)) }
        if let isStarred { parameters.append(("starred", "\(isStarred)")) }
        if let kind { parameters.append(("kind", kind)) }
        if let sort { parameters.append(("sort", sort)) }
        if let window {
            parameters += [
                ("around", "\(window.item)"), ("before", "\(window.before)"), ("after", "\(window.after)"),
            ]
        }
        return parameters.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "")"
        }.joined(separator: "&")
    }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The query without its window, as the client itself selects rows by it. The server says what cannot be read.
    var local: RowQuery {
        var query = RowQuery(rows == .visible ? .visible : .items)
        query.sections = sections.map { NamedIDs(Set($0)) }
        query.expanded = rows == .visible ? expanded.map { NamedIDs(Set($0)) } : nil
        query.filter = filter.flatMap { TextFilter(ByteText($0), in: field.flatMap { ContentPath(ByteText($0)) }) }
        query.values = values.compactMap(Self.valueFilter)
        query.isStarred = isStarred
        query.kind = kind.map { ByteText($0) }
        query.sort = sort.flatMap(Self.order)
        return query
    }

    private static func valueFilter(_ text: String) -> ValueFilter? {
        let parts = ByteText(text).split(at: ":", splitsMax: 1)
        guard parts.count == 2, let path = path(parts[0]), let json = try? JSONValue(parsing: Array(parts[1].utf8)),
            let value = ContentValue(json)
        else { return nil }
        return ValueFilter(path, is: value)
    }

    private static func order(_ text: String) -> ListDiff.SortOrder? {
        let ascending = ByteText(text).dropping(prefix: "-")
        return path(ascending ?? ByteText(text)).map { ListDiff.SortOrder($0, isDescending: ascending != nil) }
    }

    private static func path(_ text: ByteText) -> ContentPath? {
        text.dropping(prefix: "content.").flatMap { ContentPath($0) }
    }
}
