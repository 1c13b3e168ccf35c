internal import ListStore

/// How much of the past a store keeps: a property of its folder, set by the server that serves it.
///
/// Tools that open the folder go by it, so that none of them forgets what the server promised to keep.
public struct Retention: Sendable, Equatable {
    /// Answers that are kept for retries.
    public var receiptsMax: Int
    /// Seconds for which they are kept.
    public var receiptAgeMax: Int
    /// Versions of a list that can be gone back to.
    public var historyVersionsMax: Int
    /// Bytes of memory for the versions of one list.
    public var historyBytesMax: Int
    /// Seconds for which a version is kept after another has taken its place; nil if age is no reason.
    public var historyAgeMax: Int?

    public init(
        receiptsMax: Int, receiptAgeMax: Int, historyVersionsMax: Int, historyBytesMax: Int, historyAgeMax: Int?
    ) {
        self.receiptsMax = receiptsMax
        self.receiptAgeMax = receiptAgeMax
        self.historyVersionsMax = historyVersionsMax
        self.historyBytesMax = historyBytesMax
        self.historyAgeMax = historyAgeMax
    }
}

extension Retention {
    private var rows: [(name: Schema.Setting, value: Int)] {
        [
            (.receiptsMax, receiptsMax), (.receiptAgeSeconds, receiptAgeMax),
            (.historyVersionsMax, historyVersionsMax), (.historyBytesMax, historyBytesMax),
            (.historyAgeSeconds, historyAgeMax ?? 0),
        ]
    }

    /// What the database says; nil if nobody has served it since there is such a thing.
    ///
    /// - Throws: `.corrupt` if a row of it is damaged.
    static func read(_ connection: SQLiteConnection, _ path: String) throws(JournalError) -> Retention? {
        var values: [Schema.Setting: Int] = [:]
        for name in Schema.Setting.allCases { values[name] = try Schema.value(name, in: connection, path) }
        guard let receiptsMax = values[.receiptsMax], let receiptAge = values[.receiptAgeSeconds],
            let versionsMax = values[.historyVersionsMax], let bytesMax = values[.historyBytesMax],
            let age = values[.historyAgeSeconds]
        else { return nil }
        return Retention(
            receiptsMax: receiptsMax, receiptAgeMax: receiptAge, historyVersionsMax: versionsMax,
            historyBytesMax: bytesMax, historyAgeMax: age == 0 ? nil : age)
    }

    func write(_ connection: SQLiteConnection) throws(JournalError) {
        for (name, value) in rows { try Schema.set(name, value, in: connection) }
    }
}

extension Database {
    func keep(_ retention: Retention) throws(JournalError) {
        _ = try writableMark()
        guard try Retention.read(connection, folder.database) != retention else { return }
        try poisoningUnlessHarmless { () throws(JournalError) in
            try checkpointIfDue()
            try transaction { () throws(JournalError) in try retention.write(connection) }
        }
    }
}
