import ClientState
public import Foundation
import ListDiff
import ListModel
import Texts

/// The lists of a server, with edits that show at once, survive the process, and are done once.
///
///     let client = try await ListStateClient(url, store: .directory(folder)) { try await auth.token() }
///     let list = try await client.list("groceries", of: Grocery.self)
///     let edit = list.edit { $0.move("bee", before: "fox") }
///     if case .refused(let problem) = await edit.settled { show(problem) }
@MainActor public final class ListStateClient {
    /// The place in which edits wait for their answers.
    public enum Store: Sendable {
        /// Edits end with the process.
        case memory
        /// Edits survive the process. Each user needs a directory of its own, and one client has it open at a time.
        /// The rows of the lists survive it, too, so that they show at once, also without a network.
        case directory(URL)
        /// A store of the application.
        case other(any EditStore)
    }

    /// Hears of an edit that was refused or dropped.
    public typealias RefusalListener = @MainActor (RefusedEdit, EditOutcome) -> Void

    /// The most lists of a stream.
    private static let listsMax = 100
    /// The most parts, each of which has a stream.
    nonisolated static let partsMax = 32

    /// The time between two looks whether lists that are gone are back, at first and at most.
    private static let secondsBetweenLooks = (first: 10.0, most: 300.0)

    let wire: Wire
    let queue: EditQueue
    private let feed: Feed
    private let rows: RowKeeper
    private let onRefused: RefusalListener?
    private var cores: [ListID: ListCore] = [:]
    private var parts: [PartFollower] = []
    private var feedState = Feed.State.connecting
    private var looking: Task<Void, Never>?
    private var lookPause = secondsBetweenLooks.first
    private(set) var isClosed = false

    /// A client of the server at an address.
    ///
    /// - Parameters:
    ///   - url: The address of the server.
    ///   - store: The place in which edits wait for their answers.
    ///   - token: Gives the token of the user. It is asked again when the server does not take the token any more.
    ///   - onRefused: Hears of each edit that was refused or dropped, also of those that an earlier process has made.
    /// - Throws: An error of the store: `EditStoreError`, unless it is one of the application.
    public convenience init(
        _ url: URL, store: Store, token: (@Sendable () async throws -> String)? = nil, onRefused: RefusalListener? = nil
    ) async throws {
        #if canImport(CCurl)
            let transport: any Transport = CurlTransport(url) ?? URLSessionTransport(url)
        #else
            let transport = URLSessionTransport(url)
        #endif
        try await self.init(transport, store: store, token: token, onRefused: onRefused)
    }

    /// A client that reaches its server in another way.
    ///
    /// - Throws: As the other one.
    public init(
        _ transport: any Transport, store: Store, token: (@Sendable () async throws -> String)? = nil,
        onRefused: RefusalListener? = nil
    ) async throws {
        let (store, files): (any EditStore, RowFiles?) =
            switch store {
            case .memory: (MemoryEditStore(), nil)
            case .directory(let directory):
                (
                    DatabaseEditStore(directory: directory),
                    RowFiles(directory: directory.appendingPathComponent("rows"))
                )
            case .other(let store): (store, nil)
            }
        wire = Wire(transport, token: token)
        queue = EditQueue(wire, store, try await store.open())
        rows = RowKeeper(files)
        feed = Feed(wire)
        self.onRefused = onRefused
        queue.owner = self
        feed.owner = self
        queue.start()
    }

    /// A list of the server, as soon as its rows are here: those of the store at once, and what has changed since comes
    /// as changes. If there are none and they cannot be had now, the list is empty, its `status` says why, and the rows
    /// come later.
    ///
    /// - Parameters:
    ///   - id: The id of the list: lower-case letters, digits, `.`, `_` and `-`.
    ///   - content: The type of the contents of its items.
    public func list<Content>(
        _ id: String, of content: Content.Type
    ) async throws(ListError) -> LiveList<Content> {
        guard let id = ListID(ByteText(id)) else { throw .noListID(id) }
        guard !isClosed else { throw .closed }
        let core = try await core(id)
        let list = LiveList<Content>(core)
        if core.status.state == .gone {
            // It may be there again.
            core.note { $0.state = .connecting }
            feed.connect()
        }
        await core.isKnown()
        return list
    }

