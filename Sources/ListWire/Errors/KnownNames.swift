import ListModel
package import Texts

/// The names that are allowed at a place of a request, and the name that was sent there.
///
/// A problem has all allowed names as `known`. Its sentences have the one that was probably meant, or all if they are
/// few.
package struct KnownNames: Sendable, Equatable {
    package let sent: ByteText
    package let known: [ByteText]
    /// Allowed names that were sent as well. The unknown name cannot have been meant for one of these.
    private let present: [ByteText]
    /// The value that was sent with the name, as JSON; nil if it must not be repeated.
    let value: ByteText?

    package init(
        _ sent: ByteText, among known: [ByteText], besides present: [ByteText] = [], value: ByteText? = nil
    ) {
        self.sent = sent
        self.known = known
        self.present = present
        self.value = value
    }

    init(_ sent: ByteText, among known: [String]) {
        self.init(sent, among: known.map { ByteText($0) })
    }

    /// The greatest length in bytes of a name that is compared and shown.
    static let bytesMax = 64

    private var isShort: Bool { sent.utf8.count <= Self.bytesMax }

    /// Whether a name that was sent is shown: it is short and has no control characters.
    package static func isShown(_ name: ByteText) -> Bool {
        // Ids have no control characters.
        name.isEmpty || (name.utf8.count <= bytesMax && ItemID(name) != nil)
    }

    /// A sentence such as `Unknown member "befor". Did you mean "before"?`
    ///
    /// - Parameter what: The kind of the name, such as `member`.
    package func sentence(_ what: String) -> String {
        let unknown = Self.isShown(sent) ? "Unknown \(what) \"\(sent)\"." : "Unknown \(what)."
        return meant.map { "\(unknown) Did you mean \"\($0)\"?" } ?? unknown
    }

    /// The name that was probably meant, if the sentence asks for it; nil if there is advice instead.
    package var meant: ByteText? { advice == nil ? nearest : nil }

    /// A sentence that says how to correct the request, or which names are allowed; nil if the name that was meant is
    /// enough.
    package var howTo: String? {
        if let advice { return advice }
        if let words = Self.words.first(where: { $0.known == known }) { return words.sentence }
        let others = known.filter { !present.contains($0) }
        guard !others.isEmpty else {
            return known.isEmpty ? "This resource takes no parameters: leave it out." : "Leave it out."
        }
        guard nearest == nil else { return nil }
        let few = Self.alternatives(others)
        return few.map { "It can be \($0)." } ?? #""known" in "errors" lists all names that are allowed here."#
    }

    /// Sentences that say what is wrong and how to correct it.
    ///
    /// - Parameter what: The kind of the name, such as `member`.
    package func detail(_ what: String) -> String {
        [sentence(what), howTo].compactMap { $0 }.joined(separator: " ")
    }

    /// Sets of words of which each word needs an explanation.
    private static let words: [(known: [ByteText], sentence: String)] = [
        (
            ["items", "visible"],
            """
            It can be "items" (every item) or "visible" (only those whose parents are all expanded). There is no nested \
            form: in both, a child follows its parent and names it in "parent".
            """
        ),
        (
            ["list", "grid", "orthogonal"],
            #"It can be "list" (rows), "grid" (cells, as "group" says) or "orthogonal" (cards that scroll sideways)."#
                + #" "group" may be left out. \#(LayoutForm.grid.advice)"#
        ),
    ]

    /// The names as `"first" or "last"`; nil if they are too many for a sentence.
    static func alternatives(_ names: [ByteText]) -> String? {
        guard (1...4).contains(names.count), let last = names.last else { return nil }
        let others = names.dropLast().map { "\"\($0)\"" }.joined(separator: ", ")
        return others.isEmpty ? "\"\(last)\"" : "\(others) or \"\(last)\""
    }

    /// The name that was probably meant: one that people call by the sent word, one with a few other letters, or one
    /// with the same beginning.
    var nearest: ByteText? {
        guard isShort, !sent.isEmpty else { return nil }
        let known = present.isEmpty ? known : known.filter { !present.contains($0) }
        let lower = sent.lowercasedASCII
        if let same = known.first(where: { $0.lowercasedASCII == lower }) { return same }
        for (words, meant) in Self.otherWords where words.contains(lower) {
            if let name = meant.first(where: known.contains) { return name }
        }
        let most = max(1, min(3, lower.utf8.count / 3))
        let distances = known.map { ($0, lower.distance(to: $0.lowercasedASCII)) }
        if let closest = distances.min(by: { $0.1 < $1.1 }), closest.1 <= most { return closest.0 }
        guard lower.utf8.count >= 3 else { return nil }
        return known.first {
            $0.lowercasedASCII.hasPrefix(lower) || $0.utf8.count >= 3 && lower.hasPrefix($0.lowercasedASCII)
        }
    }

    /// Names that newcomers write, in lower case, with the names that they may mean here. The first of these that is
    /// allowed is taken.
    private static let otherWords: [(words: [ByteText], meant: [ByteText])] = [
        (["operation", "type", "action", "command", "method"], ["op"]),
        (["ops", "transaction", "actions", "commands", "changes", "edits", "patches", "steps"], ["operations"]),
        (["name", "label", "heading"], ["title"]),
        (["item", "row", "rows", "ids", "itemids", "itemid", "entries", "elements", "nodes"], ["items", "item"]),
        (["children"], ["items"]),
        (["group", "groups", "sectionid", "sectionids"], ["section", "sections"]),
        (["data", "body", "payload", "value", "values", "fields", "attributes", "properties"], ["content"]),
        (["type", "cell", "class"], ["kind"]),
        (["parentid", "into", "under"], ["parent"]),
        (["star", "favorite", "favourite", "isstarred", "flagged"], ["starred"]),
        (["collapsed", "open", "isexpanded"], ["expanded"]),
        (["to", "target", "destination"], ["before"]),
        (["version", "id", "revision"], ["transaction"]), (["at", "to", "transaction", "revision"], ["version"]),
        (["version", "baseversion", "ifmatch"], ["base", "since", "at"]),
        (["message", "comment", "description"], ["label"]),
        (["order", "ids", "items"], ["final"]),
        (["diff"], ["difference"]),
        (["index"], ["offset"]),
        (["id"], ["item", "element", "items", "section", "sections"]),
        (["section", "item", "key", "uid", "uuid"], ["id"]),
        // Operations.
        (["add", "additem", "additems", "create", "push", "new"], ["appendItems"]),
        (["insert"], ["insertItems"]),
        (["delete", "remove", "removeitem", "removeitems", "deleteitem"], ["deleteItems"]),
        (["clear", "deleteall", "removeall"], ["deleteAllItems"]),
        (["move", "reorder", "moveitems"], ["moveItem"]),
        (["update", "edit", "set", "patch", "replace", "change"], ["updateItem"]),
        (["star", "favorite", "togglestar"], ["starItems"]),
        (["unstar"], ["unstarItems"]),
        (["expand"], ["expandItems"]),
        (["collapse"], ["collapseItems"]),
        (["addsection", "addsections", "createsection"], ["appendSections"]),
        (["removesection", "removesections"], ["deleteSections"]),
        (["rename", "settitle"], ["updateList"]),
        (["snapshot", "apply"], ["applySnapshot"]),
        // Parameters.
        (["q", "query", "search", "text"], ["filter"]),
        (["order", "orderby", "order_by", "sortby", "sort_by"], ["sort"]),
        (["from", "after", "base", "rev", "revision", "last"], ["since"]),
        (["count", "size", "per_page", "pagesize", "page_size", "max", "top"], ["limit"]),
        (["page", "offset", "skip", "token", "start"], ["cursor"]),
        (["timeout", "poll", "longpoll"], ["wait"]),
        (["dry_run", "dry-run", "preview"], ["dryRun"]),
        (["lists"], ["list"]),
        (["favorites", "star"], ["starred"]),
    ]
}

