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
    /// The first entry of the last row that has come.
    private var lastRow: Int?
    /// The token of that row.
    private var token: Int?

    /// - Parameter place: Only entries after it are read; nil reads the whole list.
    init(_ list: ListID, after place: LogPlace?) { (self.list, self.place) = (list, place) }

    /// - Parameter row: The part, the life, three numbers, the bytes, and the generation or the token, as `Statement.load`
    ///   has them.
    /// - Throws: `Doubt` at the first row; `JournalError`.
    mutating func take(_ row: [Cell]) throws -> Piece? {
        guard row.count == 8, let life = row[1].integer else { throw damage("a row") }
        switch row[0].integer {
        case 0:
            guard let covered = row[3].integer, let chunks = row[4].integer else { throw damage("its row") }
            (self.covered, self.chunks) = (covered, chunks)
            try begin(life, end: row[2], generation: row[6], isOld: row[7])
        case 1: return .chunk(try chunk(row, life))
        default: return try entries(row[2..<6], token: row[6], life).map { .entries($0) }
        }
        return nil
    }

    /// - Parameter row: The number of the list, the list, and a row of its log, as `Statement.tails` has them.
    /// - Returns: The entries of the row that were not read yet.
    /// - Throws: As `take`.
    mutating func takeTail(_ row: [Cell]) throws -> [JournalEntry]? {
        guard row.count == 10, let life = row[1].integer else { throw damage("a row") }
        if found == nil { try begin(life, end: row[2], generation: row[3], isOld: row[4]) }
        guard found?.life == life else { throw damage("a row") }
        return row[5].isNull ? nil : try entries(row[5..<9], token: row[9], life)
    }

    private mutating func begin(_ life: Int, end: Cell, generation: Cell, isOld: Cell) throws {
        guard let end = end.integer, let generation = generation.integer, let isOld = isOld.integer else {
            throw damage("its row")
        }
        guard isOld == 0 else { throw Doubt.isOld }
        found = LogPlace(life: life, position: end, generation: generation)
        guard let place else { return position = covered }
        guard place.life == life, place.generation == generation else { throw JournalError.moved }
        guard place.position <= end else { throw Doubt.lacksEntries(generation: generation) }
        (position, chunks) = (place.position, 0)
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
    ///
    /// - Parameter cells: The row, as `LogRow` takes it.
    private mutating func entries(_ cells: ArraySlice<Cell>, token: Cell, _ life: Int) throws -> [JournalEntry]? {
        guard chunksTaken == chunks else { throw damage("chunk \(chunksTaken) of its snapshot") }
        self.token = token.integer
        let start = cells.startIndex
        let first = cells[start].integer ?? 0
        // The last row must be the last one of the log, because its token is kept.
        guard lastRow.map({ $0 < first }) ?? true else { throw damage("the order of its rows") }
        lastRow = first
        try checkToken(first)
        // The row before the place is there for its token only.
        guard !cells[start + 3].isNull else { return nil }
        guard let one = LogRow(cells, of: life), one.first <= position, one.end > position,
            let entries = one.entries(of: list)
        else { throw damage("the entry after \(position)") }
        defer { position = one.end }
        return one.first == position ? entries : Array(entries.dropFirst(position - one.first))
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
        tailsParameters(places.map { ($0.list, $0.place) })
    }

    /// - Parameter lists: Lists, each with the place behind which it is read; nil if it is not read.
    static func tailsParameters(_ lists: [(ListID, LogPlace?)]) -> [Parameter] {
        [.texts(lists.map { Array($0.0.rawValue.utf8) }), .integers(lists.map { $0.1?.position ?? -1 })]
    }
}

extension Tail {
    /// The entries behind places, in rows of `Statement.tails`; nil for a list whose rows are not there, or not as they
    /// should be.
    ///
    /// - Parameter places: The lists in the order of their numbers; nil for a list of which nothing is wanted.
    static func found(in rows: [[Cell]], after places: [ListPlace?]) -> [Tail?] {
        var loads = places.map { $0.map { ListLoad($0.list, after: $0.place) } }
        var entries: [[JournalEntry]?] = places.map { _ in [] }
        for row in rows {
            guard let number = row.first?.integer, loads.indices.contains(number - 1) else { continue }
            do {
                if let some = try loads[number - 1]?.takeTail(row) { entries[number - 1]? += some }
            } catch {
                entries[number - 1] = nil
            }
        }
        return zip(loads, entries).map { load, entries in
            guard let entries, let end = try? load?.end() else { return nil }
            return Tail(entries, end: end)
        }
    }
}
