internal import ListModel
internal import ListStore

/// Takes the rows of one list as they come, and checks that none is damaged or missing.
struct ListLoad {
    enum Piece {
        case chunk(SnapshotPart)
        case entries([JournalEntry])
    }

    /// The reason why the list cannot be read as it is.
    enum Doubt: Error {
        /// The list is of an older generation, and must get a new epoch first.
        case isOld
        /// The list of this generation has not the entries that it had: it is shorter, or has others.
        case lacksEntries(generation: Int)
    }

    private let list: ListID
    private let place: LogPlace?
    /// The end of the log; nil as long as no row has come.
    private var found: LogPlace?
    private var covered = 0
    private var chunks = 0
    private var chunksTaken = 0
    /// The number of entries up to which the list is read.
    private var position = 0
    /// The token of the last row that has come.
    private var token: Int?

    /// - Parameter place: Only entries after it are read; nil reads the whole list.
    init(_ list: ListID, after place: LogPlace?) { (self.list, self.place) = (list, place) }

    /// - Parameter row: The part, the life, three numbers, the bytes, and the generation or the token, as `Statement.load`
    ///   has them.
    /// - Throws: `Doubt` at the first row; `JournalError`.
    mutating func take(_ row: some RandomAccessCollection<Cell>) throws -> Piece? {
        let row = Array(row)
        guard row.count == 8, let life = row[1].integer else { throw damage("a row") }
        switch row[0].integer {
        case 0: try begin(row, life)
        case 1: return .chunk(try chunk(row, life))
        default: return try entries(row, life).map { .entries($0) }
        }
        return nil
    }

    private mutating func begin(_ row: [Cell], _ life: Int) throws {
        guard let end = row[2].integer, let covered = row[3].integer, let chunks = row[4].integer,
            let generation = row[6].integer, let isOld = row[7].integer
        else { throw damage("its row") }
        guard isOld == 0 else { throw Doubt.isOld }
        found = LogPlace(life: life, position: end, generation: generation)
        (self.covered, self.chunks) = (covered, chunks)
        guard let place else { return position = covered }
        guard place.life == life, place.generation == generation else { throw JournalError.moved }
        guard place.position <= end else { throw Doubt.lacksEntries(generation: generation) }
        (position, self.chunks) = (place.position, 0)
    }

    private mutating func chunk(_ row: [Cell], _ life: Int) throws(JournalError) -> SnapshotPart {
        guard let number = row[2].integer, let snapshot = row[3].integer, let checksum = row[4].integer,
            let bytes = row[5].bytes, number == chunksTaken,
            Checksum.of([life, snapshot, number], bytes) == checksum
        else { throw damage("chunk \(chunksTaken) of its snapshot") }
        chunksTaken += 1
        return SnapshotPart(
            list: list, life: life, position: covered, first: number, chunks: [bytes], isLast: chunksTaken == chunks)
    }

    /// The entries of a row that were not read yet.
    private mutating func entries(_ row: [Cell], _ life: Int) throws -> [JournalEntry]? {
        guard chunksTaken == chunks else { throw damage("chunk \(chunksTaken) of its snapshot") }
        token = row[6].integer
        try checkToken(row[2].integer ?? 0)
        // The row before the place is there for its token only.
        guard row[5].bytes != nil else { return nil }
        guard let one = LogRow(row[2..<6], of: life), one.first <= position, one.end > position,
            let entries = one.entries(of: list)
        else { throw damage("the entry after \(position)") }
        let rest = entries.dropFirst(position - one.first)
        position = one.end
        return Array(rest)
    }

    /// Checks whether the entry before the place is the one that is known. A takeover by a standby that lacked it may have
    /// led to another one.
    ///
    /// - Parameter first: The number of entries before the row.
    private func checkToken(_ first: Int) throws(Doubt) {
        guard let found, let place, let known = place.token, first < place.position, known != token else { return }
        throw .lacksEntries(generation: found.generation)
    }

    /// - Returns: The end of the log; nil if there is no such list.
    func end() throws(JournalError) -> LogPlace? {
        guard let found else { return nil }
        guard chunksTaken == chunks else { throw damage("chunk \(chunksTaken) of its snapshot") }
        guard position == found.position else { throw damage("the entry after \(position)") }
        var end = found
        end.token = token ?? (end == place ? place?.token : nil)
        return end
    }

    /// Behind a place, entries may have been removed. Whoever then reads the whole list finds out whether it is damaged.
    private func damage(_ part: String) -> JournalError {
        place == nil ? .corrupt("list \(list): \(part) is missing or damaged") : .moved
    }
}

extension Session {
    /// As `Journal.tails`, by one statement.
    func tails(after places: [ListPlace]) throws(Failure) -> [Tail?] {
        Tail.found(in: try run(.tails, Statement.tailsParameters(places)), after: places)
    }
}

extension Statement {
    /// The parameters of `tails`.
    static func tailsParameters(_ places: [ListPlace]) -> [Parameter] {
        [.texts(places.map { Array($0.list.rawValue.utf8) }), .integers(places.map(\.place.position))]
    }
}

extension Tail {
    /// The entries behind places, in rows of `Statement.tails`; nil for a list whose rows are not there, or not as they
    /// should be.
    static func found(in rows: [[Cell]], after places: [ListPlace]) -> [Tail?] {
        var loads = places.map { ListLoad($0.list, after: $0.place) }
        var entries: [[JournalEntry]?] = places.map { _ in [] }
        for row in rows {
            guard let number = row.last?.integer, loads.indices.contains(number - 1) else { continue }
            do {
                let piece = try loads[number - 1].take(row.dropLast())
                if case .entries(let some)? = piece { entries[number - 1]? += some }
            } catch {
                entries[number - 1] = nil
            }
        }
        return zip(loads, entries).map { load, entries in
            guard let entries, let end = try? load.end() else { return nil }
            return Tail(entries, end: end)
        }
    }
}