// MARK: - Advice

extension KnownNames {
    /// A mistake that another name alone would not correct. It is recognized by the sent name and by the names that are
    /// allowed beside it.
    private struct Advice {
        let sent: [ByteText]
        /// All of these names are allowed there.
        let here: [ByteText]
        /// No name of these is allowed there.
        let elsewhere: [ByteText]
        let sentence: String

        init(_ sent: [ByteText], _ here: [ByteText], not elsewhere: [ByteText] = [], _ sentence: String) {
            self.sent = sent
            self.here = here
            self.elsewhere = elsewhere
            self.sentence = sentence
        }

        func fits(_ names: KnownNames) -> Bool {
            sent.contains(names.sent) && here.allSatisfy(names.known.contains)
                && !elsewhere.contains(where: names.known.contains)
        }
    }

    private static let positions: [ByteText] = [
        "position", "index", "pos", "offset", "toIndex", "newIndex", "to", "rank", "order",
    ]
    private static let neighbours: [ByteText] = ["before", "after", "section", "parent"]
    private static let places = neighbours + ["at"]
    private static let ofItems: [ByteText] = ["starred", "expanded", "content", "kind", "parent", "text", "done"]
    private static let ofOneItem: [ByteText] = ["item", "id", "content", "kind", "starred", "expanded", "children"]
    private static let children: [ByteText] = ["children", "items", "subitems"]
    private static let child =
        #"A child comes after its parent in "items" and names it: {"id":"skimmed","parent":"milk"}."#

