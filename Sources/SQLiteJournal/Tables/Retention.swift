internal import ListStore

/// The retention of a folder: how much of the past its store keeps. The server sets it.
///
/// Tools that open the folder go by it, so that none of them removes what the server promised to keep.
public struct Retention: Sendable, Equatable {
    /// The most receipts that are kept.
    public var receiptsMax: Int
    /// The seconds for which a receipt is kept.
    public var receiptAgeMax: Int
    /// The most versions of a list that are kept.
    public var historyVersionsMax: Int
    /// The most bytes of memory for the kept versions of one list.
    public var historyBytesMax: Int
    /// The seconds for which a version is kept after it was the newest; nil if age is no reason to drop it.
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

    /// Reads the retention from the database; nil if no server has set it yet.
    ///
    /// - Throws: `.corrupt` if one of the numbers is damaged.
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
