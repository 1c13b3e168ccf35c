import ListModel
import Locks
import TestSupport

@testable import ListStore
@testable import SQLiteJournal

/// A store and the engine under it in one thread, on a disk that fails, with every choice made by a seed.
struct Simulation {
    /// What must not be, with the step at which it was seen.
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    /// What a write was told.
    struct Sent: Sendable {
        enum Kind: Sendable { case create, change, delete }

        var list: ListID
        var key: ReceiptKey
        var write: Write
        var version: Version
        var kind: Kind
        var time: Int
    }

    private struct Told: Sendable {
        var acknowledged: [Sent] = []
        var refused: [Sent] = []
        var unknown: [Sent] = []
    }

    private static let lists = ["a", "b", "c"].compactMap { ListID($0) }
    /// Few receipts for a short time, so that some are forgotten; those of the last writes never are.
    private static let limits = Store.Limits(
        itemsMax: 100, sectionsMax: 100, contentBytesMax: 1_000, historyVersionsMax: 8, historyBytesMax: 1 << 20,
        receiptsMax: 300,
        receiptAgeMax: 400)

    private var random: SeededGenerator
    private var content: RandomLists
    private let disk: SimulatedDisk
    private let vfs: SimulatedVFS
    private let logPagesMax: Int
    /// Whether some lives do not wait for the disk.
    private let isAsyncAtTimes: Bool
    private let clock = Locked(1_000)
    private let epochs = Locked(0)
    private var store: Store
    private var journal: SQLiteJournal?
    private let told = Locked(Told())
    private var keys = 0
    private(set) var number = 0
    /// What each version of each epoch is; a version that was lost may be another later.
    private var images: [Version: ListImage] = [:]
    /// The newest acknowledged version of each list, and whether its end was acknowledged.
    private var newest: [ListID: (version: Version, isDeleted: Bool)] = [:]
    /// The last writes that were acknowledged, had no room, or have no answer.
    private var answered: [Sent] = []
    private var unanswered: [(sent: Sent, isRefused: Bool)] = []
    /// Lists whose end was asked for, and may have come without an answer.
    private var ending: Set<ListID> = []
    private(set) var acknowledged = 0
    /// Whether the last start found that acknowledged commits may be missing.
    private var missesCommits = false
    /// Whether it did, or one before it that came to nothing.
    private var mayMissCommits = false

    var counts: SimulatedDiskState.Counts { disk.counts }

    init(seed: UInt64, isLying: Bool = false) throws {
        random = SeededGenerator(seed: seed)
        content = RandomLists(seed: seed, itemIDs: 8, sectionIDs: 3, bias: .everything)
        disk = SimulatedDisk(seed: ~seed, isLying: isLying)
        vfs = SimulatedVFS(disk)
        logPagesMax = [8, 40, 200].randomElement(using: &random) ?? 40
        isAsyncAtTimes = random.once(in: 4)
        store = try Store(journal: nil, limits: Self.limits, clock: { 0 }, token: { "none" })
    }

    /// Runs so many steps, and looks at what is left.
    mutating func run(steps: Int) throws {
        // What SQLite has open must be closed before its way to the disk goes.
        defer { store.stop() }
        try start()
        for _ in 0..<steps { try step() }
        disk.plan(nil)
        try restart()
    }

    private mutating func step() throws {
        number += 1
        clock.withLock { $0 += random.below(3) }
        switch random.below(50) {
        case 0: try restart()
        case 1, 2: plan()
        case 3: disk.limit(to: random.once(in: 2) ? random.below(4_000) : nil)
        case 4, 5: try? store.compact()
        case 6: if random.once(in: 8) { shrink() }
        case 7...9: try retryAnswered()
        case 10...12: try retryUnanswered()
        case 13...24:
            store.step()
            enterTold()
            try check(Self.lists)
        default: submit()
        }
        // A disk that has failed is opened anew.
        if disk.isDown || !store.isAcceptingWrites { try restart() }
    }

    private func violation(_ text: String) -> Violation { Violation(description: "step \(number): \(text)") }

