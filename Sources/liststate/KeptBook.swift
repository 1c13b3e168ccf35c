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
            throw BookStoreError(cause: "\(error)")
        }
    }
}

/// Returns a random number from 0 up to, but not including, `bound`, which nobody can guess.
@Sendable func randomNumber(below bound: Int) -> Int { Int.random(in: 0..<max(bound, 1)) }
