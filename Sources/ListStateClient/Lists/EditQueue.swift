import ClientState
import Foundation
import JSONValue
import ListModel
import Texts

/// The edits that the server has not answered, and the sending of them.
///
/// An edit is stored before it is sent, and forgotten only after its answer. Each list has a lane of its own.
@MainActor final class EditQueue {
    /// Who is told what becomes of edits.
    @MainActor protocol Owner: AnyObject {
        /// An edit is about to be sent.
        func sends(_ edit: StoredEdit)
        /// An edit was done at a version, which is nil if the answer does not tell it.
        func did(_ edit: StoredEdit, at version: Version?)
        func refused(_ edit: StoredEdit)
        /// The base from which an edit may be sent now.
        func base(of edit: StoredEdit) -> Version?
        /// What keeps edits of a list from being sent has changed.
        func noteTrouble(_ list: String)
    }

    /// What keeps edits from being sent.
    enum Trouble { case none, offline, unauthorized }

    private final class Waiting {
        var edit: StoredEdit
        let settled: AsyncStream<EditOutcome>.Continuation?

        init(_ edit: StoredEdit, settled: AsyncStream<EditOutcome>.Continuation?) {
            (self.edit, self.settled) = (edit, settled)
        }
    }

    private let wire: Wire
    private let store: any EditStore
    private let client: String
    private var lanes: [String: EditLane] = [:]
    private var waiting: [Int: Waiting] = [:]
    private var nextID = 1
    private var pumps: [String: Task<Void, Never>] = [:]
    private var patience: [String: Patience] = [:]
    private var troubles: [String: Trouble] = [:]
    private var isClosed = false
    /// The edits that are to be written next.
    private var unsaved: Set<Int> = []
    private var saving: Task<Void, Never>?
    private var nextSave: Task<Void, Never>?
    weak var owner: (any Owner)?

    /// The seconds between two edits of a list, so that they come in order. They grow while edits overtake others.
    private var gaps: [String: Double] = [:]
    private static let gapLeast = 0.005
    private static let gapMost = 0.025

    /// The most edits that are noted as sent in one write. If one of them overtakes another, no more are sent in vain.
    private static let writtenTogether = 4

    init(_ wire: Wire, _ store: any EditStore, _ opened: StoredQueue) {
        (self.wire, self.store, client) = (wire, store, opened.client)
        nextID = (opened.edits.map(\.id).max() ?? 0) + 1
        for (list, number) in opened.nextNumbers {
            let edits = opened.edits.filter { $0.list == list }.sorted { $0.number < $1.number }
            lanes[list] = EditLane(edits.map { .init(id: $0.id, number: $0.number) }, nextNumber: number)
        }
        for edit in opened.edits { waiting[edit.id] = Waiting(edit, settled: nil) }
    }

    /// The edits of a list that wait, in their order.
    func edits(of list: String) -> [StoredEdit] {
        (lanes[list]?.entries ?? []).compactMap { waiting[$0.id]?.edit }
    }

    func trouble(of list: String) -> Trouble { troubles[list] ?? .none }

    /// Sends what is left of an earlier run.
    func start() { for list in lanes.keys { pump(list) } }

    func close() {
        isClosed = true
        for pump in pumps.values { pump.cancel() }
    }

    /// Keeps an edit, and sends it as soon as it can.
    func add(_ operations: [ListModel.Operation], to list: String, label: String?, base: Version?) -> (
        id: Int, outcome: Task<EditOutcome, Never>
    ) {
        let id = nextID
        nextID += 1
        let number = lanes[list, default: EditLane([], nextNumber: 1)].append(id)
        let edit = StoredEdit(
            id: id, list: list, number: number, operations: EditBody.operations(operations), label: label,
            base: base?.description, isSent: false)
        let (outcomes, settled) = AsyncStream.makeStream(of: EditOutcome.self)
        waiting[id] = Waiting(edit, settled: settled)
        _ = save([id])
        pump(list)
        let outcome = Task<EditOutcome, Never> {
            for await outcome in outcomes { return outcome }
            return .dropped([])
        }
        return (id, outcome)
    }

    // MARK: - Storing

    /// Keeps edits as they are when it comes to them. Edits that come while others are written are written together.
    ///
    /// - Returns: The end of the writing.
    private func save(_ ids: [Int]) -> Task<Void, Never> {
        unsaved.formUnion(ids)
        if let nextSave { return nextSave }
        let last = saving
        let task = Task {
            await last?.value
            (saving, nextSave) = (nextSave, nil)
            let edits = unsaved.compactMap { waiting[$0]?.edit }
            unsaved = []
            for (list, edits) in Dictionary(grouping: edits, by: \.list) {
                guard let lane = lanes[list] else { continue }
                try? await store.put(edits, of: list, next: lane.nextNumber)
            }
        }
        nextSave = task
        return task
    }

