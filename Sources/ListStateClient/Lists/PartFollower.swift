import ClientState
import ListDiff
public import ListModel
import Texts

/// Follows the rows of a query over a stream of its own.
@MainActor final class PartFollower {
    /// The rows, and those who show them.
    let core: ListCore
    private let feed: Feed
    private let wire: Wire
    private(set) var query: ListQuery
    /// Whether the stream is to begin with all rows of the query, because what is held does not lead to them.
    private var beginsAnew = false

    init(_ list: ListID, _ query: ListQuery, _ wire: Wire, of client: ListStateClient) {
        (self.query, self.wire) = (query, wire)
        core = ListCore(list, LocalPart(query.local), of: client)
        feed = Feed(wire)
        feed.owner = self
    }

    /// Asks for the rows of another query. Those that are shown stay until they are here.
    func want(_ query: ListQuery) {
        guard query != self.query else { return }
        self.query = query
        core.update { local in
            guard var part = local as? LocalPart else { return .changes(ChangeSet()) }
            part.want(query.local)
            local = part
            return .changes(ChangeSet())
        }
        beginsAnew = true
        connect()
    }

    func connect() { feed.connect() }

    func close() { feed.close() }
}

extension PartFollower: Feed.Owner {
    func following() -> WireRequest? {
        Feed.request(core.id, query, since: beginsAnew ? nil : core.local.version)
    }

    func note(_ state: Feed.State) {
        if state == .live, core.feedState != .live { core.client?.queue.wake() }
        core.feedState = state
        core.client?.noteState(of: core)
    }

    func take(_ event: EventReader.Event) throws(AnswerError) {
        switch try StreamEvent(event, isPart: true) {
        case .rows(_, let told): take(told)
        case .gone: lose()
        case .bye: break
        case nil:
            // Others have changed what the query does not show.
            guard event.data.isEmpty, !beginsAnew, let version = Version(event.id) else { return }
            core.update { $0.advance(to: version) }
        }
        core.client?.noteState(of: core)
    }

    private func take(_ told: ToldRows) {
        if beginsAnew || core.local.version != told.version {
            do throws(Mismatch) {
                try core.update { local throws(Mismatch) in try local.take(told) }
                beginsAnew = false
            } catch {
                beginsAnew = true
                feed.connect()
            }
        }
    }

    func refused(_ code: Int) async {
        switch code {
        case 401: note(.unauthorized)
        case 404:
            // The list is not there, or only the item of the window is not.
            guard query.window != nil else { return lose() }
            let isThere = await isThere()
            // Meanwhile other rows may be wanted.
            guard !Task.isCancelled else { return }
            switch isThere {
            case true?: note(.refused)
            case false?: lose()
            case nil: note(.offline)
            }
        case 400..<500 where code != 408 && code != 429: note(.refused)
        default: note(.offline)
        }
    }

    /// Whether the list is there; nil if that cannot be known now.
    private func isThere() async -> Bool? {
        guard let answer = try? await wire.send(WireRequest("GET", "/v1/lists/\(core.id)?limit=1")) else { return nil }
        return answer.head.code != 404
    }

    private func lose() {
        core.update { $0.empty() }
        core.note { $0.state = .gone }
        beginsAnew = true
    }
}

// MARK: - Parts of lists

extension ListStateClient {
    /// A part of a list, as soon as its rows are here: a window of a long list, or the rows that a filter selects. If
    /// they cannot be had now, it is empty, its `status` says why, and the rows come later.
    ///
    /// Each part has a stream of its own, and is not kept in the store. Its edits are.
    ///
    /// - Parameters:
    ///   - id: The id of the list.
    ///   - content: The type of the contents of its items.
    ///   - query: The rows that are wanted.
    public func list<Content>(
        _ id: String, of content: Content.Type, showing query: ListQuery
    ) async throws(ListError) -> LiveList<Content> {
        guard let id = ListID(ByteText(id)) else { throw .noListID(id) }
        let part = try follow(id, query)
        let list = LiveList<Content>(part.core)
        await part.core.isKnown()
        return list
    }
}

extension LiveList {
    /// The rows that this list shows; nil if it shows all.
    public var query: ListQuery? { core.client?.part(of: core)?.query }

    /// Shows other rows of the list. Those that are shown stay until the others are here, and then change to them as to
    /// any change of the list. Has no effect on a list that was opened without a query.
    public func show(_ query: ListQuery) { core.client?.part(of: core)?.want(query) }

    /// Moves the window on: the same number of rows as before, around another item. Has no effect without a window.
    public func show(around item: ItemID) {
        guard var query, query.window != nil else { return }
        query.window?.item = item
        show(query)
    }
}
