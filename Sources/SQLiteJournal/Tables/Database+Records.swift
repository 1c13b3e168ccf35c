internal import ListStore
internal import Texts
internal import Threads

// The table of keyed records.

/// The statements for records.
struct RecordStatements {
    fileprivate let rows: NumberedRows<KeyedRecord.InPlace>
    private let insert: SQLiteConnection.Statement
    fileprivate let delete: SQLiteConnection.Statement

    init(_ connection: SQLiteConnection) throws(JournalError) {
        rows = try NumberedRows(connection)
        insert = try connection.prepare("INSERT OR REPLACE INTO records VALUES(?,?,?,?,?,?)")
        delete = try connection.prepare("DELETE FROM records WHERE id = ?")
    }

    /// Inserts a record, and returns its checksum.
    func insert(_ record: KeyedRecord, id: Int) throws(JournalError) -> Int {
        let (key, content) = (record.key, record.content)
        let checksum = KeyedRecord.checksum(id: id, key, used: content.used, content.value.span)
        try insert.run([
            .integer(id), .integer(Int(key.kind.rawValue)), .blob(key.bytes), .integer(content.used),
            .blob(content.value), .integer(checksum),
        ])
        return checksum
    }
}

extension Database {
    /// Reads and checks all records, and builds their index.
    func readRecords(from source: inout some RowSource) throws {
        guard Schema.hasRecords(format) else { return }
        var index = RecordIndex()
        var (count, sum) = (0, 0)
        try source.read(KeyedRecord.InPlace.self) { row in
            guard let key = row.key, index.add(key, RecordIndex.Place(row: row.id, checksum: row.checksum)) else {
                throw JournalError.corrupt("\(folder.database): row \(row.id) of records is damaged")
            }
            (count, sum) = (count + 1, sum &+ row.checksum)
        }
        guard count == numbers[.recordCount], sum == numbers[.recordSum] else {
            throw JournalError.corrupt(
                "\(folder.database): there are \(count) records, but \(numbers[.recordCount] ?? 0) others were written")
        }
        records.withLock { $0 = index }
    }

    func keep(_ writes: [RecordWrite]) throws(JournalError) -> [Bool] {
        _ = try writableMark()
        for write in writes { try write.requireFitting() }
        guard !writes.isEmpty else { return [] }
        var outcomes: [Bool] = []
        try poisoningUnlessHarmless { () throws(JournalError) in
            try checkpointIfDue()
            var changes = RecordIndex.Changes(after: records.withLock { $0.lastRow })
            try transaction { () throws(JournalError) in outcomes = try carryOut(writes, &changes) }
            take(changes)
        }
        return outcomes
    }

    /// Carries writes out. It is part of a transaction.
    func carryOut(
        _ writes: [RecordWrite], _ changes: inout RecordIndex.Changes
    ) throws(JournalError) -> [Bool] {
        let statements = try RecordStatements(connection)
        var outcomes: [Bool] = []
        for write in writes { outcomes.append(try carryOut(write, &changes, statements)) }
        guard outcomes.contains(true) else { return outcomes }
        for (name, value) in self.numbers(with: changes) { try Schema.set(name, value, in: connection) }
        return outcomes
    }

    private func carryOut(
        _ write: RecordWrite, _ changes: inout RecordIndex.Changes, _ statements: RecordStatements
    ) throws(JournalError) -> Bool {
        let place = changes.places[write.key] ?? records.withLock { $0[write.key] }
        if case .isStill(let wanted) = write.condition {
            guard try content(at: place, statements) == wanted else { return false }
        }
        guard let content = write.content else {
            if let place { try statements.delete.run([.integer(place.row)]) }
            changes.set(write.key, from: place, to: nil)
            return true
        }
        let row = place?.row ?? changes.lastRow + 1
        guard Self.rows.contains(row) else { throw .full }
        let checksum = try statements.insert(KeyedRecord(write.key, content), id: row)
        changes.set(write.key, from: place, to: RecordIndex.Place(row: row, checksum: checksum))
        return true
    }

