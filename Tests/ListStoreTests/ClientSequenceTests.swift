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
        #expect(await Self.submit(fixture, Self.write(Self.number(7))) == "gap(expected: 1)")
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
        guard case .out(.gap(expected: 1)) = sequences.begin(two, of: list, hasAsked: true) else {
            throw Missing(what: "no gap while the one before is being decided")
        }
        let accepted = try #require(sequences.accept(one, of: list, answer: [1]))
        guard case .next(let turn) = sequences.begin(two, of: list, hasAsked: true) else {
            throw Missing(what: "not free")
        }
        let told = Locked<[String]>([])
        sequences.refuse(two, of: list, turn: turn, answer: [2]) { outcome in told.change { $0.append("\(outcome)") } }
        #expect(told.withLock { $0 } == [])
        _ = try journal.keep([accepted.write])
        sequences.settle(accepted, .success(()))
        told.wait(until: { !$0.isEmpty }) { #expect($0 == ["done"]) }
        guard case .out(.refusedBefore([2])) = sequences.begin(two, of: list, hasAsked: true) else {
            throw Missing(what: "not refused")
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

    // MARK: Room

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
    @Test(arguments: [(40, Int.max), (10_000, 40_000)]) func oneOwnerDoesNotTakeTheRoomOfOthers(count: Int, bytes: Int)
    {
        var kept = Self.kept(count, bytes)
        func add(_ number: Int, _ owner: ByteText) {
            kept.change(Self.key(number), owner: owner) {
                $0.content = KeyedRecord.Content(used: number, value: [UInt8(truncatingIfNeeded: number)])
            }
            _ = kept.trim(since: .min)
        }
        for number in 0..<3 { add(number, "small") }
        for number in 3..<1_000 { add(number, "great") }
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
