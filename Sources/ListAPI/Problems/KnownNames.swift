internal import Texts

/// The names that may stand somewhere in a request, beside the one that was sent there.
struct KnownNames: Sendable, Equatable {
    let sent: ByteText
    let known: [ByteText]

    init(_ sent: ByteText, among known: [ByteText]) {
        self.sent = sent
        self.known = known
    }

    init(_ sent: ByteText, among known: [String]) {
        self.init(sent, among: known.map { ByteText($0) })
    }

    /// In bytes: a longer name is neither compared nor told.
    private static let bytesMax = 64

    /// A sentence has no more names than these; `known` of a fault has them all.
    private static let toldMax = 16

    private var isShort: Bool { sent.utf8.count <= Self.bytesMax }

    /// Such as `Unknown member "befor". Did you mean "before"? Known here: before, after.`
    ///
    /// - Parameter what: `member`, say.
    func sentence(_ what: String) -> String {
        var sentences = [isShort ? "Unknown \(what) \"\(sent)\"." : "Unknown \(what)."]
        if let nearest { sentences.append("Did you mean \"\(nearest)\"?") }
        if let advice { sentences.append(advice) }
        if known.isEmpty {
            sentences.append("No \(what) is known here.")
        } else if known.count <= Self.toldMax {
            sentences.append("Known here: \(known.map { "\($0)" }.joined(separator: ", ")).")
        } else {
            sentences.append("errors has what is known here.")
        }
        return sentences.joined(separator: " ")
    }

    /// The name that was probably meant: another word for it, one with letters wrong, or one that begins alike.
    var nearest: ByteText? {
        guard isShort, !sent.isEmpty else { return nil }
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
        (["version", "baseversion", "ifmatch"], ["base", "since", "at"]),
        (["message", "comment", "description"], ["label"]),
        (["order", "ids", "items"], ["final"]),
        (["diff"], ["difference"]),
        (["index"], ["offset"]),
        (["id"], ["item", "section", "element"]),
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
    /// Advice where another name alone would not help.
    private var advice: String? {
        if Self.positions.contains(sent), known.contains("before") || known.contains("content") {
            return "Places are named by ids, never by indexes: before or after stand beside items."
        }
        if known.contains("content"), nearest == nil {
            let name = isShort ? sent : "name"
            return #"Values of your own stand in "content": {"content":{"\#(name)":…}}."#
        }
        if sent == "op", known.contains("operations") {
            return #"Operations stand in an array: {"operations":[{"op":…}]}."#
        }
        if sent == "items", known.contains("sections") {
            return #"Items stand in sections: {"sections":[{"id":"main","items":[…]}]}."#
        }
        if known.contains("title"), !known.contains("items"), !known.contains("sections"), !known.contains("op") {
            if sent == "items" { return "Items are added with POST /v1/lists/{list}/items." }
            if sent == "sections" { return "PUT /v1/lists/{list} takes whole sections." }
        }
        if known.contains("title"), Self.ofItems.contains(sent) {
            return "That is an item's: PATCH /v1/lists/{list}/items/{item}, or PUT …/items/{item}/star."
        }
        return nil
    }

    private static let positions: [ByteText] = ["position", "index", "pos", "offset", "toIndex", "to", "rank", "order"]
    private static let ofItems: [ByteText] = ["starred", "expanded", "content", "kind", "parent", "text", "done"]
}