    /// The content of a record, with writes of this transaction; nil if there is none, or its row has been damaged since
    /// the start. A damaged record is thus replaced by those only who did not read it.
    private func content(
        at place: RecordIndex.Place?, _ statements: RecordStatements
    ) throws(JournalError) -> KeyedRecord.Content? {
        guard let place else { return nil }
        var found: KeyedRecord?
        do { try statements.rows.read(place.row...place.row) { found = $0.copy } } catch let error as JournalError {
            throw error
        } catch {
            throw .io("\(folder.database): \(error)")
        }
        return found?.content
    }

    private func numbers(with changes: RecordIndex.Changes) -> [(name: Schema.Name, value: Int)] {
        [
            (.recordCount, (numbers[.recordCount] ?? 0) + changes.count),
            (.recordSum, (numbers[.recordSum] ?? 0) &+ changes.sum),
        ]
    }

    /// Notes writes that are durable.
    func take(_ changes: RecordIndex.Changes) {
        for (name, value) in numbers(with: changes) { numbers[name] = value }
        records.withLock { $0.apply(changes) }
    }

    /// Gives a database of an older format the newest one. Everything in it has been checked.
    ///
    /// - Throws: `.full` if there is no room. Nothing has changed then.
    func migrate() throws(JournalError) {
        guard format < Schema.format, !isReadOnly else { return }
        let old = try StoredSubscription.all(in: connection).map { one in
            RecordWrite(one.record.key, .unconditional, one.record.content)
        }
        try poisoningUnlessHarmless { () throws(JournalError) in
            var changes = RecordIndex.Changes(after: 0)
            try transaction { () throws(JournalError) in
                for (name, sql) in Schema.tables where name == KeyedRecord.InPlace.table { try connection.run(sql) }
                for (name, value) in numbers(with: changes) { try Schema.set(name, value, in: connection) }
                _ = try carryOut(old, &changes)
                try connection.run("DROP TABLE IF EXISTS \(StoredSubscription.table)")
                try Schema.set(.format, Schema.format, in: connection)
            }
            take(changes)
        }
        format = Schema.format
    }
}

/// A subscription as a database of format 2 has it.
struct StoredSubscription: RowInPlace {
    static let table = Schema.subscriptions.name
    static let columnCount = 5
    private let number: Int
    private let name: [UInt8]
    private let used: Int
    private let bytes: [UInt8]
    private let checksum: Int

    init(_ columns: some Columns) {
        (number, name, used) = (columns.integer(0), Array(columns.bytes(1)), columns.integer(2))
        (bytes, checksum) = (Array(columns.bytes(3)), columns.integer(4))
    }

    /// All of them that are whole. A damaged table is read as far as possible, because no list depends on it.
    static func all(in connection: SQLiteConnection) throws(JournalError) -> [StoredSubscription] {
        guard try !connection.run("SELECT 1 FROM sqlite_schema WHERE name='\(table)'").isEmpty else { return [] }
        var found: [StoredSubscription] = []
        do {
            try connection.read(StoredSubscription.self) { row in if row.isWhole { found.append(row) } }
        } catch let error as JournalError {
            guard case .corrupt = error else { throw error }
        } catch {
            throw .io("\(connection.path): \(error)")
        }
        return found
    }

    private var isWhole: Bool {
        var sum = CRC32C()
        sum.add(number)
        sum.add(used)
        sum.add(name.count)
        sum.add(name)
        sum.add(bytes)
        let isFitting = (try? RecordWrite(record.key, .unconditional, record.content).requireFitting()) != nil
        return Int(sum.value) == checksum && Database.rows.contains(number) && isFitting
    }

    var record: KeyedRecord {
        KeyedRecord(KeyedRecord.Key(.subscription, name), KeyedRecord.Content(used: used, value: bytes))
    }
}
