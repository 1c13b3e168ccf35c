internal import ListStore

/// The rows of the keyed records by their keys. SQLite has no index for them, because the walk through the pages at a
/// start reads tables only.
struct RecordIndex: Sendable {
    struct Place: Sendable {
        /// The number of the row. While the journal is open, it is not used for another key.
        var row: Int
        var checksum: Int
    }

    private var places: [KeyedRecord.Key: Place] = [:]
    private(set) var lastRow = 0

    subscript(key: KeyedRecord.Key) -> Place? { places[key] }

    /// Adds a row. Returns false if there is one with its key.
    mutating func add(_ key: KeyedRecord.Key, _ place: Place) -> Bool {
        lastRow = max(lastRow, place.row)
        return places.updateValue(place, forKey: key) == nil
    }

    /// Takes over the places of records that were written; nil stands for one that was removed.
    mutating func apply(_ changes: Changes) {
        lastRow = changes.lastRow
        for (key, place) in changes.places { places[key] = place }
    }

    /// The keys of a kind in the order of their bytes.
    ///
    /// - Complexity: O(*n* log *n*), *n* = the records behind `key`.
    func keys(of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int) -> [KeyedRecord.Key] {
        let wanted = places.keys.filter { one in
            one.kind == kind && (key.map { $0.lexicographicallyPrecedes(one.bytes) } ?? true)
        }
        return Array(wanted.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(limit))
    }

    /// Writes of records that are not durable yet.
    struct Changes {
        fileprivate(set) var places: [KeyedRecord.Key: Place?] = [:]
        fileprivate(set) var lastRow: Int
        /// The changes of the count of all records, and of the sum of their checksums, modulo 2^64.
        private(set) var count = 0
        private(set) var sum = 0

        init(after lastRow: Int) { self.lastRow = lastRow }

        mutating func set(_ key: KeyedRecord.Key, from old: Place?, to new: Place?) {
            places.updateValue(new, forKey: key)
            lastRow = max(lastRow, new?.row ?? 0)
            count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            sum = sum &+ (new?.checksum ?? 0) &- (old?.checksum ?? 0)
        }
    }
}
