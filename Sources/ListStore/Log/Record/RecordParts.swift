// A record may be longer than what an entry of the journal can hold: to take a great deletion back, all that was deleted
// is written again. It becomes several entries, which go to the disk together.

extension Record {
    /// The bytes of entries that hold a record.
    ///
    /// - Parameter bytesMax: Of the record in one entry.
    static func entries(of bytes: [UInt8], bytesMax: Int) -> [[UInt8]] {
        guard bytes.count > bytesMax else { return [bytes] }
        let starts = stride(from: 0, to: bytes.count, by: bytesMax)
        let count = (bytes.count - 1) / bytesMax + 1
        return zip(starts, 1...count).map { start, number in
            Record.part(Array(bytes[start..<min(start + bytesMax, bytes.count)]), rest: count - number).bytes
        }
    }
}

/// The entries of a record that are known so far.
struct RecordParts {
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private var rest = 0

    /// Adds the next entry of a record.
    ///
    /// - Returns: The record if it is whole now; then the caller takes a new value for the next one. Nil while entries
    ///   are missing, also if the entry is none of this record.
    mutating func add(_ part: [UInt8], rest: Int) -> [UInt8]? {
        guard count == 0 || rest == self.rest - 1 else { return nil }
        bytes += part
        count += 1
        self.rest = rest
        return rest == 0 ? bytes : nil
    }

    /// Whether an entry may be the next one of the record.
    func isNext(rest: Int) -> Bool { count == 0 || rest == self.rest - 1 }
}

/// How many entries of a list's log there are besides the one that each revision has.
struct ExtraEntries {
    private var marks: [(revision: Int, count: Int)] = []

    mutating func note(_ count: Int, of revision: Int) {
        if count > 0 { marks.append((revision, count)) }
    }

    /// Those of revisions up to one.
    func count(upTo revision: Int) -> Int { marks.reduce(0) { $1.revision <= revision ? $0 + $1.count : $0 } }

    mutating func removeAll(after revision: Int) { marks.removeAll { $0.revision > revision } }
}