    private static let first = #"To put it first, set "before" to the id of the item that is first now."#
    private static let later = #"Set "before" to the id of the item that has index {value} in its section now."#
    private static let quotes = "Write double quotes as %22 in an address."
    /// How the pages of an answer are read.
    package static let paging = """
        Begin with "limit" and without "cursor". Then follow the header Link with rel="next" of each answer as it is: \
        the server makes the cursor in it. The last page has no such header.
        """
    // Items that were sent are not repeated here, because a list that is replaced would have only those.
    private static let inSections = #"Items go in sections: {"sections":[{"id":"main","items":[…]}]}."#

    /// The first row that fits is taken. `{name}` and `{value}` stand for the name and the value that were sent, and
    /// `{place}` and `{index}` for the value as a place and as an index.
    private static let advice = [
        // Bodies that name a place.
        Advice(
            positions + places, ["content", "kind"], not: ["id", "op"],
            """
            PATCH leaves an item where it is. To move it, POST /v1/lists/{list}/transactions with \
            {"operations":[{"op":"moveItem","item":"{item}",{place}}]}.
            """),
        Advice(
            positions + places, ["content", "op"],
            #"updateItem leaves an item where it is. To move it, send {"op":"moveItem","item":"…",{place}}."#),
        Advice(
            positions + ["at"], ["before"], not: ["around", "parent"],
            #"A place is named by the id of a neighbour, never by an index: {"before":"fruit"} or {"after":"fruit"}."#),
        Advice(
            ["at"], ["before"], not: ["around"],
            #"Only moveItem has "at": leave it out. \#(first) \#(WireError.neighbours)"#),
        Advice(positions, ["before", "at"], not: ["around"], WireError.destination),
        Advice(
            positions, ["before"], not: ["around"],
            "A place is named by the id of a neighbour, never by an index. {index} \(WireError.neighbours)"),
        Advice(
            positions + ["before", "after", "at"], ["op", "items", "section"],
            """
            appendItems puts items at the end. To put them beside another item, send \
            {"op":"insertItems","items":[…],{place}}.
            """),
        Advice(
            positions + ["before", "after", "at"], ["op", "sections"], not: ["title"],
            """
            appendSections puts sections at the end. To put them beside another section, send \
            {"op":"insertSections","sections":[…],"before":"fruit"}.
            """),
        Advice(
            positions + ["before", "after", "section", "at"], ["content", "id"],
            #"The place of new items goes beside "items": {"items":[…],{place}}. Your own values go in "content"."#),
        // Items, sections and operations that are not in an array.
        Advice(
            ofOneItem, ["items", "section", "parent"], not: ["content"],
            #"Items go in an array: {"items":[{"id":"bread","content":{"name":"Bread"}}]}. Both members are optional."#),
        Advice(
            ["op"], ["operations"],
            #"Operations, each with all its members, go in an array: {"operations":[{"op":{value},…}]}."#),
        Advice(
            ["item", "id"], ["op", "parent", "items"], not: ["section"],
            """
            Did you mean "parent"? {"op":"replaceChildren","parent":{value},"items":[…]} replaces its children, and \
            deletes those that are left out.
            """),
        Advice(
            ["items", "final", "difference", "order", "section"], ["view", "sections"],
            #"An order goes under its section: {"sections":{"fruit":{"final":["apple","pear"]}}}."#),
        Advice(
            ["items"], ["op", "sections", "title"],
            "\(inSections) applySnapshot replaces the whole list: sections and items that are left out are deleted."),
        Advice(["items"], ["sections", "title"], inSections),
        Advice(children, ["content", "parent", "level"], child),
        Advice(
            children, ["content", "parent"],
            child + #" If the list has the parent already: {"parent":"milk","items":[{"id":"skimmed"}]}."#),
        // Members that belong to something else.
        Advice(
            ["starred"], ["op", "items"], not: ["parent", "content"],
            #"starItems sets stars, and unstarItems removes them: leave "starred" out."#),
        Advice(
            ["starred", "expanded"], ["base"], not: ["content", "title", "items", "operations", "sections"],
            "No body is needed. PUT /v1/lists/{list}/items/{item}/star sets a star, and DELETE removes it."),
        Advice(
            ["id"], ["title"], not: ["id", "section", "sections"],
            #"An id stays as it is. To change the name that is shown: {"title":{value}}."#),
        Advice(
            ["version", "to"], ["transaction"], not: ["content"],
            """
            Did you mean "transaction"? That takes back this one transaction. To return to the state of a version, \
            POST /v1/lists/{list}/restore with {"version":{value}}: all later edits are taken back, too.
            """),
        Advice(
            ["to", "at", "transaction", "revision"], ["version"], not: ["title"],
            """
            Did you mean "version"? \(WireError.restored) To take back one transaction alone, \
            POST /v1/lists/{list}/undo with {"transaction":{value}}.
            """),
        Advice(
            ["items"], ["title"], not: ["sections", "op"],
            """
            POST /v1/lists/{list}/items with the same body adds items at the end, and moves there those that the list \
            has; PATCH /v1/lists/{list}/items/{item} changes one.
            """),
        Advice(
            ["sections"], ["title"], not: ["op"],
            "PUT /v1/lists/{list}/sections/{section} with {} makes a section."),
        Advice(
            ["starred"], ["title"],
            """
            Only items can be starred: POST /v1/lists/{list}/transactions with \
            {"operations":[{"op":"starItems","items":[…]}]}. GET /v1/lists/{list} has their ids.
            """),
        Advice(ofItems, ["title"], "It belongs to an item: PATCH /v1/lists/{list}/items/{item} changes one."),
        // Parameters.
        Advice(
            ["offset", "page", "skip", "start"], ["cursor"],
            paging),
        Advice(
            places + ["items", "base", "onLostBase", "label", "content", "title", "animated", "operations"], ["dryRun"],
            #"It is not a parameter: it goes in the body, {"{name}":{value}}."#),
        Advice(
            ["done", "name", "text", "title", "content", "value", "id", "price"], ["where"],
            "where=content.{name}:{value} selects rows by a value of their content. \(quotes)"),
        Advice(
            ["q", "query", "search"], ["filter", "where"],
            """
            Did you mean "filter"? filter=pear finds a text anywhere in the content, and where=content.name:{value} an \
            exact value. \(quotes)
            """),
    ]

    /// Advice for a client's own values, by a name that is allowed beside the content. The first row that fits is
    /// taken.
    private static let ownValues: [(beside: ByteText, form: String)] = [
        ("merge", #"{"content":{"{name}":{value}},"merge":true}. Without "merge":true the other values are deleted."#),
        ("id", #"{"content":{"{name}":{value}}}."#),
        ("content", #"{"content":{"{name}":{value}}}. The other values of the content stay."#),
    ]

    /// A sentence that corrects the request, if another name alone would not; nil if there is none.
    var advice: String? {
        if let advice = Self.advice.first(where: { $0.fits(self) }) { return filled(advice.sentence) }
        guard nearest == nil else { return nil }
        if known.contains("content"), let own = Self.ownValues.first(where: { known.contains($0.beside) }) {
            return filled(#"Your own values go in "content": \#(own.form)"#)
        }
        if known == ["view", "sections", "base", "onLostBase", "label", "animated"] {
            return filled(#"Sections go in "sections": {"sections":{"{name}":{"final":["apple","pear"]}}}."#)
        }
        return nil
    }

    private func filled(_ sentence: String) -> String {
        let name = Self.isShown(sent) ? "\(sent)" : "name"
        let value = value.map { "\($0)" } ?? "…"
        let isPlace = Self.neighbours.contains(sent) && self.value?.hasPrefix("\"") == true
        let isLater = value.utf8.first.map { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } ?? false
        return sentence.replacing("{place}", with: isPlace ? "\"\(name)\":\(value)" : #""before":"apple""#)
            .replacing("{index}", with: isLater ? Self.later : Self.first)
            .replacing("{name}", with: name).replacing("{value}", with: value)
    }
}
