import ListDiff
import ListModel
import Threads
import TestSupport
import Texts

@testable import ListStore
@testable import SQLiteJournal

/// A store with its journal in one thread, on a disk that fails. A seed makes every choice.
struct Simulation {
    /// A broken promise, with the step at which it was seen.
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    /// A write and its outcome.
    struct Sent: Sendable {
        enum Kind: Sendable, CaseIterable { case create, change, delete, undo, restore }

        var list: ListID
        var key: ReceiptKey
        var write: Write
        var version: Version
        var kind: Kind
        var time: Int
        /// Whether the write was sent while the end of the previous list waited for the disk.
        var isOverEnd: Bool
        /// Whether the write restored a deleted list.
        var isRevival: Bool
    }

    static let lists = ["a", "b", "c"].compactMap { ListID($0) }
    /// Receipts are few and short-lived, so that some are dropped. Those of the last writes never are.
    static let limits = Store.Limits(
        itemsMax: 100, sectionsMax: 100, contentBytesMax: 1_000, historyVersionsMax: 8, historyBytesMax: 1 << 20,
        receiptsMax: 300,
        receiptAgeMax: 400, deleted: .init(listsMax: 2, bytesMax: 2_000, ageMax: 100))

    var random: SeededGenerator
    var content: RandomLists
    private let disk: SimulatedDisk
    private let vfs: SimulatedVFS
    private let logPagesMax: Int
    private let partBytes: Int
    /// Whether some lives do not wait for the disk.
    private let isAsyncAtTimes: Bool
    private let clock = Locked(1_000)
    private let epochs = Locked(0)
    private(set) var store: Store
    private var journal: SQLiteJournal?
    private let told = Locked(Told())
    private var keys = 0
    private(set) var number = 0
    /// The state of each version of each epoch. A version that was lost may later have another state.
    var images: [Version: ListImage] = [:]
    /// The highest revision of each epoch that was ever decided, also of a write whose commit failed before its answer.
    private(set) var furthest: [ByteText: Int] = [:]
    /// The newest acknowledged version of each list, and whether its end was acknowledged.
    private(set) var newest: [ListID: (version: Version, isDeleted: Bool)] = [:]
    /// The version of each list that readers must see until the next start: the version found at the last start, or a
    /// later acknowledged one.
    private(set) var shown: [ListID: Version] = [:]
    /// The last writes that were acknowledged, that had no room, or that have no answer.
    private var answered: [Sent] = []
    private var unanswered: [(sent: Sent, isRefused: Bool)] = []
    /// Lists whose end was asked for and may have come without an answer.
    private(set) var ending: Set<ListID> = []
    /// The last acknowledged deletion.
    private(set) var lastDeletion: Sent?
    /// The last accepted write of each list.
    private(set) var lastKeys: [ListID: ReceiptKey] = [:]
    private(set) var acknowledged = 0
    var besides = Besides()
    /// Work that is done in the middle of a write, after the clock has been read `looks` times.
    private let within = Locked<(looks: Int, body: @Sendable () -> Void)?>(nil)
    /// Whether the last start found that acknowledged commits may be missing.
    private var missesCommits = false
    /// Whether the last start found this, or an earlier start that failed.
    private var mayMissCommits = false

    var counts: SimulatedDiskState.Counts { disk.counts }

    init(seed: UInt64, isLying: Bool = false) throws {
        random = SeededGenerator(seed: seed)
        content = RandomLists(seed: seed, itemIDs: 8, sectionIDs: 3, bias: .everything)
        disk = SimulatedDisk(seed: ~seed, isLying: isLying)
        vfs = SimulatedVFS(disk)
        logPagesMax = [8, 40, 200].randomElement(using: &random) ?? 40
        partBytes = [60, 200, 1 << 20].randomElement(using: &random) ?? 60
        isAsyncAtTimes = random.once(in: 4)
        store = try Store(journal: nil, limits: Self.limits, clock: { 0 }, token: { "none" })
    }

    /// Runs a number of steps and checks the result.
    mutating func run(steps: Int) throws {
        // SQLite's connections must be closed before the VFS goes.
        defer { store.stop() }
        try start()
        for _ in 0..<steps { try step() }
        disk.plan(nil)
        try restart()
    }

