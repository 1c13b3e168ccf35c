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
    /// The keys of a kind in the order of their bytes, from the first page of them until a key comes or goes.
    private var sorted: [KeyedRecord.Kind: [KeyedRecord.Key]] = [:]
    private(set) var lastRow = 0

    subscript(key: KeyedRecord.Key) -> Place? { places[key] }

    /// Adds a row. Returns false if there is one with its key.
    mutating func add(_ key: KeyedRecord.Key, _ place: Place) -> Bool {
        lastRow = max(lastRow, place.row)
        sorted[key.kind] = nil
        return places.updateValue(place, forKey: key) == nil
    }

    /// Takes over the places of records that were written; nil stands for one that was removed.
    mutating func apply(_ changes: Changes) {
        lastRow = changes.lastRow
        for (key, place) in changes.places {
            if (places[key] == nil) != (place == nil) { sorted[key.kind] = nil }
            places[key] = place
        }
    }

    /// The keys of a kind in the order of their bytes.
    ///
    /// - Complexity: O(*n* log *n*) for the first page since a key of the kind came or went, *n* = all records. Then
    ///   O(log *n* + *m*), *m* = the keys of the page.
    mutating func keys(of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int) -> [KeyedRecord.Key] {
        let keys = sorted[kind] ?? inOrder(kind)
        sorted[kind] = keys
        var (start, end) = (0, key == nil ? 0 : keys.count)
        while let key, start < end {
            let middle = (start + end) / 2
            if key.lexicographicallyPrecedes(keys[middle].bytes) { end = middle } else { start = middle + 1 }
        }
        return Array(keys[start...].prefix(limit))
    }

    private func inOrder(_ kind: KeyedRecord.Kind) -> [KeyedRecord.Key] {
        places.keys.filter { $0.kind == kind }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
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
