internal import HTTPTypes
internal import ListModel
internal import Microhttpd

/// One request on its way through its endpoint.
struct Call {
    let head: RequestHead
    let body: [UInt8]
    let endpoint: Endpoint
    let arguments: Router.Arguments
    let query: Query
    let preferences: Preferences
    let trace: Trace

    /// The list that the path names.
    ///
    /// - Throws: `not_found` if no list can have this name.
    func listID() throws(Problem) -> ListID {
        guard let id = arguments.first.flatMap({ ListID($0) }) else { throw .noSuchList }
        return id
    }

    func sectionID() throws(Problem) -> SectionID {
        guard let id = arguments.last.flatMap({ SectionID($0) }) else { throw .noSuchSection }
        return id
    }

    func itemID() throws(Problem) -> ItemID {
        guard let id = arguments.last.flatMap({ ItemID($0) }) else { throw .noSuchItem }
        return id
    }
}

extension Problem {
    static var noSuchList: Problem { Problem(.notFound, "There is no such list.") }
    static var noSuchSection: Problem { Problem(.notFound, "The list has no such section.") }
    static var noSuchItem: Problem { Problem(.notFound, "The list has no such item.") }
}