    /// Ends the stream and the sending of edits. What the server has not answered stays in the store, which another
    /// client may open soon.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        queue.close(after: rows.close())
        feed.close()
        looking?.cancel()
        for part in parts { part.close() }
        for core in allCores { core.note { $0.state = .closed } }
    }

    /// Follows a list no longer, because nobody shows it. Its edits are sent all the same.
    func leave(_ core: ListCore) {
        guard !isClosed else { return }
        if let part = part(of: core) {
            part.close()
            parts.removeAll { $0 === part }
        } else if cores[core.id] === core {
            cores[core.id] = nil
            feed.connect()
        }
    }

    /// Follows a part of a list.
    func follow(_ id: ListID, _ query: ListQuery) throws(ListError) -> PartFollower {
        guard !isClosed else { throw .closed }
        guard parts.count < Self.partsMax else { throw .tooManyLists }
        let part = PartFollower(id, query, wire, of: self)
        parts.append(part)
        showWaiting(in: part.core)
        part.connect()
        return part
    }

    /// Nil for a list that is held whole.
    func part(of core: ListCore) -> PartFollower? { parts.first { $0.core === core } }

    private var allCores: [ListCore] { cores.values + parts.map(\.core) }
    private func cores(of list: ListID) -> [ListCore] { allCores.filter { $0.id == list } }

    private func core(_ id: ListID) async throws(ListError) -> ListCore {
        if let core = cores[id] { return core }
        let kept = await rows.rows(of: id)
        // Meanwhile somebody else may have asked for it.
        if let core = cores[id] { return core }
        guard !isClosed else { throw .closed }
        guard cores.count < Self.listsMax else { throw .tooManyLists }
        let core = ListCore(id, LocalList(view: .visible), of: self)
        core.feedState = feedState
        // The first rows of a list always fit.
        if let kept { try? core.update { local throws(Mismatch) in try local.take(.list(.reset(kept))) } }
        showWaiting(in: core)
        cores[id] = core
        feed.connect()
        return core
    }

    /// Shows the edits that the server has not answered.
    private func showWaiting(in core: ListCore) {
        for edit in queue.edits(of: "\(core.id)") {
            let operations = edit.isUndo ? [] : EditBody.operations(in: edit.operations)
            let base = edit.base.flatMap { Version(ByteText($0)) }
            core.update {
                $0.show(
                    PendingEdit(
                        id: edit.id, operations: operations, base: base, isAnimated: edit.isAnimated,
                        isSent: edit.number != nil))
            }
        }
    }
}

/// The reason why a client has no such list.
public enum ListError: Error, Sendable, Equatable {
    /// The text cannot be the id of a list.
    case noListID(String)
    /// The client has 100 lists already, which is as many as a stream has. Close some.
    case tooManyLists
    /// The client is closed.
    case closed
}

// MARK: - Edits

extension ListStateClient {
    /// Shows an edit, and sends it as soon as it can.
    func send(
        _ operations: [ListModel.Operation], label: String?, isAnimated: Bool, to core: ListCore
    ) -> SentEdit {
        guard !isClosed else { return Self.closed }
        guard !operations.isEmpty else { return SentEdit(.applied) }
        let (edit, sent) = queue.add(
            operations, to: "\(core.id)", label: label, isAnimated: isAnimated, base: core.local.version)
        let base = core.local.version
        for core in cores(of: core.id) {
            core.update {
                $0.show(PendingEdit(id: edit, operations: operations, base: base, isAnimated: isAnimated))
            }
        }
        return sent
    }

    /// Takes a transaction back, or the newest edit of this client.
    func undo(_ version: Version?, of core: ListCore) -> SentEdit {
        guard !isClosed else { return Self.closed }
        let (edit, sent) = queue.undo(version, of: "\(core.id)")
        // It shows nothing before the server has done it, but it counts.
        if let edit {
            for core in cores(of: core.id) { core.update { $0.show(PendingEdit(id: edit, operations: [])) } }
        }
        return sent
    }

    static var closed: SentEdit { SentEdit(.refused(ServerProblem(.closed, "The list or its client is closed."))) }
}

extension ListStateClient: EditQueue.Owner {
    func sends(_ edits: [StoredEdit]) {
        guard let edit = edits.first else { return }
        for core in cores(of: edit) { core.noteSending(edits.map(\.id)) }
    }

    /// Only a list that is held whole knows whether all is there that an edit names.
    func base(of edit: StoredEdit) -> Version? {
        ListID(ByteText(edit.list)).flatMap { cores[$0] }?.local.pending.first { $0.id == edit.id }?.base
    }

    func did(_ edits: [StoredEdit], at version: Version?) {
        guard let edit = edits.first else { return }
        for core in cores(of: edit) {
            // Without a version the edits are old ones, and the server has told of them already or will do so soon.
            core.update { local in
                guard let version else { return local.refuse(edits.map(\.id)) }
                return local.settle(edits.map(\.id), at: version)
            }
        }
    }

    func refused(_ edits: [StoredEdit]) {
        for (_, edits) in Dictionary(grouping: edits, by: \.list) {
            for core in cores(of: edits[0]) { core.update { $0.refuse(edits.map(\.id)) } }
        }
    }

