import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport

/// A store in memory, with a short notation for lists: `A:a,b B:c`.
struct StoreFixture {
    let store: Store
    static let list = ListID("test")!
    static let limits = Store.Limits(
        itemsMax: 1_000, sectionsMax: 1_000, contentBytesMax: 65_536, historyVersionsMax: 100, historyBytesMax: 1 << 20,
        receiptsMax: 100,
        receiptAgeMax: 86_400)

    init(
        _ sections: String = "", journal: (any Journal)? = nil, mayMissCommits: Bool = false,
        epochs: String = "e",
        limits: Store.Limits = StoreFixture.limits, milliseconds: (@Sendable () -> Int)? = nil
    ) throws {
        let tokens = TokenSource()
        store = try Store(
            journal: journal, mayMissCommits: mayMissCommits, limits: limits, clock: { 1_000 },
            milliseconds: milliseconds, token: { ByteText(tokens.next(epochs)) }
        )
        guard !sections.isEmpty else { return }
        _ = try create(sections)
    }

    @discardableResult
    func create(_ sections: String, key: ReceiptKey? = nil) throws -> WriteResult {
        let wanted = WantedSnapshot(sections: Self.sections(sections))
        return try store.create(Self.list, Write(.operations([.applySnapshot(wanted)]), key: key)).result.get()
    }

    /// Creates the list and waits until it is durable.
    func createSettled(_ wanted: WantedSnapshot) async throws {
        let write = Write(.operations([.applySnapshot(wanted)]))
        _ = try await store.create(Self.list, write).settled().get()
    }

    func createSettled(_ sections: String) async throws {
        try await createSettled(WantedSnapshot(sections: Self.sections(sections)))
    }

    static func sections(_ text: String) -> [WantedSection] {
        text.split(separator: " ").map { part in
            let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let items = halves.count > 1 ? halves[1].split(separator: ",") : []
            return WantedSection(
                SectionID(unchecked: String(halves[0])),
                items: items.map { NewItem(ItemID(unchecked: String($0)), value: ItemChanges()) })
        }
    }

    func write(_ operations: Operation..., base: Version? = nil, isStrict: Bool = false) throws -> WriteResult {
        try store.submit(Self.list, Write(.operations(operations), base: base, isStrict: isStrict)).result.get()
    }

    var head: ListSnapshot? { (try? store.list(Self.list))?.enter { $0.snapshot() } }

    var text: String { head.map { Self.text($0.state) } ?? "no list" }

    static func text(_ state: ListState) -> String {
        state.sectionHandles.map { section in
            "\(state[section].id):" + state.rows(of: section).map { "\(state[$0].id)" }.joined(separator: ",")
        }.joined(separator: " ")
    }
}

/// Makes epochs that tests can tell apart.
private final class TokenSource: Sendable {
    private let count = Counter()
    func next(_ name: String) -> String { "\(name)\(count.next())" }
}

/// Thrown if a test does not find what it needs to go on.
struct Missing: Error {
    let what: String
}
