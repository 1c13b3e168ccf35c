import ClientState
import Foundation
import ListModel
import Texts

/// The edits that the server has not answered, and the sending of them.
///
/// An edit is stored before it is sent, and forgotten only after its author has been told of its answer. Each list has
/// a lane of its own.
///
///     add ──▶ kept ──▶ numbered and kept ──▶ sent ──▶ answered ──▶ told ──▶ forgotten
///       └─ the store fails: refused          └─ no answer: sent again as it is
@MainActor final class EditQueue {
    /// Who is told what becomes of edits.
    @MainActor protocol Owner: AnyObject {
        /// Edits are about to be sent.
        func sends(_ edits: [StoredEdit])
        /// Edits were done at a version, which is nil if the answer does not tell it.
        func did(_ edits: [StoredEdit], at version: Version?)
        func refused(_ edits: [StoredEdit])
        /// An edit has its outcome.
        func tell(_ outcome: EditOutcome, of edit: StoredEdit)
        /// The base from which an edit may be sent now.
        func base(of edit: StoredEdit) -> Version?
        /// What keeps edits of a list from being sent has changed.
        func noteTrouble(_ list: String)
    }

    /// What keeps edits from being sent.
    enum Trouble { case none, offline, unauthorized, unsaved }

    @MainActor private final class Waiting {
        var edit: StoredEdit
        let operations: Int
        var isKept: Bool
        let sent = SentEdit(answer: Promise(), keeping: Promise())

        init(_ edit: StoredEdit, operations: Int, isKept: Bool) {
            (self.edit, self.operations, self.isKept) = (edit, operations, isKept)
            if isKept { sent.keeping.fulfil(true) }
        }
    }

    /// The time before a write is sent again.
    private struct Pause {
        var seconds: Double
        /// Whether the server has asked for it. Then it is not cut short.
        var isWanted: Bool
    }

    /// An edit of this client that may be taken back.
    private struct Done {
        let id: StoredEdit.ID
        /// The version that it made; nil as long as it has no answer.
        var version: String?
    }

    private let wire: Wire
    private let saver: Saver
    private var lanes: [String: EditLane] = [:]
    private var names: [String: String] = [:]
    private var waiting: [StoredEdit.ID: Waiting] = [:]
    private var nextID = 1
    private var pumps: [String: Task<Void, Never>] = [:]
    private var pauses: [String: Task<Void, Never>] = [:]
    private var patience: [String: Patience] = [:]
    private var troubles: [String: Trouble] = [:]
    /// The newest edits of a list that have changed something or may do so. The last one is taken back first.
    private var done: [String: [Done]] = [:]
    private var isClosed = false
    weak var owner: (any Owner)?

    init(_ wire: Wire, _ store: any EditStore, _ opened: StoredQueue) {
        (self.wire, saver) = (wire, Saver(store))
        defer { saver.source = self }
        nextID = (opened.edits.map(\.id).max() ?? 0) + 1
        for edit in opened.edits {
            let count = edit.operations.isEmpty ? 0 : EditBody.operations(in: edit.operations).count
            waiting[edit.id] = Waiting(edit, operations: count, isKept: true)
        }
        for (list, edits) in Dictionary(grouping: opened.edits, by: \.list) {
            let sequence = opened.sequences[list]
            // Those with a number are in one write, and come first.
            let entries = edits.sorted { ($0.number == nil ? 1 : 0, $0.id) < ($1.number == nil ? 1 : 0, $1.id) }
            lanes[list] = EditLane(entries.compactMap(entry), nextNumber: sequence?.next ?? 1)
        }
        for (list, sequence) in opened.sequences {
            names[list] = sequence.client
            lanes[list] = lanes[list] ?? EditLane([], nextNumber: sequence.next)
        }
    }

    private func entry(_ edit: StoredEdit) -> EditLane.Entry? {
        guard let waiting = waiting[edit.id] else { return nil }
        return .init(
            id: edit.id, operations: waiting.operations, bytes: edit.operations.count, number: edit.number)
    }

    /// The edits of a list that wait, in their order.
    func edits(of list: String) -> [StoredEdit] {
        (lanes[list]?.entries ?? []).compactMap { waiting[$0.id]?.edit }
    }

    func trouble(of list: String) -> Trouble { troubles[list] ?? .none }

    /// Sends what is left of an earlier run.
    func start() { for list in lanes.keys { pump(list) } }

