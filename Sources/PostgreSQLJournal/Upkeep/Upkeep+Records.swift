internal import ListModel
internal import ListStore

// Keyed records.

extension Upkeep {
    /// Writes records as one transaction. Returns whether the condition of each held.
    func keep(_ writes: [RecordWrite]) throws(JournalError) -> [Bool] {
        try transaction { session throws(Session.Failure) -> [Bool] in
            var outcomes: [Bool] = []
            for write in writes { outcomes.append(try keep(write, session)) }
            return outcomes
        }
    }

    private func keep(_ write: RecordWrite, _ session: Session) throws(Session.Failure) -> Bool {
        let key: [Parameter] = [.integer(Int(write.key.kind.rawValue)), .bytes(write.key.bytes)]
        let old: [Parameter]
        switch write.condition {
        case .isStill(let content?): old = [.integer(content.used), .bytes(content.value)]
        case .isStill(nil), .unconditional: old = []
        }
        guard let content = write.content else {
            switch write.condition {
            case .unconditional:
                try session.run(.removeRecord, key)
                return true
            case .isStill(nil): return try session.run(.record, key).isEmpty
            case .isStill: return try !session.run(.removeOldRecord, key + old).isEmpty
            }
        }
        let new: [Parameter] = [
            .integer(content.used), .integer(Checksum.of(record: write.key, content)), .bytes(content.value),
        ]
        let statement: Statement =
            switch write.condition {
            case .unconditional: .putRecord
            case .isStill(nil): .addRecord
            case .isStill: .changeRecord
            }
        return try !session.run(statement, key + new + old).isEmpty
    }
}

extension Checksum {
    static func of(record key: KeyedRecord.Key, _ content: KeyedRecord.Content) -> Int {
        of([Int(key.kind.rawValue), key.bytes.count, content.used], key.bytes + content.value)
    }
}

extension KeyedRecord {
    /// A record as it was read; nil if it is damaged.
    ///
    /// - Parameter cells: Its key, its time, its checksum and its value.
    init?(_ cells: [Cell], of kind: Kind) {
        guard cells.count == 4, let key = cells[0].bytes, let used = cells[1].integer, let checksum = cells[2].integer,
            let value = cells[3].bytes
        else { return nil }
        self.init(Key(kind, key), Content(used: used, value: value))
        guard Checksum.of(record: self.key, content) == checksum else { return nil }
    }
}