    func tell(_ outcome: EditOutcome, of edit: StoredEdit) {
        switch outcome {
        case .applied, .adjusted, .unanswered: break
        case .dropped, .refused:
            guard let onRefused, let list = ListID(ByteText(edit.list)) else { return }
            let operations = edit.isUndo ? [] : EditBody.operations(in: edit.operations)
            onRefused(RefusedEdit(list: list, label: edit.label, operations: operations), outcome)
        }
    }

    func noteTrouble(_ list: String) {
        for core in allCores where "\(core.id)" == list { noteState(of: core) }
    }

    private func cores(of edit: StoredEdit) -> [ListCore] { ListID(ByteText(edit.list)).map { cores(of: $0) } ?? [] }

    func noteState(of core: ListCore) {
        guard !isClosed else { return }
        let state: ListStatus.State =
            switch (queue.trouble(of: "\(core.id)"), core.feedState) {
            case (.unsaved, _): .unsaved
            case (.unauthorized, _), (_, .unauthorized): .unauthorized
            case (_, .refused): .refused
            case (.offline, _), (_, .offline): .offline
            case (.none, .connecting): .connecting
            case (.none, .live): core.local.version == nil ? .connecting : .live
            }
        core.note { if $0.state != .gone || core.local.version != nil { $0.state = state } }
    }
}

// MARK: - The server's state

extension ListStateClient: Feed.Owner {
    func following() -> WireRequest? {
        // The new stream tells it anew, from the version that is held.
        for core in cores.values { core.forgetTold() }
        return cores.isEmpty ? nil : Feed.request(cores.values.map { ($0.id, $0.local.version) })
    }

    func note(_ state: Feed.State) {
        if state == .live, feedState != .live { queue.wake() }
        feedState = state
        for core in cores.values {
            core.feedState = state
            noteState(of: core)
        }
    }

    func refused(_ code: Int) async {
        // The token may read none of the lists, or there is none of them.
        if code == 404 { for core in cores.values { lose(core) } }
        note(code == 401 ? .unauthorized : .offline)
    }

    func take(_ event: EventReader.Event) throws(AnswerError) {
        switch try StreamEvent(event, isPart: false) {
        case .bye, nil: break
        case .gone(let list): if let core = cores[list] { lose(core) }
        case .rows(let list, let told):
            guard let core = cores[list] else { return }
            take(told, of: core)
        }
    }

    private func lose(_ core: ListCore) {
        core.forgetTold()
        guard core.status.state != .gone || core.local.version != nil else { return lookAgain() }
        lookPause = Self.secondsBetweenLooks.first
        lookAgain()
        core.update { $0.empty() }
        core.note { $0.state = .gone }
        rows.noteChange(of: core)
    }

    /// Looks later whether lists that are gone are back, because only a new stream tells of them. One that still brings
    /// whole lists is let be.
    private func lookAgain() {
        looking?.cancel()
        looking = Task { [weak self] in
            try? await Task.sleep(for: .seconds(self?.lookPause ?? 0))
            guard !Task.isCancelled, let self, !isClosed else { return }
            let isGone = cores.values.filter { $0.local.version == nil }.map { $0.status.state == .gone }
            guard !isGone.contains(false) else { return lookAgain() }
            lookPause = min(lookPause * 2, Self.secondsBetweenLooks.most)
            if !isGone.isEmpty { feed.connect() }
        }
    }

    private func take(_ told: ToldRows, of core: ListCore, isFirst: Bool = false) {
        core.take(told, isFirst: isFirst) { [weak self, weak core] together in
            guard let self, let core, !isClosed, cores[core.id] === core else { return }
            do throws(Mismatch) {
                try core.update { local throws(Mismatch) in try local.take(together) }
                rows.noteChange(of: core)
            } catch {
                catchUp(core, isDamaged: error.part != "from")
            }
            noteState(of: core)
        }
    }

    /// Asks for what leads on from the version that is held, or for everything.
    private func catchUp(_ core: ListCore, isDamaged: Bool) {
        guard !core.isCatchingUp else { return }
        core.isCatchingUp = true
        let since = isDamaged ? "" : core.local.version.map { "?since=\($0)" } ?? ""
        Task {
            let answer = try? await wire.send(WireRequest("GET", "/v1/lists/\(core.id)/changes\(since)"))
            core.isCatchingUp = false
            guard !isClosed, let answer, answer.head.code == 200, let catchup = try? Catchup(answer: answer.body) else {
                // The next stream begins at the version that is held.
                return feed.connect()
            }
            take(.list(catchup), of: core, isFirst: true)
        }
    }
}
