internal import Access
internal import JSONValue
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd

/// One request as its endpoint gets it.
struct Call {
    let head: RequestHead
    let body: Body
    let endpoint: Endpoint
    let arguments: Router.Arguments
    let query: Query
    let preferences: Preferences
    let trace: Trace
    let caller: Caller
    /// The access book that says what the caller may do; nil if the server has none.
    let book: OpenBook?
    let pace: Write.Pace
    /// Nil if only this server writes to lists, or the call does not write.
    let retry: WriteRetry?
    var freshness: Freshness
    /// The client's own number of the write; nil if it has none.
    var number: WriteNumber?

    /// The list that the path names.
    ///
    /// - Throws: `invalid_id` if no list can have this name.
    func listID() throws(Problem) -> ListID {
        guard let id = arguments.first.flatMap({ ListID($0) }) else {
            throw .invalid(.list, arguments.first, isNew: endpoint == .putList)
        }
        return id
    }

    func sectionID() throws(Problem) -> SectionID {
        guard let id = arguments.last.flatMap({ SectionID($0) }) else { throw .invalid(.section) }
        return id
    }

    func itemID() throws(Problem) -> ItemID {
        guard let id = arguments.last.flatMap({ ItemID($0) }) else { throw .invalid(.item) }
        return id
    }
}

extension Problem {
    static var noSuchList: Problem {
        Problem(.notFound, "There is no such list: GET /v1/lists returns all of them, PUT /v1/lists/{list} makes one.")
    }
    static func noSuchSection(_ id: SectionID) -> Problem {
        Problem(.notFound, "The list has no section \(shown(id.rawValue)): GET /v1/lists/{list} returns all of them.")
    }
    static func noSuchItem(_ id: ItemID) -> Problem {
        Problem(.notFound, "The list has no item \(shown(id.rawValue)): GET /v1/lists/{list} returns all of them.")
    }

    /// The id in quotes, if it is short.
    private static func shown(_ id: ByteText) -> ByteText { JSONValue.string(id).shown ?? "with this id" }

    /// How the item that a request names is made; nil if its id is long.
    static func making(_ id: ItemID) -> ByteText? {
        JSONValue.string(id.rawValue).shown.map {
            #"To make it, POST /v1/lists/{list}/items with {"items":[{"id":\#($0)}]}."#
        }
    }

    /// The thing that the path of a request names.
    enum Named: String {
        case list, section, item
    }

    /// The problem of an id in the path that is malformed.
    ///
    /// - Parameters:
    ///   - sent: The id that was sent. The detail suggests one that is like it, if a list can have that. Nil for no
    ///     suggestion.
    ///   - isNew: Whether the client may want to create a list with the request.
    static func invalid(_ named: Named, _ sent: ByteText? = nil, isNew: Bool = false) -> Problem {
        let near = sent.flatMap(listID(like:))
        let title = sent.flatMap { JSONValue.string($0).shown } ?? #""My List""#
        let new = """
            PUT /v1/lists/\(near?.rawValue ?? "my-list") with "title":\(title) in the body makes it; if that list is \
            there, it is replaced. The header If-None-Match: * prevents that.
            """
        let advice = isNew ? " \(new)" : near.map { " Did you mean \($0)?" } ?? ""
        let rule =
            switch named {
            case .list:
                """
                \(WireFormat.listID.rawValue). A name with other characters is its title. GET /v1/lists has the ids of all \
                lists.
                """
            case .section, .item:
                """
                \(WireFormat.id.rawValue). Percent-encode characters beyond ASCII, and write / as %2F. \
                GET /v1/lists/{list} has the ids.
                """
            }
        return Problem(.invalidID, "The id of \(named == .item ? "an" : "a") \(named.rawValue) is \(rule)\(advice)")
    }

    /// The name in lower case, with a hyphen in the place of characters that the id of a list cannot have; nil if that
    /// is no id.
    private static func listID(like name: ByteText) -> ListID? {
        let words = name.lowercasedASCII.utf8.split { !Item.isKind(ByteText(decoding: [$0])) }
        return ListID(words.map { ByteText($0) }.joined(separator: "-"))
    }
}
