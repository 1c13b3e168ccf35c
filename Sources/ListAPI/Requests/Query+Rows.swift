internal import JSONValue
internal import ListDiff
internal import ListModel
internal import ListWire
internal import Texts

// The parameters that select and order rows (docs/contract.md section 8).

extension Query {
    /// The greatest length of a search text in bytes, because each row is compared with it.
    private static let filterBytesMax = 256
    private static let beforeDefault = 20
    private static let afterDefault = 60

    /// - Throws: `invalid` for a value that is not understood, and for a parameter that needs another parameter.
    func rows() throws(Problem) -> RowQuery {
        var rows = RowQuery(try view(orElse: hasWindow ? .visible : .items))
        rows.expanded = try expanded(rows.view)
        rows.sections = try sections()
        rows.filter = try filter(.filter)
        rows.isStarred = try starred()
        rows.kind = try kind()
        rows.values = try valueFilters()
        rows.sort = try sort()
        rows.window = try window()
        return rows
    }

    /// The query whose rows the client saw before: the same one, but with the filter in `previousFilter`.
    func previousRows(than rows: RowQuery) throws(Problem) -> RowQuery {
        guard self[.previousFilter] != nil else { return rows }
        var previous = rows
        previous.filter = try filter(.previousFilter)
        return previous
    }