    /// Tries again at once what is tried again later, because the network is back.
    func wake() { for pause in pauses.values { pause.cancel() } }

    /// - Parameter task: Something else that must end before another client may open the store.
    func close<Success: Sendable>(after task: Task<Success, Never>?) {
        isClosed = true
        for pump in pumps.values { pump.cancel() }
        for one in waiting.values { one.sent.answer.fulfil(.unanswered) }
        saver.close(after: task)
    }
}

// MARK: - Adding

extension EditQueue {
    /// Keeps an edit, and sends it as soon as it can.
    func add(
        _ operations: [ListModel.Operation], to list: String, label: String?, isAnimated: Bool, base: Version?
    ) -> (id: StoredEdit.ID, sent: SentEdit) {
        let added = add(
            StoredEdit(
                id: nextID, list: list, operations: EditBody.operations(operations), label: label,
                isAnimated: isAnimated, base: base?.description, undoes: nil, undoneVersion: nil, number: nil),
            operations: operations.count)
        done[list] = (done[list] ?? []).suffix(EditLane.newest - 1) + [Done(id: added.id)]
        return added
    }

    /// Takes a transaction back, or the newest edit that is not taken back.
    ///
    /// - Returns: The id is nil if there is nothing to take back.
    func undo(_ version: Version?, of list: String) -> (id: StoredEdit.ID?, sent: SentEdit) {
        let newest = version == nil ? done[list]?.popLast() : nil
        guard version != nil || newest != nil else { return (nil, SentEdit(.refused(Self.nothingToUndo))) }
        let undoneVersion = version?.description ?? newest?.version
        let (id, sent) = add(
            StoredEdit(
                id: nextID, list: list, operations: [], label: nil, isAnimated: true, base: nil,
                undoes: undoneVersion == nil ? newest?.id : nil, undoneVersion: undoneVersion, number: nil),
            operations: 0)
        return (id, sent)
    }

    private func add(_ edit: StoredEdit, operations: Int) -> (id: StoredEdit.ID, sent: SentEdit) {
        nextID += 1
        let one = Waiting(edit, operations: operations, isKept: false)
        waiting[edit.id] = one
        if let entry = entry(edit) { lanes[edit.list, default: EditLane([], nextNumber: 1)].append(entry) }
        keep([edit.id], of: edit.list)
        pump(edit.list)
        return (edit.id, one.sent)
    }

    private static let nothingToUndo = ServerProblem(.nothingToUndo, "There is no edit of this client to take back.")
}

// MARK: - Storing

extension EditQueue: Saver.Source {
    /// Keeps edits, and how the writes of their list are numbered.
    ///
    /// - Returns: Whether they are kept.
    @discardableResult
    private func keep(_ ids: [StoredEdit.ID], of list: String) -> Task<Bool, Never> { saver.save(ids, of: list) }

    func stored(_ ids: Set<StoredEdit.ID>, _ lists: Set<String>) -> StoreChange {
        let sequences = lists.map { list in
            (list, StoredSequence(client: name(of: list), next: lanes[list]?.nextNumber ?? 1))
        }
        return StoreChange(
            edits: ids.sorted().compactMap { waiting[$0]?.edit }, answered: [],
            sequences: Dictionary(uniqueKeysWithValues: sequences))
    }

    func didSave(_ ids: Set<StoredEdit.ID>) {
        for id in ids.sorted() {
            waiting[id]?.isKept = true
            waiting[id]?.sent.keeping.fulfil(true)
        }
        for (list, trouble) in troubles where trouble == .unsaved { note(.none, of: list) }
    }

    func didFail(_ ids: Set<StoredEdit.ID>, _ error: any Error) {
        // Those of a write are looked at when it is put back.
        refuseUnkept(ids.filter { waiting[$0]?.edit.number == nil }, error)
    }

    /// Refuses edits that the store never had, because nobody could say what becomes of them.
    private func refuseUnkept(_ ids: some Sequence<StoredEdit.ID>, _ error: (any Error)?) {
        let unkept = ids.filter { waiting[$0].map { !$0.isKept } ?? false }.sorted()
        for id in unkept { if let list = waiting[id]?.edit.list { lanes[list]?.remove(id) } }
        let reason = error.map { "\($0)" } ?? "The store has failed."
        settle(unkept, .refused(ServerProblem(.notKept, reason)))
    }

