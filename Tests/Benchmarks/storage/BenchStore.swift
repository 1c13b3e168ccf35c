import ListModel
import ListStore

/// A store with the limits of the server.
struct BenchStore {
    let store: Store

    init(_ journal: any Journal, compaction: Store.Compaction? = nil, versionsMax: Int = 10_000) throws {
        let limits = Store.Limits(
            itemsMax: 2_000_000, sectionsMax: 1_000_000, contentBytesMax: 65_536, historyVersionsMax: versionsMax,
            historyBytesMax: 67_108_864,
            receiptsMax: 1_000_000, receiptAgeMax: 86_400)
        store = try Store(
            journal: journal, limits: limits, compaction: compaction, clock: { 1_000 },
            token: { "bench" })
    }

    static func list(_ number: Int) throws -> ListID {
        guard let id = ListID("list-\(number)") else { throw Failure.refused("list id") }
        return id
    }

    /// Makes a list. `settle` is called when it is on the disk.
    func create(_ id: ListID, items count: Int, settle: @escaping @Sendable () -> Void) throws {
        let section = NewSection(
            SectionProperties(id: SectionID(unchecked: "section")),
            items: (0..<count).map { NewItem(Self.item($0), value: Self.value($0)) })
        let submission = store.create(id, Write(.operations([.appendSections([section])])))
        guard case .success = submission.result else { throw Failure.refused("a list") }
        submission.durability?.whenDone { _ in settle() }
    }

    /// Toggles a star. `settle` is called when it is on the disk. A star that is lost ends the benchmark.
    func star(_ id: ListID, _ item: Int, settle: @escaping @Sendable () -> Void) throws {
        let submission = store.submit(id, Write(.operation(.toggleStar(Self.item(item)))))
        guard case .success = submission.result else { throw Failure.refused("a star") }
        submission.durability?.whenDone { outcome in
            if case .failure(let error) = outcome { end("a star is lost: \(error)") }
            settle()
        }
    }

    static func item(_ index: Int) -> ItemID { ItemID(unchecked: "item-\(digits(index))") }

    private static func digits(_ index: Int) -> String {
        let digits = String(index)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The bytes of each content.
    static let contentBytes = 60
    private static func value(_ index: Int) -> ItemChanges {
        let text = "{\"title\":\"Entry \(digits(index))\",\"subtitle\":\"Nothing to add here....\"}"
        var value = ItemChanges()
        value.kind = .set(Item.defaultKind)
        value.content = .replace(JSONText(unchecked: Array(text.utf8)))
        return value
    }
}
