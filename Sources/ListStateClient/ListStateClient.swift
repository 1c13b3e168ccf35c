import ClientState
public import Foundation
import ListDiff
import ListModel
import Texts

/// The lists of a server, with edits that show at once, survive the process, and are done once.
///
///     let client = try await ListStateClient(url, store: .directory(folder)) { try await auth.token() }
///     let list = client.list("groceries", of: Grocery.self)
///     let edit = list.edit { $0.move("bee", before: "fox") }
///     if case .refused(let problem) = await edit.settled { show(problem) }
@MainActor public final class ListStateClient {
    /// The place in which edits wait for their answers.
    public enum Store: Sendable {
        /// Edits end with the process.
        case memory
        /// Edits survive the process. Each user needs a directory of its own.
        case directory(URL)
        /// A store of the program's own.
        case other(any EditStore)
    }

    private let wire: Wire
    private let queue: EditQueue
    private let feed: Feed
    private var cores: [ListID: ListCore] = [:]
    private var feedState = Feed.State.connecting
    private var catchingUp: Set<ListID> = []
    private var isClosed = false

    /// A client of the server at an address.
    ///
    /// - Parameters:
    ///   - url: The address of the server.
    ///   - store: The place in which edits wait for their answers.
    ///   - token: Gives the token of the user. It is asked again when the server does not take the token any more.
    /// - Throws: An error of the store.
    public convenience init(
        _ url: URL, store: Store, token: (@Sendable () async throws -> String)? = nil
    ) async throws {
        try await self.init(URLSessionTransport(url), store: store, token: token)
    }

    /// A client that reaches its server in another way.
    ///
    /// - Throws: An error of the store.
    public init(
        _ transport: any Transport, store: Store, token: (@Sendable () async throws -> String)? = nil
    ) async throws {
        let store: any EditStore =
            switch store {
            case .memory: MemoryEditStore()
            case .directory(let directory): try DatabaseEditStore(directory: directory)
            case .other(let store): store
            }
        wire = Wire(transport, token: token)
        queue = EditQueue(wire, store, try await store.open(naming: UUID().uuidString.lowercased()))
        feed = Feed(wire)
        queue.owner = self
        feed.owner = self
        queue.start()
    }

    /// A list of the server. It is empty until its first snapshot has come.
    ///
    /// - Parameters:
    ///   - id: The id of the list: lower-case letters, digits, `.`, `_` and `-`.
    ///   - content: The type of the contents of its items.
    public func list<Content>(_ id: String, of content: Content.Type) -> LiveList<Content>? {
        guard let id = ListID(ByteText(id)) else { return nil }
        return LiveList<Content>(core(id))
    }

    /// Ends the stream and the sending of edits. What the server has not answered stays in the store.
    public func close() {
        isClosed = true
        queue.close()
        feed.close()
        for core in cores.values { core.note { $0.state = .closed } }
    }

    private func core(_ id: ListID) -> ListCore {
        if let core = cores[id] { return core }
        let core = ListCore(id) { [weak self] core, operations, label in
            guard let self else { return SentEdit(Task { .refused(ServerProblem(status: 0)) }) }
            let (edit, outcome) = queue.add(operations, to: "\(core.id)", label: label, base: core.local.version)
            core.update { $0.show(PendingEdit(id: edit, operations: operations)) }
            return SentEdit(outcome)
        }
        for edit in queue.edits(of: "\(id)") {
            let operations = EditBody.operations(in: edit.operations)
            let base = edit.base.flatMap { Version(ByteText($0)) }
            core.update {
                $0.show(PendingEdit(id: edit.id, operations: operations, base: base, isSent: edit.isSent))
            }
        }
        cores[id] = core
        feed.connect()
        return core
    }
}

extension ListStateClient: EditQueue.Owner {
    func sends(_ edit: StoredEdit) { core(of: edit)?.noteSending(edit.id) }

    func base(of edit: StoredEdit) -> Version? {
        core(of: edit)?.local.pending.first { $0.id == edit.id }?.base
    }

    func did(_ edit: StoredEdit, at version: Version?) {
        // Without a version the edit is an old one, and the server has told of it already or will do so soon.
        core(of: edit)?.update { local in
            guard let version else { return local.refuse(edit.id) }
            return local.settle(edit.id, at: version)
        }
    }

    func refused(_ edit: StoredEdit) { core(of: edit)?.update { $0.refuse(edit.id) } }

    func noteTrouble(_ list: String) {
        for core in cores.values where "\(core.id)" == list { noteState(of: core) }
    }

    private func core(of edit: StoredEdit) -> ListCore? { ListID(ByteText(edit.list)).flatMap { cores[$0] } }

    private func noteState(of core: ListCore) {
        guard !isClosed else { return }
        let state: ListStatus.State =
            switch (queue.trouble(of: "\(core.id)"), feedState) {
            case (.unauthorized, _), (_, .unauthorized): .unauthorized
            case (.offline, _), (_, .offline): .offline
            case (.none, .connecting): .connecting
            case (.none, .live): core.local.version == nil ? .connecting : .live
            }
        core.note { if $0.state != .gone || core.local.version != nil { $0.state = state } }
    }
}

extension ListStateClient: Feed.Owner {
    var followed: [(list: ListID, since: Version?)] { cores.values.map { ($0.id, $0.local.version) } }

    func note(_ state: Feed.State) {
        feedState = state
        for core in cores.values { noteState(of: core) }
    }

    func take(_ event: StreamEvent) {
        switch event {
        case .bye: break
        case .gone(let list):
            cores[list]?.update { $0.empty() }
            cores[list]?.note { $0.state = .gone }
        case .catchup(let list, let catchup):
            guard let core = cores[list] else { return }
            take(catchup, of: core)
            noteState(of: core)
        }
    }

    private func take(_ catchup: Catchup, of core: ListCore) {
        // What is held already has been told in another way.
        guard core.local.version != catchup.version else { return }
        do throws(Mismatch) {
            try core.update { local throws(Mismatch) in try local.take(catchup) }
        } catch {
            self.catchUp(core, isDamaged: error.part != "from")
        }
    }

    /// Asks for what leads on from the version that is held, or for everything.
    private func catchUp(_ core: ListCore, isDamaged: Bool) {
        guard catchingUp.insert(core.id).inserted else { return }
        let since = isDamaged ? "" : core.local.version.map { "?since=\($0)" } ?? ""
        Task {
            let answer = try? await wire.send(WireRequest("GET", "/v1/lists/\(core.id)/changes\(since)"))
            catchingUp.remove(core.id)
            guard !isClosed, let answer, answer.head.code == 200, let catchup = try? Catchup(answer: answer.body) else {
                // The next stream begins at the version that is held.
                return feed.connect()
            }
            take(catchup, of: core)
        }
    }
}
