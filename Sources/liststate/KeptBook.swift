import Access
import ListStore

/// The access book as a keyed record of a journal.
struct KeptBook: BookStore {
    private static let key = KeyedRecord.Key(.access, Array("book".utf8))

    let isShared: Bool
    private let record: @Sendable (KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content?
    private let keep: @Sendable ([RecordWrite]) throws(JournalError) -> [Bool]

    /// The book of a store that serves. It must keep records.
    init(_ store: Store) {
        isShared = store.sharesRecords
        record = { key throws(JournalError) in try store.record(key) }
        keep = { writes throws(JournalError) in try store.keep(writes) }
    }

    /// The book of a journal that no store of this process has open.
    init(_ journal: any Journal) {
        isShared = journal.isShared
        record = { key throws(JournalError) in try journal.record(key) }
        keep = { writes throws(JournalError) in try journal.keep(writes) }
    }

    func read() throws(BookStoreError) -> [UInt8]? {
        do throws(JournalError) { return try record(Self.key)?.value } catch { throw BookStoreError(cause: "\(error)") }
    }

    func replace(_ old: [UInt8]?, by new: [UInt8]) throws(BookStoreError) -> Bool {
        let before = old.map { KeyedRecord.Content(used: 0, value: $0) }
        let write = RecordWrite(Self.key, .isStill(before), KeyedRecord.Content(used: 0, value: new))
        do throws(JournalError) { return try keep([write]) == [true] } catch {
            throw BookStoreError(cause: "\(error)", isFull: error == .full)
        }
    }
}

/// Tickets as keyed records of a journal.
struct KeptTickets: TicketStore {
    private let store: Store

    /// The tickets of a store that keeps records.
    init(_ store: Store) { self.store = store }

    var isShared: Bool { store.sharesRecords }

    func page(after key: [UInt8]?, limit: Int) throws(BookStoreError) -> [(key: [UInt8], value: [UInt8])] {
        do throws(JournalError) {
            return try store.records(of: .ticket, after: key, limit: limit).map { ($0.key.bytes, $0.content.value) }
        } catch { throw BookStoreError(cause: "\(error)") }
    }

    func read(_ key: [UInt8]) throws(BookStoreError) -> [UInt8]? {
        do throws(JournalError) { return try store.record(KeyedRecord.Key(.ticket, key))?.value } catch {
            throw BookStoreError(cause: "\(error)")
        }
    }

    func write(_ values: [(key: [UInt8], value: [UInt8]?)]) throws(BookStoreError) {
        _ = try keep(
            values.map { key, value in
                RecordWrite(KeyedRecord.Key(.ticket, key), .unconditional, value.map(Self.content))
            })
    }

    func replace(_ key: [UInt8], _ old: [UInt8], by new: [UInt8]) throws(BookStoreError) -> Bool {
        let condition = RecordWrite.Condition.isStill(Self.content(old))
        return try keep([RecordWrite(KeyedRecord.Key(.ticket, key), condition, Self.content(new))]) == [true]
    }

    private func keep(_ writes: [RecordWrite]) throws(BookStoreError) -> [Bool] {
        do throws(JournalError) { return try store.keep(writes) } catch { throw BookStoreError(cause: "\(error)") }
    }

    private static func content(_ value: [UInt8]) -> KeyedRecord.Content { KeyedRecord.Content(used: 0, value: value) }
}

/// Returns a random number from 0 up to, but not including, `bound`, which nobody can guess.
@Sendable func randomNumber(below bound: Int) -> Int { Int.random(in: 0..<max(bound, 1)) }