    // MARK: - Sending

    private func pump(_ list: String) {
        guard pumps[list] == nil, !isClosed else { return }
        pumps[list] = Task {
            while !Task.isCancelled {
                var edits: [StoredEdit] = []
                while edits.count < Self.writtenTogether, let entry = lanes[list]?.next() {
                    if let edit = begin(entry) { edits.append(edit) }
                }
                guard !edits.isEmpty else { break }
                // From here on they are always sent as they are now, because the server compares.
                await save(edits.map(\.id)).value
                for edit in edits where !isClosed {
                    Task { await send(edit) }
                    try? await Task.sleep(for: .seconds(gaps[list] ?? Self.gapLeast), tolerance: .zero)
                }
            }
            pumps[list] = nil
        }
    }

    /// Notes that an edit is about to be sent.
    private func begin(_ entry: EditLane.Entry) -> StoredEdit? {
        guard let waiting = waiting[entry.id] else { return nil }
        waiting.edit.number = entry.number
        if !waiting.edit.isSent {
            waiting.edit.base = owner?.base(of: waiting.edit)?.description ?? waiting.edit.base
            waiting.edit.isSent = true
            owner?.sends(waiting.edit)
        }
        return waiting.edit
    }

    private func send(_ edit: StoredEdit) async {
        let request = WireRequest(
            "POST", "/v1/lists/\(edit.list)/transactions", json: EditBody.body(of: edit),
            ["Client": "\"\(client)\"", "Client-Sequence": "\(edit.number)", "Prefer": "return=minimal"])
        var (answer, seconds) = (EditLane.Answer.later, 0.0)
        var (result, problem): (WriteAnswer?, ServerProblem?) = (nil, nil)
        var trouble = Trouble.offline
        do {
            let (head, body) = try await wire.send(request)
            if !(200..<300).contains(head.code) {
                problem = (try? ServerProblem(answer: body)) ?? ServerProblem(status: head.code)
            }
            let version = head["List-Version"].flatMap { Version(ByteText($0)) }
            result = body.isEmpty ? version.map { WriteAnswer(asAskedAt: $0) } : try? WriteAnswer(answer: body)
            answer = .init(code: head.code, isUsedUp: head["Client-Sequence"] != nil, problem: problem)
            trouble = head.code == 401 ? .unauthorized : answer == .later ? .offline : .none
            seconds = head["Retry-After"].flatMap { Double($0) } ?? 0
        } catch {
            // Nobody knows what became of the request, so it is sent again.
        }
        guard !isClosed else { return }
        take(answer, to: edit, result, problem, retryAfter: seconds)
        note(trouble, of: edit.list)
    }

    private func take(
        _ answer: EditLane.Answer, to edit: StoredEdit, _ result: WriteAnswer?, _ problem: ServerProblem?,
        retryAfter seconds: Double
    ) {
        let list = edit.list
        let gap = gaps[list] ?? Self.gapLeast
        if case .gap = answer { gaps[list] = min(gap * 1.1, Self.gapMost) }
        if answer == .done { gaps[list] = max(gap * 0.95, Self.gapLeast) }
        var pause: Double?
        for step in lanes[list]?.take(answer, to: edit.id) ?? [] {
            switch step {
            case .settle: settle(edit, result, answer == .done ? nil : problem ?? ServerProblem(status: 0))
            case .renumber:
                for entry in lanes[list]?.entries ?? [] { waiting[entry.id]?.edit.number = entry.number }
                _ = save(lanes[list]?.entries.map(\.id) ?? [])
            case .pause: pause = patience[list, default: Patience()].next(wanted: seconds)
            }
        }
        if answer == .done { patience[list] = nil }
        guard let pause else { return pump(list) }
        pumps[list] = Task {
            try? await Task.sleep(for: .seconds(pause))
            pumps[list] = nil
            pump(list)
        }
    }

    /// An edit has its answer.
    private func settle(_ edit: StoredEdit, _ result: WriteAnswer?, _ problem: ServerProblem?) {
        let entry = waiting.removeValue(forKey: edit.id)
        if problem == nil { owner?.did(edit, at: result?.version) } else { owner?.refused(edit) }
        entry?.settled?.yield(problem.map { .refused($0) } ?? EditOutcome(result?.outcomes ?? []))
        entry?.settled?.finish()
        let saved = saving
        Task {
            await saved?.value
            try? await store.remove(edit.id)
        }
    }

    private func note(_ trouble: Trouble, of list: String) {
        guard self.trouble(of: list) != trouble else { return }
        troubles[list] = trouble
        owner?.noteTrouble(list)
    }
}
