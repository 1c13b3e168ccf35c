public import ClientState
import ListDiff
public import ListModel
import Texts

/// A list as it was at a version.
public struct PastList<Content: Codable & Sendable>: Sendable {
    /// A row, also one whose ancestors were collapsed.
    public struct Row: Sendable {
        /// The item with its flags.
        public let item: Item
        /// The content; nil if it is no `Content`.
        public let content: Content?
        /// The item around this one; nil for an item of the section itself.
        public let parent: ItemID?
        /// The number of ancestors.
        public let level: Int
    }

    /// A section with all its rows.
    public struct Section: Sendable {
        /// The title, the layout, the header and the footer.
        public let properties: SectionProperties
        /// All rows, in order.
        public let rows: [Row]
    }

    /// The version.
    public let version: Version
    /// The title and the layout of the list.
    public let properties: ListProperties
    /// The sections in list order.
    public let sections: [Section]

    init(_ snapshot: ListSnapshot) {
        let state = snapshot.state
        (version, properties) = (snapshot.version, state.properties)
        sections = state.sectionHandles.map { section in
            Section(
                properties: state[section],
                rows: state.rows(of: section).map { row in
                    Row(
                        item: state[row], content: ListEdit<Content>.content(state[row].content),
                        parent: state.parent(of: row).map { state.id(of: $0) }, level: state.level(of: row))
                })
        }
    }
}

extension LiveList {
    /// The newest transactions of the list, newest first.
    ///
    /// - Parameter limit: The most transactions; nil for as many as the server gives.
    /// - Throws: `ServerProblem`, or an error of the network.
    public func history(limit: Int? = nil) async throws -> [ListTransaction] {
        let query = limit.map { "?limit=\($0)" } ?? ""
        return try ListTransaction.page(answer: await get("/transactions\(query)"))
    }

    /// The list as it was at a version.
    ///
    /// - Throws: `ServerProblem`, with the code `version_gone` if the server has not kept the version; or an error of
    ///   the network.
    public func at(_ version: Version) async throws -> PastList<Content> {
        PastList(try ListSnapshot(answer: await get("?at=\(version)")))
    }

    private func get(_ rest: String) async throws -> [UInt8] {
        guard let client = core.client, !client.isClosed else {
            throw ServerProblem(.closed, "The list or its client is closed.")
        }
        let (head, body) = try await client.wire.send(WireRequest("GET", "/v1/lists/\(id)\(rest)"))
        guard head.code == 200 else { throw (try? ServerProblem(answer: body)) ?? ServerProblem(status: head.code) }
        return body
    }
}
