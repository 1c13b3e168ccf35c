import ListModel
import ListStore
import TestSupport

/// Something that every journal must do. Rules do not use the expectations of the test library, because a test counts
/// the rules that a faulty journal breaks.
struct JournalRule: Sendable, CustomStringConvertible {
    let name: String
    let check: @Sendable (JournalHarness) throws -> Void

    var description: String { name }

    init(_ name: String, _ check: @escaping @Sendable (JournalHarness) throws -> Void) {
        (self.name, self.check) = (name, check)
    }

    /// All rules.
    static let all =
        commits + races + lives + receipts + locks + reading + snapshots + besides + ahead + records + committedRecords
        + wholeLists
}

/// A rule that does not hold.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: `BrokenRule` if the values differ.
func expect<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ what: String, line: Int = #line
) throws {
    guard found != wanted else { return }
    throw BrokenRule(description: "line \(line), \(what): \(found), not \(wanted)")
}

/// An empty journal, and a way to close and open it.
final class JournalHarness {
    private(set) var journal: any Journal
    /// The journals of other stores.
    private var others: [any Journal] = []
    private let isSeveral: Bool
    /// Damages the record of a key; nil if the engine has no way to.
    let damage: ((KeyedRecord.Key) throws -> Void)?
    private let open: ((any Journal)?) throws -> any Journal

    /// - Parameters:
    ///   - isSeveral: Whether each store has a journal of its own over the same data.
    ///   - damage: Damages the record of a key.
    ///   - open: Opens the journal; if it is given one, that one is closed, and it opens what that one has left.
    init(
        isSeveral: Bool = false, damage: ((KeyedRecord.Key) throws -> Void)? = nil,
        _ open: @escaping ((any Journal)?) throws -> any Journal
    ) throws {
        (self.isSeveral, self.damage, self.open) = (isSeveral, damage, open)
        journal = try open(nil)
        try journal.open(receipt: { _ in }, receiptsMax: .max, since: 0)
    }

    deinit { for one in [journal] + others { one.close() } }

    /// The journal of another store over the same data; the same one if that is how several stores use it.
    func other() throws -> any Journal {
        guard isSeveral else { return journal }
        let other = try open(nil)
        others.append(other)
        try other.open(receipt: { _ in }, receiptsMax: .max, since: 0)
        return other
    }

    /// Closes the journal and opens it anew. Returns the receipts that it hands over.
    @discardableResult
    func reopen(receiptsMax: Int = .max, since: Int = 0) throws -> [Receipt] {
        journal.close()
        journal = try open(journal)
        var receipts: [Receipt] = []
        try journal.open(receipt: { receipts.append($0) }, receiptsMax: receiptsMax, since: since)
        return receipts
    }

    // MARK: Writing

    /// Writes a text to a list, as an entry of a kind.
    @discardableResult
    func write(
        _ text: String, to list: String = "a", _ kind: JournalEntry.Kind = .append,
        if condition: Commit.Condition = .unconditional, receipt: Receipt? = nil
    ) throws -> CommitOutcome {
        try journal.commit([commit([text], to: list, kind, if: condition, receipt)])[0]
    }

    /// Makes a list. Returns the place behind its first entries.
    @discardableResult
    func make(_ list: String = "a", _ texts: String...) throws -> LogPlace {
        let outcome = try journal.commit([commit(texts.isEmpty ? ["1"] : texts, to: list, .create, if: .isNew, nil)])[0]
        guard case .written(let place?) = outcome else { throw BrokenRule(description: "\(list) was not made") }
        return place
    }

    func commit(
        _ texts: [String], to list: String = "a", _ kind: JournalEntry.Kind = .append,
        if condition: Commit.Condition = .unconditional, _ receipt: Receipt? = nil
    ) -> Commit {
        var commit = Commit(entry(texts[0], list, kind, receipt), condition)
        commit.entries += texts.dropFirst().map { entry($0, list, .append, nil) }
        return commit
    }

    private func entry(_ text: String, _ list: String, _ kind: JournalEntry.Kind, _ receipt: Receipt?) -> JournalEntry {
        let bytes = kind == .receiptOnly ? [] : Array(text.utf8)
        return JournalEntry(list: ListID(list)!, kind: kind, bytes: bytes, receipt: receipt)
    }

    // MARK: Reading

    /// The list as it is read: chunks of the snapshot in brackets, then entries; nil if there is none.
    func read(_ list: String = "a", after place: LogPlace? = nil) throws -> [String]? {
        var found: [String] = []
        let end = try journal.load(
            ListID(list)!, after: place,
            snapshot: { part in found += part.chunks.map { "[\(String(decoding: $0, as: UTF8.self))]" } },
            entry: { found.append(String(decoding: $0.bytes, as: UTF8.self)) })
        return end == nil ? nil : found
    }

    /// The place behind a list; nil if there is none.
    func place(_ list: String = "a") throws -> LogPlace? { try journal.places(of: [ListID(list)!])[0] }

    func lists(after id: String? = nil, limit: Int = .max) throws -> [String] {
        try journal.lists(after: id.flatMap { ListID($0) }, limit: limit).map(\.rawValue.string)
    }

    func retired() throws -> [String] { try journal.retired().map(\.list.rawValue.string).sorted() }

    /// Writes a snapshot of one chunk.
    func cover(_ position: Int, _ text: String, of list: String = "a", life: Int? = nil) throws {
        let part = SnapshotPart(
            list: ListID(list)!, life: life, position: position, first: 0, chunks: [Array(text.utf8)], isLast: true)
        try journal.write(part)
    }
}

extension Receipt {
    init(_ key: String, time: Int, _ text: String = "answer") {
        self.init(key: Array(key.utf8), time: time, bytes: Array(text.utf8))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The error that `body` throws; nil if it throws none.
func journalError(_ body: () throws -> Void) -> JournalError? {
    do { try body() } catch { return error as? JournalError }
    return nil
}
