import ListDiff
import ListModel
import TestSupport
import Testing
import Texts
import Threads

@testable import ListStore

/// The sequences of clients in a store: their records, their turns and their room.
@Suite struct ClientSequenceTests {
    private static func number(
        _ number: Int, client: UInt8 = 1, owner: ByteText = "", request: UInt8? = nil
    ) -> WriteNumber {
        WriteNumber(
            client: [UInt8](repeating: client, count: 32), owner: owner, number: number,
            request: [request ?? UInt8(truncatingIfNeeded: number)])
    }

    private static func write(_ number: WriteNumber, _ operation: ListModel.Operation = .toggleStar("a")) -> Write {
        var write = Write(.operation(operation))
        write.number = number
        return write
    }

    private static func submit(_ fixture: StoreFixture, _ write: Write) async -> String {
        switch await fixture.store.submit(StoreFixture.list, write).settled() {
        case .success(let result): return result.isReplay ? "again" : "done"
        case .failure(.outOfSequence(let reason)): return "\(reason)"
        case .failure(.journal(let error)): return "journal(\(error))"
        case .failure(let error): return "\(error)"
        }
    }

    // MARK: Records

    private static let stored = [
        StoredSequence(number: 1, refused: 0, owner: "", request: [], answer: .applied),
        StoredSequence(number: 1 << 50, refused: .max, owner: "ci", request: [1, 2], answer: .result([1, 2, 3])),
        StoredSequence(number: 77, refused: 1 << 63 | 1, owner: "é", request: [0], answer: .refusal([])),
    ]

    @Test(arguments: stored.indices) func aRecordIsReadAsItWasWritten(index: Int) throws {
        let bytes = Self.stored[index].bytes
        #expect(try StoredSequence(bytes) == Self.stored[index])
        for count in bytes.indices {
            #expect(throws: ByteReader.Malformed.self) { try StoredSequence(Array(bytes[..<count])) }
        }
        for more in [[0], bytes] { #expect(throws: ByteReader.Malformed.self) { try StoredSequence(bytes + more) } }
    }

    @Test func aRefusedNumberIsKnownForAWhile() {
        for distance in 0..<200 {
            let isKnown = StoredSequence.isRefused(1_000 - distance, below: 1_000, .max)
            #expect(isKnown == (distance < 64))
            #expect(!StoredSequence.isRefused(1_000 - distance, below: 1_000, 0))
        }
    }

    /// Records of another program, or that are damaged, are like an empty sequence, which begins anew.
    @Test func aRecordThatCannotBeReadBeginsAnew() async throws {
        let journal = MemoryJournal()
        let key = Self.number(1).key(of: StoreFixture.list)
        _ = try journal.keep([RecordWrite(key, .unconditional, KeyedRecord.Content(used: 5, value: [9, 9]))])
        let fixture = try StoreFixture("A:a", journal: journal)
        #expect(await Self.submit(fixture, Self.write(Self.number(7))) == "unknown")
        #expect(await Self.submit(fixture, Self.write(Self.number(1))) == "done")
        #expect(await Self.submit(fixture, Self.write(Self.number(1))) == "again")
        fixture.store.stop()
        #expect(try StoredSequence(#require(try journal.value(key))).number == 1)
    }

    // MARK: Turns

    /// A number whose commit is lost is free again, with those behind it.
    @Test func aLostCommitFreesItsNumber() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture("A:a", journal: journal)
        #expect(await Self.submit(fixture, Self.write(Self.number(1))) == "done")
        journal.fail(with: .full)
        #expect(await Self.submit(fixture, Self.write(Self.number(2))) == "journal(\(JournalError.full))")
        journal.fail(with: nil)
        #expect(await Self.submit(fixture, Self.write(Self.number(3))) == "gap(expected: 2)")
        #expect(await Self.submit(fixture, Self.write(Self.number(2))) == "done")
        #expect(await Self.submit(fixture, Self.write(Self.number(3))) == "done")
        fixture.store.stop()
    }