    private mutating func plan() {
        disk.plan(random.pick(SimulatedDiskState.Fault.allCases), after: random.below(60))
    }

    // MARK: Lives

    /// The process ends in some way, and another one reads the disk.
    private mutating func restart() throws {
        switch random.below(3) {
        case 0: break
        case 1: disk.end(losingPower: false)
        default: disk.end(losingPower: true)
        }
        store.stop()
        enterTold()
        disk.end(losingPower: random.once(in: 2))
        disk.restart()
        try start()
    }

    private mutating func start() throws {
        for attempt in 0... {
            if attempt > 2 { disk.limit(to: nil) } else if random.once(in: 3) { plan() }
            let faults = disk.counts.faults
            do {
                try open()
                return try checkAfterStart()
            } catch let error as JournalError {
                guard disk.counts.faults > faults else { throw violation("no start: \(error)") }
                switch error {
                case .full, .io: break
                case .corrupt, .locked, .readOnly, .closed: throw violation("no start: \(error)")
                }
            }
            disk.end(losingPower: random.once(in: 2))
            store.stop()
            disk.restart()
        }
    }

    private mutating func open() throws {
        let durability: SQLiteJournal.Durability = isAsyncAtTimes && random.once(in: 2) ? .async : .sync
        let journal = try SQLiteJournal(
            directory: "/store", durability: durability, pageSize: 512, logPagesMax: logPagesMax, on: disk)
        do {
            missesCommits = journal.recovery.mayMissCommits
            mayMissCommits = mayMissCommits || missesCommits
            guard !missesCommits || isAsyncAtTimes || acknowledged == 0 else {
                throw violation("the mark of acknowledged commits is gone")
            }
            store = try Store(
                journal: journal, mayMissCommits: missesCommits, limits: Self.limits, compaction: nil, intents: nil,
                isStepped: true, clock: { [clock] in clock.withLock { $0 } },
                token: { [epochs] in
                    epochs.withLock { epochs in
                        epochs += 1
                        return "e\(epochs)"
                    }
                })
            self.journal = journal
        } catch {
            journal.close()
            throw error
        }
    }

    private mutating func checkAfterStart() throws {
        // Lists are read when they are first asked for, and reading may fail.
        for id in Self.lists { _ = try snapshot(of: id) }
        if mayMissCommits { try forgetVersions() } else { try check(Self.lists) }
        for id in Self.lists {
            let head = try snapshot(of: id)
            newest[id] = head.map { ($0.version, false) }
        }
        ending = []
        mayMissCommits = false
    }

    /// Every list is what it was at some time, and no version is used twice.
    private mutating func forgetVersions() throws {
        answered = []
        for id in Self.lists {
            guard let head = try snapshot(of: id) else { continue }
            let image = ListImage(head.state)
            guard images.keys.allSatisfy({ $0.epoch != head.version.epoch }) else {
                // A start that came to nothing may have found a doubt that the disk never had.
                guard !missesCommits else {
                    throw violation("the list \(id) goes on as \(head.version), though commits may be missing")
                }
                try check([id])
                continue
            }
            guard images.values.contains(image) else { throw violation("the list \(id) never was what it is") }
            images[head.version] = image
        }
    }

    // MARK: Writes

    private mutating func submit() {
        let list = Self.lists[random.below(Self.lists.count)]
        keys += 1
        let key = ReceiptKey(scope: Array("\(keys)".utf8), request: [1])
        let state = store.loaded(list)?.enter { $0.state }
        let operations = state.map { [content.operation(on: $0)] } ?? [.applySnapshot(content.snapshot())]
        let kind: Sent.Kind = state == nil ? .create : random.once(in: 25) ? .delete : .change
        _ = send(list, key, Write(.operations(operations), key: key), kind)
    }