    private func name(of list: String) -> String {
        if let name = names[list] { return name }
        let name = UUID().uuidString.lowercased()
        names[list] = name
        return name
    }
}

// MARK: - Sending

extension EditQueue {
    private func pump(_ list: String) {
        guard pumps[list] == nil, !isClosed else { return }
        pumps[list] = Task {
            while !isClosed, let write = begin(list) {
                guard let pause = await carry(write, list), !isClosed else { continue }
                let sleep = Task { _ = try? await Task.sleep(for: .seconds(pause.seconds)) }
                if !pause.isWanted { pauses[list] = sleep }
                await sleep.value
                pauses[list] = nil
            }
            pumps[list] = nil
        }
    }

    /// The write that is to be sent next.
    private func begin(_ list: String) -> EditLane.Write? {
        while let first = lanes[list]?.entries.first, let edit = waiting[first.id]?.edit, edit.isUndo,
            edit.undoneVersion == nil
        {
            // The edit that it takes back has its answer, and has changed nothing.
            lanes[list]?.remove(first.id)
            settle([first.id], .refused(Self.nothingToUndo))
        }
        let undone = Set(edits(of: list).compactMap(\.undoes))
        return lanes[list]?.next { isAlike($0, $1) && undone.isDisjoint(with: [$0, $1]) }
    }

    /// Whether two edits may be one write.
    private func isAlike(_ first: StoredEdit.ID, _ second: StoredEdit.ID) -> Bool {
        guard let one = waiting[first]?.edit, let other = waiting[second]?.edit, !one.isUndo, !other.isUndo else {
            return false
        }
        return one.label == other.label && one.isAnimated == other.isAnimated && base(of: one) == base(of: other)
    }

    private func base(of edit: StoredEdit) -> String? { owner?.base(of: edit)?.description ?? edit.base }

    /// Stores a write as it is to be sent, sends it, and takes its answer.
    ///
    /// - Returns: The time before the next attempt; nil if it need not wait.
    private func carry(_ write: EditLane.Write, _ list: String) async -> Pause? {
        var hasChanged = names[list] == nil
        for id in write.edits {
            guard let one = waiting[id] else { continue }
            let base = write.isAgain ? one.edit.base : base(of: one.edit)
            hasChanged = hasChanged || one.edit.number != write.number || one.edit.base != base
            (one.edit.number, one.edit.base) = (write.number, base)
        }
        // From here on it is always sent as it is now, because the server compares.
        if hasChanged, await !keep(write.edits, of: list).value { return putBack(write, list) }
        guard !isClosed else { return nil }
        let edits = write.edits.compactMap { waiting[$0]?.edit }
        owner?.sends(edits)
        return await send(edits, write, list)
    }

    /// The store has not taken a write, so it is not sent.
    private func putBack(_ write: EditLane.Write, _ list: String) -> Pause {
        lanes[list]?.putBack(write)
        if !write.isAgain { for id in write.edits { waiting[id]?.edit.number = nil } }
        refuseUnkept(write.edits, saver.failure)
        if write.edits.contains(where: { waiting[$0] != nil }) { note(.unsaved, of: list) }
        return pause(of: list, wanted: 0)
    }

    private func send(_ edits: [StoredEdit], _ write: EditLane.Write, _ list: String) async -> Pause? {
        let (place, body) = EditBody.request(of: edits)
        var fields = ["Client": "\"\(name(of: list))\"", "Client-Sequence": "\(write.number)"]
        // Edits that are sent together are never undone, so nobody asks whether they have changed something.
        if edits.count > 1 { fields["Prefer"] = "return=minimal" }
        let answered = try? await wire.send(WireRequest("POST", "/v1/lists/\(list)/\(place)", json: body, fields))
        guard !isClosed else { return nil }
        let answer = answered.map { Answered($0.head, $0.body, to: write) } ?? Answered()
        let steps = lanes[list]?.take(answer.verdict) ?? []
        var pause: Pause?
        for step in steps {
            switch step {
            case .done(let ids): didSend(edits.filter { ids.contains($0.id) }, answer.result, list)
            case .refused(let ids): refuse(ids, of: edits, answer.problem, list)
            case .rename: names[list] = nil
            case .pause: pause = self.pause(of: list, wanted: answer.seconds)
            }
        }
        if pause == nil { patience[list] = nil }
        note(answer.trouble, of: list)
        return pause
    }

