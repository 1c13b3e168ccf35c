internal import Texts

/// The names that may stand somewhere in a request, beside the one that was sent there.
///
/// A problem has all of them once, as `known`, and in its prose only the one that was probably meant.
struct KnownNames: Sendable, Equatable {
    let sent: ByteText
    let known: [ByteText]
    /// Those that stand there already, so that they cannot be meant.
    private let present: [ByteText]

    init(_ sent: ByteText, among known: [ByteText], besides present: [ByteText] = []) {
        self.sent = sent
        self.known = known
        self.present = present
    }

    init(_ sent: ByteText, among known: [String]) {
        self.init(sent, among: known.map { ByteText($0) })
    }

    /// In bytes: a longer name is neither compared nor told.
    private static let bytesMax = 64

    private var isShort: Bool { sent.utf8.count <= Self.bytesMax }

    /// Whether a name that was sent is told: it is short, and has no control characters.
    static func isShown(_ name: ByteText) -> Bool {
        name.utf8.count <= bytesMax && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Such as `Unknown member "befor". Did you mean "before"? "known" has all that may stand here.`
    ///
    /// - Parameter what: `member`, say.
    func sentence(_ what: String) -> String {
        var sentences = [Self.isShown(sent) ? "Unknown \(what) \"\(sent)\"." : "Unknown \(what)."]
        if let advice {
            sentences.append(advice)
        } else if let nearest {
            sentences.append("Did you mean \"\(nearest)\"?")
        }
        sentences.append(
            known.isEmpty ? "No \(what) is known here: leave it out." : "\"known\" has all that may stand here.")
        return sentences.joined(separator: " ")
    }

    /// The name that was probably meant: another word for it, one with letters wrong, or one that begins alike.
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

    /// Names that newcomers write, in lower case, and the names that they have here; of several the first that is known.
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
    /// A mistake that another name alone would not mend: a name, known by what is known beside it.
    private struct Advice {
        let sent: [ByteText]
        /// All of these are known there.
        let here: [ByteText]
        /// None of these is.
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
    private static let places: [ByteText] = ["before", "after", "section", "parent", "at"]
    private static let ofItems: [ByteText] = ["starred", "expanded", "content", "kind", "parent", "text", "done"]
    private static let ofOneItem: [ByteText] = ["item", "id", "content", "kind", "starred", "expanded", "children"]

    /// The first that fits counts.
    private static let advice = [
        // Bodies that say where.
        Advice(
            positions + places, ["content", "kind"], not: ["id", "op"],
            """
            PATCH leaves an item where it is. POST /v1/lists/{list}/transactions with \
            {"operations":[{"op":"moveItem","item":"pear","before":"apple"}]} moves it.
            """),
        Advice(
            positions + places, ["content", "op"],
            #"updateItem leaves an item where it is: {"op":"moveItem","item":"pear","before":"apple"} moves it."#),
        Advice(
            positions + ["at"], ["before"], not: ["around"],
            #"Places are named by ids, never by indexes: {"before":"apple"} or {"after":"apple"}."#),
        Advice(
            positions + ["before", "after", "at"], ["op", "items", "section"],
            #"appendItems puts items at the end: {"op":"insertItems","items":[…],"before":"apple"} puts them elsewhere."#
        ),
        Advice(
            positions + ["before", "after", "at"], ["op", "sections"], not: ["title"],
            #"{"op":"insertSections","sections":[…],"before":"fruit"} puts sections elsewhere than at the end."#),
        Advice(
            positions + ["before", "after", "section", "at"], ["content", "id"],
            #"A place stands beside "items", which come there in their order; values of your own stand in "content"."#),
        // Items, sections and operations that stand alone.
        Advice(
            ofOneItem, ["items", "section", "parent"], not: ["content"],
            #"Items stand in an array: {"items":[{"id":"bread","content":{"name":"Bread"}}]}."#),
        Advice(["op"], ["operations"], "Operations stand in an array."),
        Advice(
            ["items", "final", "difference", "order", "section"], ["view", "sections"],
            #"An order stands under its section: {"sections":{"fruit":{"final":["pear","apple"]}}}."#),
        Advice(["items"], ["sections"], #"Items stand in sections: {"sections":[{"id":"main","items":[…]}]}."#),
        Advice(
            ["children", "items", "subitems"], ["content", "parent"],
            #"A child stands behind its parent and names it: {"id":"skimmed","parent":"milk"}."#),
        // Members of something else.
        Advice(
            ["starred"], ["op", "items"], not: ["parent", "content"],
            "starItems stars, and unstarItems takes stars away."),
        Advice(
            ["starred", "expanded"], ["base"], not: ["content", "title", "items", "operations", "sections"],
            "The path says it all: leave the body out."),
        Advice(["id"], ["title"], not: ["id", "section", "sections"], "An id stays what it is."),
        Advice(
            ["items"], ["title"], not: ["sections", "op"], "Items are added with POST /v1/lists/{list}/items."),
        Advice(["sections"], ["title"], not: ["op"], "PUT /v1/lists/{list} takes whole sections."),
        Advice(
            ofItems, ["title"],
            "That is an item's: PATCH /v1/lists/{list}/items/{item}, or PUT …/items/{item}/star."),
        // Parameters.
        Advice(
            ["offset", "page", "skip", "start"], ["cursor"],
            "Begin with limit alone, and then follow the Link of each answer as it is."),
        Advice(
            places + ["items", "base", "label", "content", "title", "animated", "operations"], ["dryRun"],
            "That is no parameter: it stands in the body."),
        Advice(
            ["done", "name", "text", "title", "content", "value", "id", "price"], ["where"],
            "Rows are selected by a value of their content with where=content.done:true."),
    ]

    private var advice: String? {
        if let advice = Self.advice.first(where: { $0.fits(self) }) { return advice.sentence }
        if known.contains("content"), nearest == nil {
            let name = Self.isShown(sent) ? sent : "name"
            return #"Values of your own stand in "content": {"content":{"\#(name)":…}}."#
        }
        if known == ["view", "sections", "base", "label", "animated"], nearest == nil {
            return #"Sections stand in "sections": {"sections":{"fruit":{"final":["pear","apple"]}}}."#
        }
        return nil
    }
}
