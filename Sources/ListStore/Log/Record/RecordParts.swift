// A record may be longer than an entry of the journal should be. The undo of a great deletion, for one, has all that was
// deleted. Earlier programs made several entries of such a record. Now the journal takes it in parts (`WritesAhead`).

/// The parts of a long record that have been read so far.
struct RecordParts {
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private var rest = 0

    /// Adds the next part of a record.
    ///
    /// - Returns: The record, once it is whole. The caller must then make a new value for the next record. Nil while
    ///   parts are missing, or if the part does not belong to this record.
    mutating func add(_ part: [UInt8], rest: Int) -> [UInt8]? {
        guard count == 0 || rest == self.rest - 1 else { return nil }
        bytes += part
        count += 1
        self.rest = rest
        return rest == 0 ? bytes : nil
    }

    /// Whether a part may be the next one of the record.
    func isNext(rest: Int) -> Bool { count == 0 || rest == self.rest - 1 }
}

/// Counts the entries of a list's log beyond the one of each revision.
struct ExtraEntries {
    private var marks: [(revision: Int, count: Int)] = []

    mutating func note(_ count: Int, of revision: Int) {
        if count > 0 { marks.append((revision, count)) }
    }

    /// The number of such entries of the revisions up to one.
    func count(upTo revision: Int) -> Int { marks.reduce(0) { $1.revision <= revision ? $0 + $1.count : $0 } }

    mutating func removeAll(after revision: Int) { marks.removeAll { $0.revision > revision } }
}
