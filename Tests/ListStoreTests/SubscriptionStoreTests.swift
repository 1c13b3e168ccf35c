import Threads
import TestSupport
import Texts
import Testing

@testable import ListStore

/// The number of subscriptions is bounded. The one that was used longest ago is removed first.
@Suite struct SubscriptionStoreTests {
    private static func subscriptions(
        _ limits: Subscriptions.Limits, clock: @escaping @Sendable () -> Int = { 0 }
    ) throws -> Subscriptions {
        let count = Locked(0)
        return try Subscriptions(
            nil, limits, queue: nil, memory: .unbounded, clock: clock,
            token: {
                count.withLock { count in
                    count += 1
                    return "token-of-some-length-\(count)"
                }
            })
    }

    @Test func theOneUsedLongestAgoGoesFirst() throws {
        let now = Locked(0)
        let kept = try Self.subscriptions(Subscriptions.Limits(countMax: 16, bytesMax: 1 << 20, ageMax: 1_000)) {
            now.withLock { $0 }
        }
        let names = (0..<16).map { number in
            now.withLock { $0 += 1 }
            return kept.add([UInt8(number)], owner: "") { _, error in #expect(error == nil) }.name
        }
        now.withLock { $0 += 1 }
        #expect(try kept.find(names[0]) == [0])
        let last = kept.add([99], owner: "") { _, _ in }.name
        #expect(kept.count <= 16)
        #expect(try kept.find(names[1]) == nil)
        #expect(try kept.find(names[0]) == [0] && kept.find(last) == [99] && kept.find(names[15]) == [15])
        #expect(Set(names).count == 16)
    }

    @Test func theyAreBoundedTogether() throws {
        let kept = try Self.subscriptions(Subscriptions.Limits(countMax: 1_000, bytesMax: 1_600, ageMax: 10))
        for number in 0..<100 {
            let name = kept.add([UInt8](repeating: UInt8(number), count: 100), owner: "") { _, _ in }.name
            #expect(try kept.find(name)?.count == 100)
            #expect(kept.count <= 16)
        }
    }

    /// Whoever adds without end loses its own, and those who have less than their share lose none.
    @Test(arguments: [(40, 1 << 20), (1_000, 400)]) func oneOwnerDoesNotTakeTheRoomOfOthers(count: Int, bytes: Int)
        throws
    {
        let now = Locked(0)
        let kept = try Self.subscriptions(Subscriptions.Limits(countMax: count, bytesMax: bytes, ageMax: 10_000)) {
            now.withLock { $0 }
        }
        func add(_ owner: ByteText) -> ByteText {
            now.withLock { $0 += 1 }
            return kept.add([UInt8](repeating: 7, count: 10), owner: owner) { _, _ in }.name
        }
        let others = (0..<3).flatMap { _ in ["a", "b"].map(add) }
        for _ in 0..<200 {
            let last = add("greedy")
            #expect(try kept.find(last) != nil)
        }
        #expect(kept.count <= 40)
        for name in others { #expect(try kept.find(name) != nil) }
        // Alone, it may have more than a share.
        #expect(kept.count > 20)
        // Others take its room as soon as they need it.
        let newest = (0..<3).map { _ in add("c") }
        for name in others + newest { #expect(try kept.find(name) != nil) }
    }

    @Test func whatNobodyUsesEnds() throws {
        let now = Locked(0)
        let kept = try Self.subscriptions(Subscriptions.Limits(ageMax: 100)) { now.withLock { $0 } }
        let added = kept.add([1], owner: "") { _, _ in }
        #expect(added.until == 100)
        now.withLock { $0 = 90 }
        #expect(try kept.find(added.name) == [1])
        now.withLock { $0 = 190 }
        #expect(try kept.find(added.name) == [1])
        now.withLock { $0 = 291 }
        #expect(try kept.find(added.name) == nil)
        #expect(kept.count == 0)
        #expect(try kept.find("nobody") == nil)
    }

    // MARK: With a journal

    /// A journal of records, which can refuse their writes.
    private final class Records: PartialJournal {
        let failure = Locked<JournalError?>(nil)
        let kept = Locked<[KeyedRecord.Key: KeyedRecord.Content]>([:])

        func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
            if let failure = failure.withLock({ $0 }) { throw failure }
            return kept.withLock { kept in
                records.map { one in
                    if case .isStill(let content) = one.condition, kept[one.key] != content { return false }
                    kept[one.key] = one.content
                    return true
                }
            }
        }

        func records(
            of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
        ) throws(JournalError) -> [KeyedRecord] {
            let all = kept.withLock { $0 }.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
            return all.filter { row in key.map { $0.lexicographicallyPrecedes(row.key.bytes) } ?? true }.prefix(limit)
                .map {
                    KeyedRecord($0.key, $0.value)
                }
        }

        var count: Int { kept.withLock { $0.count } }
    }

    private static func subscriptions(_ journal: Records, countMax: Int = 100) throws -> Subscriptions {
        let count = Locked(0)
        return try Subscriptions(
            journal, Subscriptions.Limits(countMax: countMax), queue: CommitQueue(journal: journal, isStepped: true),
            memory: .unbounded, clock: { count.withLock { $0 } },
            token: {
                count.withLock { count in
                    count += 1
                    return "token-of-some-length-\(count)"
                }
            })
    }

    /// Adds a subscription and waits for the journal. Returns its name if the journal has it.
    private static func add(_ kept: Subscriptions, _ error: JournalError? = nil) -> ByteText {
        let outcomes = Locked<[JournalError?]>([])
        let name = kept.add([1], owner: "") { _, error in outcomes.withLock { $0.append(error) } }.name
        kept.waitUntilWritten()
        let all = outcomes.withLock { $0 }
        #expect(all == [error])
        return name
    }

    @Test func anOwnerIsKnownAfterARestart() throws {
        let journal = Records()
        let first = try Self.subscriptions(journal, countMax: 20)
        let mine = first.add([1], owner: "me") { _, _ in }.name
        for _ in 0..<19 { first.add([1], owner: "greedy") { _, _ in } }
        first.waitUntilWritten()
        first.stop()
        #expect(journal.count == 20)
        let second = try Self.subscriptions(journal, countMax: 20)
        #expect(second.count == 20)
        for _ in 0..<9 { second.add([1], owner: "greedy") { _, _ in } }
        #expect(try second.find(mine) == [1])
        second.stop()
    }

    @Test func oneThatTheJournalRefusedIsNotKept() throws {
        let journal = Records()
        let kept = try Self.subscriptions(journal)
        journal.failure.withLock { $0 = .full }
        let refused = Self.add(kept, .full)
        #expect(try kept.find(refused) == nil && kept.count == 0)
        journal.failure.withLock { $0 = nil }
        let name = Self.add(kept)
        #expect(try kept.find(name) == [1] && kept.count == 1 && journal.count == 1)
        kept.stop()
    }

    @Test func aRefusedRemovalIsTriedAgain() throws {
        let journal = Records()
        let kept = try Self.subscriptions(journal, countMax: 16)
        for _ in 0..<16 { _ = Self.add(kept) }
        journal.failure.withLock { $0 = .full }
        _ = Self.add(kept, .full)
        #expect(kept.count < 16 && journal.count == 16)
        journal.failure.withLock { $0 = nil }
        _ = Self.add(kept)
        #expect(journal.count == kept.count)
        kept.stop()
    }

    @Test func everyAddEndsAlthoughOthersStop() throws {
        for _ in 0..<500 {
            let kept = try Self.subscriptions(Records())
            let ended = Locked<[JournalError?]>([])
            let adder = try Thread { kept.add([1], owner: "") { _, error in ended.withLock { $0.append(error) } } }
            kept.stop()
            adder.join()
            kept.waitUntilWritten()
            let all = ended.withLock { $0 }
            #expect(all == [nil] || all == [.closed])
        }
    }
}
