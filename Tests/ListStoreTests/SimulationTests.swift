import ListModel
import Locks
import TestSupport
import Testing

@testable import ListStore

/// A store in one thread, on a disk that is full, fails and forgets, with crashes at any step: what was acknowledged
/// stays, what was refused has left nothing, and every version is what it was.
///
/// A failure names its seed, and the seed repeats it.
@Suite struct SimulationTests {
    @Test(arguments: UInt64(1)...UInt64(Soak.simulations))
    func nothingIsLostOrInvented(seed: UInt64) throws {
        var simulation = try Simulation(seed: seed)
        for step in 0..<1_000 { try simulation.step(step) }
        try simulation.crash(1_000)
        #expect(simulation.acknowledged > 20)
    }
}

private struct Simulation {
    private static let lists = ["a", "b", "c"].compactMap { ListID($0) }
    private static let limits = Store.Limits(
        itemsMax: 100, contentBytesMax: 1_000, historyVersionsMax: 8, historyBytesMax: 1 << 20, receiptsMax: 10_000,
        receiptAgeMax: 1 << 40)

    /// What a write was told.
    private struct Sent: Sendable {
        var list: ListID
        var key: ReceiptKey
        var write: Write
        var version: Version
        var isDeletion: Bool
    }

    private struct Told: Sendable {
        var acknowledged: [Sent] = []
        var lost: [Sent] = []
    }

    private var random: SeededGenerator
    private var lists: RandomLists
    private var journal: SimulatedJournal
    private var store: Store
    private let told = Locked(Told())
    private var seen = 0
    private var keys = 0
    private var epochs = Counter()
    /// What each version of each epoch is; a version that was lost may be another later.
    private var images: [Version: ListImage] = [:]
    /// The newest acknowledged version of each list, and whether its end was acknowledged.
    private var newest: [ListID: (version: Version, isDeleted: Bool)] = [:]
    private var answered: [Sent] = []
    /// Lists whose end was asked for, and may have come without an answer.
    private var ending: Set<ListID> = []

    var acknowledged: Int { answered.count }

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        lists = RandomLists(seed: seed, itemIDs: 12, bias: .everything)
        journal = SimulatedJournal(SimulatedJournal.Disk(), seed: seed)
        store = try Self.open(journal, epochs)
    }

    private static func open(_ journal: SimulatedJournal, _ epochs: Counter) throws -> Store {
        try Store(
            journal: journal, mayMissCommits: false, limits: limits, compaction: nil, intents: nil, isStepped: true,
            clock: { 1_000 }, token: { "e\(epochs.next())" })
    }

    mutating func step(_ number: Int) throws {
        switch random.below(20) {
        case 0: try crash(number)
        case 1: try? store.compact()
        case 2...6:
            store.step()
            try settle(number)
        case 7: try retry(number)
        default: submit()
        }
        // A disk that has failed is opened anew.
        if !store.isAcceptingWrites { try crash(number) }
    }

    private mutating func submit() {
        let list = Self.lists[random.below(Self.lists.count)]
        keys += 1
        let key = ReceiptKey(scope: Array("\(keys)".utf8), request: [1])
        let state = store.loaded(list)?.enter { $0.state }
        let isDeletion = state != nil && random.once(in: 25)
        let operations = state.map { [lists.operation(on: $0)] } ?? [.applySnapshot(lists.snapshot())]
        let write = Write(.operations(operations), key: key)
        let submission =
            isDeletion
            ? store.delete(list, write) : state == nil ? store.create(list, write) : store.submit(list, write)
        guard case .success(let result) = submission.result else { return }
        if !isDeletion, let state = store.loaded(list)?.enter({ $0.state }) {
            images[result.version] = ListImage(state)
        }
        let sent = Sent(list: list, key: key, write: write, version: result.version, isDeletion: isDeletion)
        if isDeletion { ending.insert(list) }
        guard let durability = submission.durability else { return }
        durability.whenDone { [told] outcome in
            told.withLock { told in
                switch outcome {
                case .success: told.acknowledged.append(sent)
                case .failure: told.lost.append(sent)
                }
            }
        }
    }

    /// Enters what was told, and compares what readers see.
    private mutating func settle(_ step: Int) throws {
        let told = told.withLock { told in
            defer { told = Told() }
            return told
        }
        for sent in told.acknowledged {
            newest[sent.list] = (sent.version, sent.isDeletion)
            answered.append(sent)
        }
        if store.isAcceptingWrites { ending.subtract(told.lost.filter(\.isDeletion).map(\.list)) }
        for id in Self.lists { try check(id, step) }
    }

    private func check(_ id: ListID, _ step: Int) throws {
        let head = try store.list(id).map { list in list.enter { $0.snapshot() } }
        guard let known = newest[id] else { return }
        guard let head else {
            return try #require(known.isDeleted || ending.contains(id), "step \(step): \(id) is gone")
        }
        try #require(images[head.version] == ListImage(head.state), "step \(step): \(id) at \(head.version)")
        guard !known.isDeleted, !ending.contains(id) else { return }
        try #require(head.version.epoch == known.version.epoch, "step \(step): \(id) is another")
        try #require(head.version.revision >= known.version.revision, "step \(step): \(id) lost \(known.version)")
    }

    /// The process ends, and another one reads the disk.
    mutating func crash(_ step: Int) throws {
        let disk = journal.disk
        try settle(step)
        store.stop()
        _ = told.withLock { told in
            defer { told = Told() }
            return told
        }
        journal = SimulatedJournal(disk, seed: random.next())
        store = try Self.open(journal, epochs)
        for id in Self.lists {
            let head = try store.list(id).map { list in list.enter { $0.snapshot() } }
            if let known = newest[id], !known.isDeleted, !ending.contains(id) {
                try #require(head?.version.epoch == known.version.epoch, "step \(step): \(id) is gone")
                try #require(head?.version.revision ?? 0 >= known.version.revision, "step \(step): \(id) lost writes")
            }
            if let head {
                try #require(images[head.version] == ListImage(head.state), "step \(step): \(id) at \(head.version)")
                newest[id] = (head.version, false)
            } else {
                newest[id] = nil
            }
        }
        ending = []
    }

    /// A write that was acknowledged is not done twice.
    private mutating func retry(_ step: Int) throws {
        guard let sent = answered.randomElement(using: &random) else { return }
        let before = store.loaded(sent.list)?.enter { $0.version(at: $0.history.newest) }
        let submission = sent.isDeletion ? store.delete(sent.list, sent.write) : store.submit(sent.list, sent.write)
        let result = try submission.result.get()
        try #require(result.isReplay && result.version == sent.version, "step \(step): \(sent.version)")
        let after = store.loaded(sent.list)?.enter { $0.version(at: $0.history.newest) }
        try #require(before == after, "step \(step)")
    }
}