    /// Hands a write to the store; returns what it made of it, nil if it refused it.
    private mutating func send(_ list: ListID, _ key: ReceiptKey, _ write: Write, _ kind: Sent.Kind) -> WriteResult? {
        let submission =
            switch kind {
            case .create: store.create(list, write)
            case .change: store.submit(list, write)
            case .delete: store.delete(list, write)
            }
        guard case .success(let result) = submission.result else { return nil }
        guard !result.isReplay else { return result }
        if kind == .delete {
            ending.insert(list)
        } else if let state = store.loaded(list)?.enter({ $0.state }) {
            images[result.version] = ListImage(state)
        }
        let sent = Sent(
            list: list, key: key, write: write, version: result.version, kind: kind, time: clock.withLock { $0 })
        submission.durability?.whenDone { [told] outcome in
            told.withLock { told in
                switch outcome {
                case .success: told.acknowledged.append(sent)
                case .failure(.full): told.refused.append(sent)
                case .failure: told.unknown.append(sent)
                }
            }
        }
        return result
    }

    private mutating func enterTold() {
        let told = told.withLock { told in
            defer { told = Told() }
            return told
        }
        for sent in told.acknowledged {
            newest[sent.list] = (sent.version, sent.kind == .delete)
            answered.append(sent)
        }
        acknowledged += told.acknowledged.count
        ending.subtract(told.refused.filter { $0.kind == .delete }.map(\.list))
        unanswered += told.refused.map { ($0, true) } + told.unknown.map { ($0, false) }
        answered.removeFirst(max(0, answered.count - 150))
        unanswered.removeFirst(max(0, unanswered.count - 50))
    }

    /// A write that was acknowledged is not done twice.
    private mutating func retryAnswered() throws {
        guard let sent = answered.randomElement(using: &random), clock.withLock({ $0 }) - sent.time < 300 else {
            return
        }
        let before = head(of: sent.list)
        let result = send(sent.list, sent.key, sent.write, sent.kind)
        guard let result, result.isReplay, result.version == sent.version else {
            throw violation(
                "\(sent.version) was acknowledged, and a retry gives \(String(describing: result?.version))")
        }
        guard head(of: sent.list) == before else { throw violation("a retry of \(sent.version) did something") }
    }

    /// A write without an answer was done or not; from its next answer on it was. One that had no room was not.
    private mutating func retryUnanswered() throws {
        guard !unanswered.isEmpty else { return }
        let (sent, isRefused) = unanswered.remove(at: random.below(unanswered.count))
        guard let result = send(sent.list, sent.key, sent.write, sent.kind), result.isReplay else { return }
        guard !isRefused else { throw violation("\(sent.version) had no room, and yet is there") }
        guard result.version == sent.version else {
            throw violation("\(sent.version) is now \(result.version)")
        }
        answered.append(sent)
    }

    /// Writes all of the file anew.
    private func shrink() {
        try? store.betweenWrites { [journal] () throws(JournalError) in try journal?.shrink() }
    }

    // MARK: Checks

    /// What readers see of a list.
    private func snapshot(of list: ListID) throws -> ListSnapshot? {
        do throws(StoreError) { return try store.list(list)?.enter { $0.snapshot() } } catch {
            guard case .unreadable(_, let cause) = error else { throw error }
            throw cause
        }
    }

    private func head(of list: ListID) -> Version? {
        store.loaded(list)?.enter { $0.version(at: $0.history.newest) }
    }

    /// Compares what readers see with what was acknowledged, and with what was written.
    private func check(_ lists: [ListID]) throws {
        for id in lists {
            let head = try snapshot(of: id)
            let known = newest[id]
            let mayBeGone = known?.isDeleted ?? true || ending.contains(id)
            guard let head else {
                guard mayBeGone else { throw violation("the list \(id) is gone") }
                continue
            }
            guard images[head.version] == ListImage(head.state) else {
                throw violation("the list \(id) is not what it was at \(head.version)")
            }
            guard let known, !mayBeGone else { continue }
            guard head.version.epoch == known.version.epoch, head.version.revision >= known.version.revision else {
                throw violation("the list \(id) is at \(head.version), and \(known.version) was acknowledged")
            }
        }
    }
}
