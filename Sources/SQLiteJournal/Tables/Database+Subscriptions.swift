internal import ListStore
internal import Texts

// The table of subscriptions. It is made when somebody first subscribes.

extension Database {
    private var hasSubscriptions: Bool {
        get throws(JournalError) {
            let name = Schema.subscriptions.name
            return try !connection.run("SELECT 1 FROM sqlite_schema WHERE name='\(name)'").isEmpty
        }
    }

    func subscriptions() throws(JournalError) -> [StoredSubscription] {
        guard try hasSubscriptions else { return [] }
        var found: [StoredSubscription] = []
        do {
            try connection.read(StoredSubscription.InPlace.self) { row in if let one = row.copy { found.append(one) } }
        } catch let error as JournalError {
            // A damaged table is read as far as possible, because no list depends on it.
            guard case .corrupt = error else { throw error }
        } catch {
            throw .io("\(folder.database): \(error)")
        }
        return found
    }

    func keep(_ subscriptions: [StoredSubscription], removing numbers: [Int]) throws(JournalError) {
        _ = try writableMark()
        try poisoningUnlessHarmless { () throws(JournalError) in
            try checkpointIfDue()
            try transaction { () throws(JournalError) in
                if try !hasSubscriptions { try connection.run(Schema.subscriptions.sql) }
                let remove = try connection.prepare("DELETE FROM subscriptions WHERE number = ?")
                for number in numbers { try remove.run([.integer(number)]) }
                let insert = try connection.prepare("INSERT OR REPLACE INTO subscriptions VALUES(?,?,?,?,?)")
                for one in subscriptions {
                    try insert.run([
                        .integer(one.number), .blob(Array(one.name.utf8)), .integer(one.used), .blob(one.bytes),
                        .integer(one.checksum),
                    ])
                }
            }
        }
    }
}

extension StoredSubscription {
    var checksum: Int {
        var checksum = CRC32C()
        checksum.add(number)
        checksum.add(used)
        checksum.add(name.utf8.count)
        checksum.add(Array(name.utf8))
        checksum.add(bytes)
        return Int(checksum.value)
    }
}