    /// A refusal that rests on a number that waits for the disk is written behind it.
    @Test func aRefusalWaitsForTheNumberBefore() throws {
        let journal = MemoryJournal()
        let fixture = try StoreFixture("A:a", journal: journal)
        let sequences = fixture.store.shared.sequences
        let (list, one, two) = (StoreFixture.list, Self.number(1), Self.number(2))
        guard case .next = sequences.begin(one, of: list, hasAsked: true) else { throw Missing(what: "not the next") }
        guard case .out(.inFlight) = sequences.begin(one, of: list, hasAsked: true) else { throw Missing(what: "free") }
        func isInFlight(_ number: Int) -> Bool {
            guard case .out(.inFlight) = sequences.begin(Self.number(number), of: list, hasAsked: true) else {
                return false
            }
            return true
        }
        // No number that may be lost is told.
        #expect(isInFlight(2) && isInFlight(7))
        let accepted = try #require(sequences.accept(one, of: list, answer: [1]))
        guard case .next(let turn) = sequences.begin(two, of: list, hasAsked: true) else {
            throw Missing(what: "not free")
        }
        #expect(isInFlight(1) && isInFlight(3))
        let told = Locked<[String]>([])
        sequences.refuse(two, of: list, turn: turn, answer: [2]) { outcome in told.change { $0.append("\(outcome)") } }
        #expect(told.withLock { $0 } == [] && isInFlight(3))
        _ = try journal.keep([accepted.write])
        sequences.settle(accepted, .success(()))
        told.wait(until: { !$0.isEmpty }) { #expect($0 == ["done"]) }
        guard case .out(.refusedBefore([2])) = sequences.begin(two, of: list, hasAsked: true) else {
            throw Missing(what: "not refused")
        }
        guard case .out(.gap(expected: 3)) = sequences.begin(Self.number(4), of: list, hasAsked: true) else {
            throw Missing(what: "no gap when all is on disk")
        }
        fixture.store.stop()
    }

    /// If the number before is lost, the refusal is not written.
    @Test func aRefusalIsLostWithTheNumberBefore() throws {
        let fixture = try StoreFixture("A:a", journal: MemoryJournal())
        let sequences = fixture.store.shared.sequences
        let (list, one, two) = (StoreFixture.list, Self.number(1), Self.number(2))
        _ = sequences.begin(one, of: list, hasAsked: true)
        let accepted = try #require(sequences.accept(one, of: list, answer: [1]))
        guard case .next(let turn) = sequences.begin(two, of: list, hasAsked: true) else {
            throw Missing(what: "not free")
        }
        let told = Locked<[String]>([])
        sequences.refuse(two, of: list, turn: turn, answer: [2]) { outcome in told.change { $0.append("\(outcome)") } }
        sequences.settle(accepted, .failure(.full))
        #expect(told.withLock { $0 } == ["failed"])
        guard case .next = sequences.begin(one, of: list, hasAsked: true) else { throw Missing(what: "not free again") }
        fixture.store.stop()
    }

    /// A sequence that is too old is forgotten once its client begins anew, also while that write is on the way.
    @Test func anOldSequenceIsForgottenWhenItBeginsAnew() throws {
        let time = Locked(1_000)
        var limits = StoreFixture.limits
        limits.sequences = ClientSequences.Limits(countMax: 10, ageMax: 100)
        let sequences = ClientSequences(
            limits, queue: nil, isShared: false, clock: AgeClock(showing: 1_000) { time.withLock { $0 } })
        func begin(_ number: Int) -> String {
            switch sequences.begin(Self.number(number), of: StoreFixture.list, hasAsked: true) {
            case .next: "next"
            case .kept: "kept"
            case .mustAsk: "mustAsk"
            case .out(let reason): "\(reason)"
            }
        }
        func apply(_ number: Int) throws {
            let accepted = sequences.accept(Self.number(number), of: StoreFixture.list, answer: [1])
            sequences.settle(try #require(accepted), .success(()))
        }
        for number in 1...4 {
            #expect(begin(number) == "next")
            try apply(number)
        }
        #expect(begin(4) == "kept" && begin(2) == "appliedBefore" && begin(9) == "gap(expected: 5)")
        time.change { $0 += 101 }
        #expect(begin(9) == "unknown" && begin(5) == "unknown" && begin(2) == "unknown")
        #expect(begin(1) == "next")
        for number in 1...9 { #expect(begin(number) == "inFlight") }
        try apply(1)
        #expect(begin(1) == "kept" && begin(2) == "next")
        try apply(2)
        #expect(begin(1) == "appliedBefore" && begin(4) == "gap(expected: 3)")
    }

    // MARK: Room

    /// A long answer is not kept, so that it does not take the room of many.
    @Test func aLongAnswerIsNotKept() throws {
        let fixture = try StoreFixture("A:a")
        let sequences = fixture.store.shared.sequences
        let list = StoreFixture.list
        for (number, count) in zip(1..., [16 << 10, 16 << 10 + 1]) {
            let number = Self.number(number)
            guard case .next = sequences.begin(number, of: list, hasAsked: true) else { throw Missing(what: "no turn") }
            let answer = [UInt8](repeating: 7, count: count)
            let accepted = try #require(sequences.accept(number, of: list, answer: answer))
            sequences.settle(accepted, .success(()))
            switch sequences.begin(number, of: list, hasAsked: true) {
            case .kept(let bytes): #expect(bytes == answer && count == 16 << 10)
            case .out(.appliedBefore): #expect(count > 16 << 10)
            default: throw Missing(what: "not applied")
            }
        }
        // What is left out of a refusal is its reason, and it does not become a success.
        let number = Self.number(3)
        guard case .next(let turn) = sequences.begin(number, of: list, hasAsked: true) else {
            throw Missing(what: "no turn")
        }
        let answer = [UInt8](repeating: 7, count: 16 << 10 + 1)
        sequences.refuse(number, of: list, turn: turn, answer: answer) { #expect("\($0)" == "done") }
        guard case .out(.refusedBefore(nil)) = sequences.begin(number, of: list, hasAsked: true) else {
            throw Missing(what: "not refused")
        }
    }

    /// Refusals make room for themselves, in memory and in the journal.
    @Test(arguments: [false, true]) func refusalsAreBounded(isKept: Bool) throws {
        let journal = MemoryJournal()
        var limits = StoreFixture.limits
        limits.sequences = ClientSequences.Limits(countMax: 3)
        let fixture = try StoreFixture("A:a", journal: isKept ? journal : nil, limits: limits)
        let sequences = fixture.store.shared.sequences
        for client in UInt8(1)...50 {
            let number = Self.number(1, client: client)
            guard case .next(let turn) = sequences.begin(number, of: StoreFixture.list, hasAsked: true) else {
                throw Missing(what: "no turn")
            }
            let told = Locked(false)
            sequences.refuse(number, of: StoreFixture.list, turn: turn, answer: [1]) { _ in told.change { $0 = true } }
            told.wait(until: { $0 }) { _ in }
        }
        sequences.waitUntilWritten()
        #expect(sequences.count == 3)
        fixture.store.stop()
        guard isKept else { return }
        journal.reopen()
        #expect(try journal.records(of: .sequence, after: nil, limit: 99).count == 3)
    }

    /// Nobody waits for the removal of all that are too many, as after a start with a lower limit.
    @Test func aTrimRemovesFewAtOnce() {
        var kept = Self.kept(10)
        for number in 0..<1_000 {
            kept.change(Self.key(number), owner: "") {
                $0.content = KeyedRecord.Content(used: number, value: [1])
                $0.deciding = number < 200 ? 1 : nil
            }
        }
        var (gone, trims) = ([KeyedRecord](), 0)
        while kept.count > 200 {
            let some = kept.trim(since: .min)
            #expect(some.count <= 64)
            gone += some
            trims += 1
            guard trims < 100 else { break }
        }
        #expect(gone.map(\.key) == (200..<1_000).map(Self.key))
    }

    private static func kept(_ countMax: Int, _ bytesMax: Int = .max) -> KeptSequences {
        KeptSequences(ClientSequences.Limits(countMax: countMax, bytesMax: bytesMax, ageMax: 100), of: .unbounded)
    }

    private static func key(_ number: Int) -> KeyedRecord.Key {
        KeyedRecord.Key(.sequence, Array("\(number)".utf8))
    }

    @Test func theOneUsedLongestAgoGoesFirst() {
        var kept = Self.kept(4)
        for number in 0..<200 {
            for used in [number, number / 2] {
                kept.change(Self.key(used), owner: "") {
                    $0.content = KeyedRecord.Content(used: number, value: [UInt8(number)])
                }
            }
            _ = kept.trim(since: .min)
            #expect(kept.count <= 4 && kept[Self.key(number / 2)] != nil && kept[Self.key(number)] != nil)
        }
        #expect(kept.count == 4)
        #expect(kept.trim(since: 200).count == 4)
        #expect(kept.count == 0 && kept.bytes == 0)
    }

    /// Whoever begins sequences without end loses its own, and those who have less than their share lose none.
    /// All without a token are one owner.
    @Test(arguments: [(40, Int.max), (10_000, 40_000)], ["great", ""])
    func oneOwnerDoesNotTakeTheRoomOfOthers(room: (count: Int, bytes: Int), great: ByteText) {
        let (count, bytes) = room
        var kept = Self.kept(count, bytes)
        func add(_ number: Int, _ owner: ByteText) {
            kept.change(Self.key(number), owner: owner) {
                $0.content = KeyedRecord.Content(used: number, value: [UInt8(truncatingIfNeeded: number)])
            }
            _ = kept.trim(since: .min)
        }
        for number in 0..<3 { add(number, "small") }
        for number in 3..<1_000 { add(number, great) }
        #expect((0..<3).allSatisfy { kept[Self.key($0)] != nil })
        #expect(kept[Self.key(999)] != nil && kept.count <= count && kept.bytes <= bytes)
    }

    @Test func oneInUseStays() {
        var kept = Self.kept(1)
        for number in 0..<3 {
            kept.change(Self.key(number), owner: "") {
                $0.content = KeyedRecord.Content(used: number, value: [1])
                $0.deciding = number == 0 ? 1 : nil
            }
        }
        #expect(kept.trim(since: .min).map(\.key) == [Self.key(1), Self.key(2)])
        #expect(kept[Self.key(0)] != nil)
    }
}

extension MemoryJournal {
    fileprivate func value(_ key: KeyedRecord.Key) throws -> [UInt8]? {
        reopen()
        return try record(key)?.value
    }
}
