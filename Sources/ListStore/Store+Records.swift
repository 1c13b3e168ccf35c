import ListModel

/// Keyed records that belong to others than the store, such as the access book.
extension Store {
    /// Whether the store has a journal, which alone keeps records.
    public var keepsRecords: Bool { journal != nil }

    /// Whether other stores may change records.
    public var sharesRecords: Bool { journal?.isShared ?? false }

    /// The content of a record; nil if there is none.
    ///
    /// It blocks, so it is no work for a loop.
    ///
    /// - Throws: `JournalError` if the journal cannot be read.
    public func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? {
        try journal?.record(key)
    }

    /// A page of the records of a kind, in the order of their keys: see `Journal.records(of:after:limit:)`.
    public func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord] {
        try journal?.records(of: kind, after: key, limit: limit) ?? []
    }

    /// Writes records durably, and blocks until that is done.
    ///
    /// - Returns: Whether the condition of each write held, so that it was written.
    /// - Throws: `JournalError`: `.closed` without a journal.
    public func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
        guard let queue = shared.queue else { throw .closed }
        return try queue.journal.write { journal throws(JournalError) in try journal.keep(records) }
    }
}
