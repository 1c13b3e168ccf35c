import ListStore
import TestSupport
import Testing
import Texts

@testable import SQLiteJournal

/// Stored subscriptions, in a table that is made when the first one is stored.
@Suite struct SubscriptionTableTests {
    private static func subscription(_ number: Int, used: Int = 7, byteCount: Int = 3) -> StoredSubscription {
        StoredSubscription(
            number: number, name: "name-\(number)", used: used,
            bytes: [UInt8](repeating: UInt8(number), count: byteCount))
    }

    private static func kept(_ folder: TemporaryFolder) throws -> [StoredSubscription] {
        let journal = try SQLiteJournal(directory: folder.path)
        defer { journal.close() }
        let all = try journal.replayed()
        #expect(journal.isSkimmed, "what is right needs no second look")
        #expect(all.entries == [JournalEntry("l", .create, "one")])
        return try journal.subscriptions().sorted { $0.number < $1.number }
    }

    @Test func theyOutliveTheProcess() throws {
        let folder = try TemporaryFolder()
        let journal = try folder.journal()
        try journal.append([JournalEntry("l", .create, "one")])
        #expect(try journal.subscriptions().isEmpty)
        let all = [Self.subscription(1), Self.subscription(2, byteCount: 100_000), Self.subscription(3, byteCount: 0)]
        try journal.keep(all, removing: [])
        #expect(try journal.subscriptions().count == 3)
        journal.close()
        #expect(try Self.kept(folder) == all)

        let again = try folder.journal()
        try again.keep([Self.subscription(3, used: 99), Self.subscription(4)], removing: [1, 2, 77])
        again.close()
        #expect(try Self.kept(folder) == [Self.subscription(3, used: 99), Self.subscription(4)])
    }

    /// No list depends on a subscription, so a damaged one is no reason to refuse the folder.
    @Test func aDamagedOneIsLeftOut() throws {
        let folder = try TemporaryFolder()
        let journal = try folder.journal()
        try journal.append([JournalEntry("l", .create, "one")])
        try journal.keep([Self.subscription(1), Self.subscription(2)], removing: [])
        journal.close()
        try folder.change("UPDATE subscriptions SET bytes = x'00' WHERE number = 1")
        #expect(try Self.kept(folder) == [Self.subscription(2)])
    }

    @Test func aFullDiskRefusesThemAndKeepsAllElse() throws {
        let folder = try TemporaryFolder()
        let journal = try folder.journal()
        try journal.append([JournalEntry("l", .create, "one")])
        try journal.keep([Self.subscription(1)], removing: [])
        try journal.limitPages(to: 40)
        #expect(journalError { try journal.keep([Self.subscription(2, byteCount: 100_000)], removing: [1]) } == .full)
        #expect(try journal.subscriptions() == [Self.subscription(1)])
        journal.close()
        #expect(try Self.kept(folder) == [Self.subscription(1)])
    }
}