    func expanded(_ view: View) throws(Problem) -> NamedIDs<ItemNamespace>? {
        guard let values = all(.expanded) else { return nil }
        guard view == .visible else {
            throw .parameter("expanded", #"It needs view=visible: add that, or leave "expanded" out."#)
        }
        // An empty value stands for a viewer who has expanded nothing.
        return try identifiers(.expanded, values.filter { !$0.isEmpty })
    }

    func sections() throws(Problem) -> NamedIDs<SectionNamespace>? {
        guard let values = all(.section) else { return nil }
        return try identifiers(.section, values)
    }

    private func identifiers<Namespace>(
        _ parameter: QueryParameter, _ values: [ByteText]
    ) throws(Problem) -> NamedIDs<Namespace> {
        var ids: Set<Identifier<Namespace>> = []
        for value in values {
            guard let id = Identifier<Namespace>(value) else {
                throw .parameter(ByteText(parameter.rawValue), "An id is \(WireFormat.id.rawValue).")
            }
            ids.insert(id)
        }
        return NamedIDs(ids)
    }

    private func filter(_ parameter: QueryParameter) throws(Problem) -> TextFilter? {
        try textFilter(parameter, in: try path(.field, self[.field]))
    }

    /// The search text of a parameter; nil if there is none or it is empty.
    func textFilter(_ parameter: QueryParameter, in field: ContentPath? = nil) throws(Problem) -> TextFilter? {
        guard let text = self[parameter] else { return nil }
        guard text.utf8.count <= Self.filterBytesMax else {
            throw .parameter(ByteText(parameter.rawValue), "It has at most \(Self.filterBytesMax) bytes.")
        }
        return TextFilter(text, in: field)
    }

    private func starred() throws(Problem) -> Bool? {
        self[.starred] == nil ? nil : try flag(.starred)
    }

    func valueFilters() throws(Problem) -> [ValueFilter] {
        let texts = all(.where) ?? []
        guard texts.count <= ValueFilter.countMax else {
            throw .parameter("where", "It may be given at most \(ValueFilter.countMax) times.")
        }
        var values: [ValueFilter] = []
        for text in texts { values.append(try ValueFilter(parameter: text)) }
        return values
    }

    func kind() throws(Problem) -> ByteText? {
        guard let value = self[.kind] else { return nil }
        guard Item.isKind(value) else { throw .parameter("kind", "A kind is \(WireFormat.kind.rawValue).") }
        return value
    }

    func sort() throws(Problem) -> SortOrder? {
        guard let value = self[.sort] else { return nil }
        let ascending = value.dropping(prefix: "-")
        guard let path = try path(.sort, (ascending ?? value).dropping(prefix: "content.")) else {
            throw .parameter(
                "sort",
                "It names a member of the content: sort=content.name, or sort=-content.name for the reverse order.")
        }
        return SortOrder(path, isDescending: ascending != nil)
    }

    func path(_ parameter: QueryParameter, _ text: ByteText?) throws(Problem) -> ContentPath? {
        guard let text else { return nil }
        guard let path = ContentPath(text) else {
            throw .parameter(ByteText(parameter.rawValue), "It has names of members, joined by dots.")
        }
        return path
    }

    func window() throws(Problem) -> Window? {
        let before = try windowCount(.before)
        let after = try windowCount(.after)
        guard let middle = try middle() else {
            guard before == nil, after == nil else {
                throw .parameter("around", Self.windowForm)
            }
            return nil
        }
        return Window(around: middle, before: before ?? Self.beforeDefault, after: after ?? Self.afterDefault)
    }

    /// Whether the rows are those of a window.
    var hasWindow: Bool { self[.around] != nil || self[.row] != nil }

    private func middle() throws(Problem) -> Window.Middle? {
        let row = try count(.row, in: 0...(1 << 53 - 1), meaning: Self.rowForm)
        guard let around = self[.around] else { return row.map { .row($0) } }
        guard row == nil else {
            throw .parameter("row", #"A window is around an item or around a row: leave "row" or "around" out."#)
        }
        guard let anchor = ItemID(around) else {
            throw .parameter("around", "An item id is \(WireFormat.id.rawValue).")
        }
        return .item(anchor)
    }

    private static let rowForm = """
        It is the number of a row of the view, from 0 on: row=500000&before=20&after=60 answers a window around it, \
        and "start" and "total" in it say where it is.
        """
}

extension ValueFilter {
    /// The names of the parameters that select items by something other than their content.
    private static let parameters: [ByteText] = ["starred", "kind", "section"]
    private static let form = Problem.parameter(
        "where", "It has the form content.name:value, such as content.done:false.")
    private static let noNegation = Problem.parameter(
        "where",
        """
        There is no "not" and no "or": several "where" must all hold. where=content.done:false selects false alone, and \
        where=content.done:null what is null or has no such member; two requests give both. starred=false selects what \
        has no star.
        """)

    /// How many values a query may compare.
    static let countMax = 8
    private static let bytesMax = 512

    /// Reads a value of the parameter `where`, such as `content.done:false`: `content.`, a path, a colon and a JSON
    /// literal.
    ///
    /// - Throws: `invalid` for anything else. The detail says how a string is quoted.
    init(parameter text: ByteText) throws(Problem) {
        guard text.utf8.count <= Self.bytesMax else {
            throw .parameter("where", "It has at most \(Self.bytesMax) bytes.")
        }
        let parts = text.split(at: ":", splitsMax: 1)
        guard parts.count == 2, let path = parts[0].dropping(prefix: "content.").flatMap({ ContentPath($0) }),
            let json = try? JSONValue(parsing: Array(parts[1].utf8))
        else { throw Self.misread(text, parts) }
        guard let value = ContentValue(json) else {
            throw .parameter(
                "where",
                "The value is a string in double quotes, a number, true, false or null: no object and no array.")
        }
        self.init(path, is: value)
    }

    /// The problem with a filter that cannot be read.
    ///
    /// - Parameter parts: The text before the first colon and the text after it; only one part if there is no colon.
    private static func misread(_ text: ByteText, _ parts: [ByteText]) -> Problem {
        let isWithoutColon = parts.count == 1
        let isNegated = text.hasPrefix("!") || parts.last?.hasPrefix("!") == true
        if isNegated || isWithoutColon && text.utf8.contains(UInt8(ascii: "!")) { return noNegation }
        guard !isWithoutColon, ContentPath(parts[0]) != nil else { return form }
        guard !parts[0].hasPrefix("content.") else {
            return .parameter(
                "where",
                "The value is not JSON. A string goes in double quotes, %22 in an address: content.name:\"Apple\".")
        }
        guard KnownNames.isShown(text) else { return form }
        guard parameters.contains(parts[0]) else {
            return .parameter("where", #"A path begins with "content", as in where=content.\#(text)."#)
        }
        let value = parts[1].trimmed { $0 == UInt8(ascii: "\"") }
        return .parameter(
            "where",
            "It looks into the content alone, and \(parts[0]) is no part of that: send \(parts[0])=\(value) instead.")
    }
}