    private mutating func step() throws {
        number += 1
        let faults = disk.counts.faults
        clock.withLock { $0 += random.below(3) }
        switch random.below(50) {
        case 0: try restart()
        case 1, 2: plan()
        case 3: disk.limit(to: random.once(in: 2) ? random.below(4_000) : nil)
        case 4, 5: _ = try? store.compact()
        case 6: if random.once(in: 8) { try? journal?.shrink() }
        case 7...9: try retryAnswered()
        case 10...12: try retryUnanswered()
        case 13...24:
            store.step()
            enterTold()
        default: try submit()
        }
        do { try checkReaders(isThorough: random.once(in: 4)) } catch let error as JournalError {
            // A list that has left memory is read from the disk.
            guard disk.counts.faults > faults else { throw violation("a list cannot be read: \(error)") }
            return try restart()
        }
        // A disk that has failed is opened again.
        if disk.isDown || !store.isAcceptingWrites { try restart() }
    }

    func violation(_ text: String) -> Violation { Violation(description: "step \(number): \(text)") }

    private mutating func plan() {
        disk.plan(random.pick(SimulatedDiskState.Fault.allCases), after: random.below(60))
    }

    // MARK: Lives

    /// Ends the process in some way, and starts another one on the disk.
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
                case .corrupt, .otherFormat, .locked, .readOnly, .closed, .tooLarge, .moved, .away, .unknown:
                    throw violation("no start: \(error)")
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
            directory: "/store", durability: durability, pageSize: 512, logPagesMax: logPagesMax, partBytes: partBytes,
            on: disk)
        do {
            missesCommits = journal.recovery.mayMissCommits
            mayMissCommits = mayMissCommits || missesCommits
            guard !missesCommits || isAsyncAtTimes || acknowledged == 0 else {
                throw violation("the mark of acknowledged commits is gone")
            }
            var limits = Self.limits
            // In every second life lists leave memory as soon as nobody uses them.
            if random.once(in: 2) { limits.listsMemoryBytesMax = 1 }
            store = try Store(
                journal: journal, mayMissCommits: missesCommits, limits: limits, compaction: nil, intents: nil,
                isStepped: true,
                clock: { [clock, within] in
                    let body: (@Sendable () -> Void)? = within.withLock { within in
                        within?.looks -= 1
                        guard let next = within, next.looks < 0 else { return nil }
                        within = nil
                        return next.body
                    }
                    body?()
                    return clock.withLock { $0 }
                },
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
        // A list is read when it is first asked for, and reading may fail.
        for id in Self.lists { _ = try snapshot(of: id) }
        if mayMissCommits {
            try forgetVersions()
        } else {
            try check(Self.lists)
            try checkLastDeletion(now: clock.withLock { $0 })
        }
        for id in Self.lists {
            let head = try snapshot(of: id)
            newest[id] = head.map { ($0.version, false) }
            shown[id] = head?.version
        }
        ending = []
        mayMissCommits = false
    }

    /// Checks that every list is in a state that it once had, and that no version is used twice.
    private mutating func forgetVersions() throws {
        answered = []
        lastDeletion = nil
        for id in Self.lists {
            guard let head = try snapshot(of: id) else { continue }
            let image = ListImage(head.state)
            guard images.keys.allSatisfy({ $0.epoch != head.version.epoch }) else {
                // An earlier start that failed may have found a doubt, the file of `Folder.raiseDoubt()`, that the disk
                // did not have durably. If power was lost since, this start finds no doubt, and then nothing may be
                // missing.
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

    private mutating func submit() throws {
        let list = Self.lists[random.below(Self.lists.count)]
        keys += 1
        let key = ReceiptKey(scope: Array("\(keys)".utf8), request: [1])
        // Some writes do not fit the list, to check that their refusal waits for the writes that it depends on.
        let kind = random.once(in: 10) ? random.pick(Sent.Kind.allCases) : self.kind(for: list)
        let write = Write(intent(of: kind, on: list), key: key)
        try sendNew(list, key, write, kind)
    }

    /// Sends a write for the first time. An immediate refusal must agree with what readers see.
    private mutating func sendNew(_ list: ListID, _ key: ReceiptKey, _ write: Write, _ kind: Sent.Kind) throws {
        let isRestorable = store.isDeleted(list)
        let (submission, result) = try send(list, key, write, kind)
        if kind == .restore, case .failure(let error) = submission.result {
            try checkRefusal(error, of: write, on: list, isRestorable: isRestorable)
        }
        guard result == nil, submission.durability == nil else { return }
        guard case .failure(.noSuchList) = submission.result else { return }
        guard shown[list] == nil else { throw violation("the list \(list) is said to be gone, and is there") }
    }

    /// The life of a list that a write goes to; nil if the list is ending.
    func open(_ list: ListID) -> ListActor? {
        guard let life = try? store.newest(list), !life.isEnding else { return nil }
        return life.list
    }

    /// Submits a write; returns its result too, or nil if it was refused.
    private mutating func send(
        _ list: ListID, _ key: ReceiptKey, _ write: Write, _ kind: Sent.Kind
    ) throws -> (Submission, WriteResult?) {
        let isOverEnd = (try? store.newest(list))?.isEnding == true
        let isRevival = kind == .restore && open(list) == nil
        let submission =
            switch kind {
            case .create: create(list, write, isOverEnd: isOverEnd)
            case .change, .undo: store.submit(list, write)
            case .delete: store.delete(list, write)
            case .restore: store.restore(list, write.restored, write)
            }
        guard case .success(let result) = submission.result else { return (submission, nil) }
        guard !result.isReplay else { return (submission, result) }
        lastKeys[list] = key
        furthest[result.version.epoch] = max(furthest[result.version.epoch] ?? 0, result.version.revision)
        if kind == .delete {
            ending.insert(list)
        } else if let (head, state) = open(list)?.enter({ ($0.head, $0.state) }), head == result.version {
            if kind == .restore { try checkRestored(ListImage(state), result, write.restored) }
            images[result.version] = ListImage(state)
        }
        let sent = Sent(
            list: list, key: key, write: write, version: result.version, kind: kind, time: clock.withLock { $0 },
            isOverEnd: isOverEnd && (kind == .create || isRevival), isRevival: isRevival)
        submission.durability?.whenDone { [told] outcome in
            told.withLock { told in
                switch outcome {
                case .success: told.acknowledged.append(sent)
                case .failure(.full): told.refused.append(sent)
                case .failure: told.unknown.append(sent)
                }
            }
        }
        return (submission, result)
    }

    /// Creates a list. If the end of the old list waits for the disk, that end may be decided while the new list is
    /// being made.
    private mutating func create(_ list: ListID, _ write: Write, isOverEnd: Bool) -> Submission {
        guard isOverEnd, random.once(in: 2) else { return store.create(list, write) }
        let failed = { [told] in told.withLock { $0.failed.count { $0.kind == .delete && $0.list == list } } }
        let decided = { [told] in told.withLock { $0.all.count { $0.kind == .delete && $0.list == list } } }
        let before = (decided(), failed())
        // The first reading of the clock is for the key, before the list is begun.
        within.withLock { [store] in $0 = (1, { store.step() }) }
        let submission = store.create(list, write)
        within.withLock { $0 = nil }
        besides.endsWithinSuccessors += decided() - before.0
        besides.endsFailedWithinSuccessors += failed() - before.1
        enterTold()
        return submission
    }

    private mutating func enterTold() {
        let told = told.withLock { told in
            defer { told = Told() }
            return told
        }
        count(told)
        for sent in told.acknowledged {
            if sent.kind == .delete { lastDeletion = sent }
            newest[sent.list] = (sent.version, sent.kind == .delete)
            shown[sent.list] = sent.kind == .delete ? nil : sent.version
            answered.append(sent)
        }
        acknowledged += told.acknowledged.count
        ending.subtract(told.refused.filter { $0.kind == .delete }.map(\.list))
        unanswered += told.refused.map { ($0, true) } + told.unknown.map { ($0, false) }
        answered.removeFirst(max(0, answered.count - 150))
        unanswered.removeFirst(max(0, unanswered.count - 50))
    }

    /// Sends an acknowledged write again, and checks that it is not done twice.
    private mutating func retryAnswered() throws {
        guard let sent = answered.randomElement(using: &random), clock.withLock({ $0 }) - sent.time < 300 else {
            return
        }
        let before = head(of: sent.list)
        let (_, result) = try send(sent.list, sent.key, sent.write, sent.kind)
        guard let result, result.isReplay, result.version == sent.version else {
            throw violation(
                "\(sent.version) was acknowledged, and a retry gives \(String(describing: result?.version))")
        }
        guard head(of: sent.list) == before else { throw violation("a retry of \(sent.version) did something") }
    }

    /// Sends a write without an answer again. It was done or not, and from its next answer on it is done. A write that
    /// had no room was not done.
    private mutating func retryUnanswered() throws {
        guard !unanswered.isEmpty else { return }
        let (sent, isRefused) = unanswered.remove(at: random.below(unanswered.count))
        guard let result = try send(sent.list, sent.key, sent.write, sent.kind).1, result.isReplay else { return }
        guard !isRefused else { throw violation("\(sent.version) had no room, and yet is there") }
        guard result.version == sent.version else { throw violation("\(sent.version) is now \(result.version)") }
        answered.append(sent)
    }
}