    private func pause(of list: String, wanted seconds: Double) -> Pause {
        Pause(seconds: patience[list, default: Patience()].next(wanted: seconds), isWanted: seconds > 0)
    }

    /// Edits were done by one write.
    private func didSend(_ edits: [StoredEdit], _ result: WriteAnswer?, _ list: String) {
        owner?.did(edits, at: result?.version)
        noteDone(edits, result, list)
        var outcomes = (result?.outcomes ?? [])[...]
        let isUndo = edits.first?.isUndo ?? false
        for edit in edits {
            let own = isUndo ? outcomes : outcomes.prefix(waiting[edit.id]?.operations ?? 0)
            outcomes = outcomes.dropFirst(own.count)
            tell(edit.id, EditOutcome(own))
        }
    }

    /// Edits are refused. The others of their write wait again.
    private func refuse(_ ids: [StoredEdit.ID], of edits: [StoredEdit], _ problem: ServerProblem?, _ list: String) {
        let left = edits.map(\.id).filter { !ids.contains($0) }
        for id in left { waiting[id]?.edit.number = nil }
        keep(left, of: list)
        settle(ids, .refused(problem ?? ServerProblem(status: 0)))
    }

    /// Remembers what may be undone: an edit that was sent alone and has changed something has a version of its own.
    private func noteDone(_ edits: [StoredEdit], _ result: WriteAnswer?, _ list: String) {
        let version = edits.count == 1 && result?.hasChanged == true ? result?.version.description : nil
        let ids = Set(edits.map(\.id))
        for index in (done[list] ?? []).indices where ids.contains(done[list]![index].id) {
            done[list]![index].version = version
        }
        done[list]?.removeAll { ids.contains($0.id) && $0.version == nil }
        for other in self.edits(of: list) where other.undoes.map(ids.contains) ?? false {
            waiting[other.id]?.edit.undoneVersion = version
            keep([other.id], of: list)
        }
    }

    /// Edits have left their lane without being done.
    private func settle(_ ids: [StoredEdit.ID], _ outcome: EditOutcome) {
        let edits = ids.compactMap { waiting[$0]?.edit }
        for (list, edits) in Dictionary(grouping: edits, by: \.list) { noteDone(edits, nil, list) }
        owner?.refused(edits)
        for id in ids { tell(id, outcome) }
    }

    /// Tells the author of an edit, and forgets it then. If the process ends in between, the author is told again.
    private func tell(_ id: StoredEdit.ID, _ outcome: EditOutcome) {
        guard let one = waiting.removeValue(forKey: id) else { return }
        one.sent.keeping.fulfil(one.isKept)
        one.sent.answer.fulfil(outcome)
        owner?.tell(outcome, of: one.edit)
        saver.forget(id)
    }

    private func note(_ trouble: Trouble, of list: String) {
        guard self.trouble(of: list) != trouble else { return }
        troubles[list] = trouble
        owner?.noteTrouble(list)
    }
}

/// What an answer says of a write. Without an answer nobody knows what became of it, so it is sent again.
private struct Answered {
    private(set) var verdict = EditLane.Answer.later
    private(set) var result: WriteAnswer?
    private(set) var problem: ServerProblem?
    private(set) var trouble = EditQueue.Trouble.offline
    /// The seconds that the server wants the client to wait.
    private(set) var seconds = 0.0

    init() {}

    init(_ head: WireHead, _ body: [UInt8], to write: EditLane.Write) {
        let version = head["List-Version"].flatMap { Version(ByteText($0)) }
        if head.code >= 300 { problem = try? ServerProblem(answer: body) }
        verdict = .init(
            code: head.code, isUsedUp: head["Client-Sequence"] == "\(write.number)", problem: problem)
        result = body.isEmpty ? version.map { WriteAnswer(asAskedAt: $0) } : try? WriteAnswer(answer: body)
        // The server has done another write with this number, so the storage of the client was copied or set back.
        if verdict == .done, head.code == 204, version == nil, !write.isAgain { verdict = .taken }
        if case .refused = verdict { problem = problem ?? ServerProblem(status: head.code) }
        trouble = head.code == 401 ? .unauthorized : verdict == .later ? .offline : .none
        seconds = head["Retry-After"].flatMap { Double($0) } ?? 0
    }
}

extension StoredEdit {
    var isUndo: Bool { undoes != nil || undoneVersion != nil }
}
