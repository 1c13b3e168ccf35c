import Texts
import Threads

/// The sequences in memory, with the room that they take and the order in which they go.
struct KeptSequences: Sendable {
    /// A number that waits for the disk.
    struct Flight: Sendable {
        let turn: Int
        let number: Int
        let refused: UInt64
        let write: RecordWrite
    }

    struct Entry: Sendable {
        let owner: ByteText
        /// The record as the journal has it; nil if it has none.
        var content: KeyedRecord.Content?
        /// The highest number that is used up; 0 if there is none. It is that of `content`, as is `refused`.
        var number = 0
        var refused: UInt64 = 0
        /// Oldest first. Each rests on the one before.
        var flights: [Flight] = []
        /// The turn of the write that is being decided; nil if there is none.
        var deciding: Int?
        fileprivate var serial = 0

        init(owner: ByteText) { self.owner = owner }

        var isIdle: Bool { flights.isEmpty && deciding == nil }

        /// Begins the sequence anew, with the next write. Until then the journal has the record.
        mutating func forget() { (number, refused) = (0, 0) }

        /// The next number, and what the record of the one before is.
        var next: Int { (flights.last?.number ?? number) + 1 }
        var newest: (refused: UInt64, content: KeyedRecord.Content?) {
            flights.last.map { ($0.refused, $0.write.content) } ?? (refused, content)
        }
    }

    /// The sequences of one owner.
    private struct Share: Sendable {
        var count = 0
        var bytes = 0
        var order = AgeOrder()
    }

    private let limits: ClientSequences.Limits
    private(set) var entries: [KeyedRecord.Key: Entry] = [:]
    private var memory: MemoryShare
    private(set) var bytes = 0 {
        didSet { memory.add(bytes - oldValue) }
    }
    /// The sequences that the journal has.
    private(set) var count = 0
    private var order = AgeOrder()
    private var shares: [ByteText: Share] = [:]
    /// The owners that have more than their share. There are fewer than `shareDivisor` by each measure.
    private var overShare: Set<ByteText> = []
    private var lastSerial = 0
    var lastTurn = 0

    /// What an owner has for sure is one part of so many.
    private static let shareDivisor = 10
    /// The most sequences that one call of `trim` looks at.
    private static let looksMax = 64
    /// The bytes that a sequence takes besides those of its key and its record, with its place in the journal's index.
    private static let overheadBytes = 640

    init(_ limits: ClientSequences.Limits, of memory: MemoryBudget) {
        self.limits = limits
        self.memory = MemoryShare(of: memory, for: .sequences)
    }

    mutating func end() { memory.end() }

    subscript(key: KeyedRecord.Key) -> Entry? { entries[key] }

    /// Changes the sequence of a key; one that is neither in the journal nor in use is dropped.
    mutating func change(_ key: KeyedRecord.Key, owner: ByteText, _ body: (inout Entry) -> Void) {
        let before = entries[key]
        var entry = before ?? Entry(owner: owner)
        body(&entry)
        let isUsed = entry.content != nil && entry.content != before?.content
        if let content = before?.content, isUsed || entry.content == nil { count(key, before?.owner, content, -1) }
        guard entry.content != nil || !entry.isIdle else { return entries[key] = nil }
        if isUsed, let content = entry.content {
            count(key, entry.owner, content, 1)
            lastSerial += 1
            entry.serial = lastSerial
        }
        entries[key] = entry
        if isUsed { note(key, entry) }
    }

    private mutating func note(_ key: KeyedRecord.Key, _ entry: Entry) {
        let isCurrent = isCurrent
        order.append(AgeOrder.Row(key: key, serial: entry.serial), liveMax: count, isCurrent)
        var share = shares.removeValue(forKey: entry.owner) ?? Share()
        share.order.append(AgeOrder.Row(key: key, serial: entry.serial), liveMax: share.count, isCurrent)
        shares[entry.owner] = share
    }

    /// Adds a sequence to the counts, or takes it away.
    private mutating func count(
        _ key: KeyedRecord.Key, _ owner: ByteText?, _ content: KeyedRecord.Content, _ sign: Int
    ) {
        let owner = owner ?? ""
        let size = sign * (key.bytes.count + content.value.count + Self.overheadBytes)
        count += sign
        bytes += size
        var share = shares.removeValue(forKey: owner) ?? Share()
        share.count += sign
        share.bytes += size
        let isOver =
            share.count > limits.countMax / Self.shareDivisor || share.bytes > limits.bytesMax / Self.shareDivisor
        if isOver { overShare.insert(owner) } else { overShare.remove(owner) }
        if share.count > 0 || sign > 0 { shares[owner] = share }
    }

    /// Removes sequences that are too many or too old, except those in use.
    ///
    /// - Complexity: O(1), so that nobody waits for the removal of many. Each call removes more than one write adds.
    /// - Parameter since: Sequences that were last used before are too old.
    /// - Returns: The keys and the records of those that went.
    mutating func trim(since: Int) -> [KeyedRecord] {
        var gone: [KeyedRecord] = []
        var looks = Self.looksMax
        while looks > 0, let key = tooOld(since) ?? tooMuch() {
            looks -= 1
            guard let entry = entries[key], entry.isIdle, let content = entry.content else {
                renew(key)
                continue
            }
            gone.append(KeyedRecord(key, content))
            change(key, owner: entry.owner) { $0.content = nil }
        }
        return gone
    }

    private mutating func tooOld(_ since: Int) -> KeyedRecord.Key? {
        let isCurrent = isCurrent
        let oldest = order.oldest(isCurrent)
        return oldest.flatMap { key in entries[key]?.content.map { $0.used < since } ?? false ? key : nil }
    }

    private mutating func tooMuch() -> KeyedRecord.Key? {
        guard count > limits.countMax || bytes > limits.bytesMax && count > 1 else { return nil }
        let isCurrent = isCurrent
        guard let owner = overShare.max(by: { share($0) < share($1) }), var one = shares.removeValue(forKey: owner)
        else { return order.oldest(isCurrent) }
        defer { shares[owner] = one }
        return one.order.oldest(isCurrent)
    }

    /// Whether a row tells of the last use of its key. The closure has what is there now.
    private var isCurrent: (AgeOrder.Row) -> Bool {
        { [entries] row in entries[row.key]?.serial == row.serial }
    }

    private func share(_ owner: ByteText) -> Int { shares[owner]?.bytes ?? 0 }

    /// Puts a sequence behind all others, because it is in use.
    private mutating func renew(_ key: KeyedRecord.Key) {
        guard var entry = entries[key] else { return }
        lastSerial += 1
        entry.serial = lastSerial
        entries[key] = entry
        note(key, entry)
    }
}

/// Keys in the order of their last uses. Rows of earlier uses are skipped, and removed now and then.
private struct AgeOrder: Sendable {
    struct Row: Sendable {
        let key: KeyedRecord.Key
        let serial: Int
    }

    private var rows: [Row] = []
    private var first = 0

    /// - Parameters:
    ///   - liveMax: The most rows that are current.
    ///   - isCurrent: Whether a row tells of the last use of its key.
    mutating func append(_ row: Row, liveMax: Int, _ isCurrent: (Row) -> Bool) {
        rows.append(row)
        guard rows.count > 64, rows.count > 2 * liveMax else { return }
        rows = rows[first...].filter(isCurrent)
        first = 0
    }

    /// The key that was used longest ago; nil if there is none.
    mutating func oldest(_ isCurrent: (Row) -> Bool) -> KeyedRecord.Key? {
        while first < rows.count, !isCurrent(rows[first]) { first += 1 }
        return first < rows.count ? rows[first].key : nil
    }
}
