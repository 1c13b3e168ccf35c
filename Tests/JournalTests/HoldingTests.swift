import ListDiff
import ListModel
import PostgreSQLJournal
import SQLiteJournal
import TestSupport
import Testing
import Texts
import Threads

@testable import ListStore

/// What the lists of one creator may take: in memory, in a folder, and in a database.
@Suite struct HoldingTests {
    enum Engine: String, Sendable, CaseIterable {
        case memory, sqlite, postgreSQL

        /// Makes or opens the journal; nil keeps everything in memory.
        fileprivate func opener() throws -> () throws -> (any Journal)? {
            switch self {
            case .memory: return { nil }
            case .sqlite:
                let folder = try Folder()
                return { try SQLiteJournal(directory: folder.path) }
            case .postgreSQL:
                let schema = PostgreSQLServer.newName()
                return { try PostgreSQLServer.shared.journal(schema) }
            }
        }
    }

    /// A store on which `ada` has made `full` with three items and a section, and `empty`.
    fileprivate struct Scene {
        let store: Store
        static let most = Holding(lists: 2, items: 4, bytes: 1_000)
        static let full = ListID("full")!
        static let empty = ListID("empty")!

        init(_ journal: (any Journal)?, most: Holding = most) throws {
            let tokens = Locked(0)
            var limits = MigrationScene.limits
            limits.holdingMax = most
            store = try Store(
                journal: journal, limits: limits, clock: { 1_000 },
                token: {
                    tokens.withLock { count in
                        count += 1
                        return ByteText("e\(count)")
                    }
                })
            // A look beside the writes of a test would miss what is in flight. The tests look when nothing is.
            store.isShared ? store.holdingsKeeper.stop() : store.holdingsKeeper.waitUntilDone()
        }

        func fill() throws {
            try keep(store.create(Self.full, write(.applySnapshot(Scene.snapshot(["a", "b", "c"])))))
            try keep(store.create(Self.empty, write(.applySnapshot(WantedSnapshot(sections: [])))))
        }

        static func snapshot(_ items: [ItemID]) -> WantedSnapshot {
            WantedSnapshot(sections: [WantedSection("s", items: Scene.items(items))])
        }

        static func items(_ ids: [ItemID]) -> [NewItem] { ids.map { NewItem($0, value: ItemChanges()) } }

        func write(_ operations: Operation..., by caller: ByteText = "ada") -> Write {
            Write(.operations(operations), caller: caller)
        }

        /// Requires that a write is carried out and kept.
        @discardableResult
        func keep(_ submission: Submission) throws -> WriteResult {
            let result = try submission.result.get()
            try #require(submission.isKept, "\(String(describing: submission.durability?.failure))")
            return result
        }

        func submit(_ operations: Operation..., by caller: ByteText = "ada") -> Submission {
            store.submit(Self.full, Write(.operations(operations), caller: caller))
        }

        func holding(of creator: ByteText = "ada") -> Holding { store.shared.holdings.holding(of: creator) }

        /// The version and the items of the list that is not empty.
        var shown: ListSummary? { (try? store.list(Self.full))?.read { $0.summary() } }
    }

    /// A write that would take `ada` over a limit, and what leads to it.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let part: Holding.Part
        fileprivate let ask: @Sendable (Scene) throws -> Submission

        fileprivate init(
            _ name: String, _ part: Holding.Part, _ ask: @escaping @Sendable (Scene) throws -> Submission
        ) {
            (testDescription, self.part, self.ask) = (name, part, ask)
        }
    }

    private static let long = ByteText(String(repeating: "x", count: 1_200))

    /// Every way in which lists, items and bytes come into being.
    static let refusals: [Refusal] = [
        Refusal("another list", .lists) { $0.store.create(ListID("more")!, $0.write()) },
        Refusal("another list, as a dry run", .lists) {
            var write = $0.write()
            write.isDryRun = true
            return $0.store.create(ListID("more")!, write)
        },
        Refusal("another list if there is none", .lists) {
            $0.store.create(ListID("more")!, $0.write(), mustNotExist: true)
        },
        Refusal("a deleted list comes back", .lists) {
            try $0.keep($0.store.delete(Scene.empty, $0.write()))
            try $0.keep($0.store.create(ListID("more")!, $0.write()))
            return $0.store.restore(Scene.empty, nil, $0.write())
        },
        Refusal("a deleted list comes back with its items", .items) {
            try $0.keep($0.store.delete(Scene.full, $0.write()))
            try $0.keep(
                $0.store.submit(Scene.empty, $0.write(.appendSections([NewSection(SectionProperties(id: "s"))]))))
            try $0.keep($0.store.submit(Scene.empty, $0.write(.appendItems(Scene.items(["x", "y"]), .section("s")))))
            return $0.store.restore(Scene.full, nil, $0.write())
        },
        Refusal("a new list with items", .items) {
            try $0.keep($0.store.delete(Scene.empty, $0.write()))
            return $0.store.create(ListID("more")!, $0.write(.applySnapshot(Scene.snapshot(["x", "y"]))))
        },
        Refusal("append", .items) { $0.submit(.appendItems(Scene.items(["x", "y"]), .section("s"))) },
        Refusal("append by another token", .items) {
            $0.submit(.appendItems(Scene.items(["x", "y"]), .section("s")), by: "bob")
        },
        Refusal("append without a token", .items) {
            $0.submit(.appendItems(Scene.items(["x", "y"]), .section("s")), by: "anonymous")
        },
        Refusal("insert", .items) { $0.submit(.insertItems(Scene.items(["x", "y"]), ItemAnchor(.before, "a"))) },
        Refusal("sections with items", .items) {
            $0.submit(.appendSections([NewSection(SectionProperties(id: "t"), items: Scene.items(["x", "y"]))]))
        },
        Refusal("children", .items) { $0.submit(.replaceChildren("a", Scene.items(["x", "y"]))) },
        Refusal("a snapshot", .items) {
            $0.submit(.applySnapshot(Scene.snapshot(["a", "v", "w", "x", "y"])))
        },
        Refusal("a snapshot by PUT", .items) {
            $0.store.create(Scene.full, $0.write(.applySnapshot(Scene.snapshot(["a", "v", "w", "x", "y"]))))
        },
        Refusal("a section snapshot", .items) {
            $0.submit(.applySectionSnapshot(WantedSection("s", items: Scene.items(["a", "v", "w", "x", "y"]))))
        },
        Refusal("a write on an old version", .items) { scene in
            let old = try #require(scene.shown?.version)
            try scene.keep(scene.submit(.appendItems(Scene.items(["x"]), .section("s"))))
            var write = scene.write(.appendItems(Scene.items(["y"]), .section("s")))
            write.base = old
            return scene.store.submit(Scene.full, write)
        },
        Refusal("undo of a deletion", .items) {
            let deleted = try $0.keep($0.submit(.deleteItems(["a", "b"]))).version
            try $0.keep($0.submit(.appendItems(Scene.items(["x", "y", "z"]), .section("s"))))
            return $0.store.submit(Scene.full, Write(.undo(deleted), caller: "ada"))
        },
        Refusal("redo of an insertion", .items) {
            let inserted = try $0.keep($0.submit(.appendItems(Scene.items(["x"]), .section("s")))).version
            try $0.keep($0.store.submit(Scene.full, Write(.undo(inserted), caller: "ada")))
            try $0.keep($0.submit(.appendItems(Scene.items(["y"]), .section("s"))))
            return $0.store.submit(Scene.full, Write(.redo(inserted), caller: "ada"))
        },
        Refusal("an old version comes back", .items) { scene in
            let old = try #require(scene.shown?.version)
            try scene.keep(scene.submit(.deleteAllItems))
            try scene.keep(scene.store.submit(Scene.empty, scene.write(.appendSections([section("t", items: 2)]))))
            return scene.store.restore(Scene.full, old, scene.write())
        },
        Refusal("a title", .bytes) { $0.submit(.updateList(title(long))) },
        Refusal("a title of a section", .bytes) {
            var changes = SectionChanges()
            changes.title = .set(long)
            return $0.submit(.updateSection("s", changes))
        },
        Refusal("a section with a title", .bytes) {
            $0.submit(.appendSections([NewSection(SectionProperties(id: "t", title: long))]))
        },
        Refusal("undo of a shorter title", .bytes) {
            try $0.keep($0.submit(.updateList(title(ByteText(String(repeating: "x", count: 900))))))
            let shorter = try $0.keep($0.submit(.updateList(title("short")))).version
            var changes = SectionChanges()
            changes.title = .set(ByteText(String(repeating: "y", count: 500)))
            try $0.keep($0.submit(.updateSection("s", changes)))
            return $0.store.submit(Scene.full, Write(.undo(shorter), caller: "ada"))
        },
    ]

    private static func section(_ id: SectionID, items count: Int) -> NewSection {
        NewSection(
            SectionProperties(id: id), items: Scene.items((0..<count).map { ItemID(unchecked: ByteText("n\($0)")) }))
    }

    private static func title(_ title: ByteText) -> ListChanges {
        var changes = ListChanges()
        changes.title = .set(title)
        return changes
    }

    @Test(arguments: Engine.allCases, refusals)
    func isRefused(on engine: Engine, refusal: Refusal) throws {
        let open = try engine.opener()
        let scene = try Scene(open())
        defer { withExtendedLifetime(open) { scene.store.stop() } }
        try scene.fill()
        let submission = try refusal.ask(scene)
        guard case .failure(.holdingFull(refusal.part, limit: Scene.most[refusal.part])) = submission.result else {
            Issue.record("\(submission.result)")
            return
        }
        // Nothing has changed: what is counted is what is there.
        let counted = scene.holding()
        #expect(counted == Self.present(in: scene.store, of: "ada"))
        for part in Holding.Part.allCases { #expect(counted[part] <= Scene.most[part]) }
    }

    /// What is there, counted list by list.
    private static func present(in store: Store, of creator: ByteText) -> Holding {
        store.lists(after: nil, limit: .max).compactMap(\.list).reduce(.none) { sum, list in
            let summary = list.read { $0.summary() }
            guard summary.creator == creator, let bytes = summary.bytes else { return sum }
            return sum + Holding(lists: 1, items: summary.counts.items, bytes: bytes)
        }
    }

    /// What does not grow is written, also beyond the limits.
    @Test(arguments: Engine.allCases)
    func whatShrinksIsWritten(on engine: Engine) throws {
        let open = try engine.opener()
        var scene = try Scene(open(), most: .unlimited)
        try scene.fill()
        try scene.keep(scene.submit(.updateList(Self.title(Self.long))))
        if engine != .memory {
            scene.store.stop()
            scene = try Scene(open(), most: Holding(lists: 1, items: 2, bytes: 100))
        }
        defer { scene.store.stop() }
        let operations: [Operation] = [
            .moveItem("a", .last(.section("s"))), .toggleStar("a"), .setExpanded(["a"], true), .reloadItems(["b"]),
            .applySnapshot(Scene.snapshot(["c", "b", "a"])), .deleteItems(["a"]), .updateList(Self.title("short")),
            .deleteAllItems,
        ]
        for operation in operations { try scene.keep(scene.submit(operation)) }
        try scene.keep(scene.store.delete(Scene.full, scene.write()))
        #expect(scene.holding() == Self.present(in: scene.store, of: "ada"))
        #expect(scene.holding().lists == 1)
    }

    /// Deleting makes room at once, and others have room of their own.
    @Test(arguments: Engine.allCases)
    func deletingMakesRoom(on engine: Engine) throws {
        let open = try engine.opener()
        let scene = try Scene(open())
        defer { withExtendedLifetime(open) { scene.store.stop() } }
        try scene.fill()
        let more = ListID("more")!
        #expect(!scene.store.create(more, scene.write()).isSuccess)
        for name in ["b1", "b2"] { try scene.keep(scene.store.create(ListID(ByteText(name))!, scene.write(by: "bob"))) }
        #expect(!scene.store.create(more, scene.write(by: "bob")).isSuccess)
        for number in 0..<9 {
            try scene.keep(scene.store.create(ListID(ByteText("n\(number)"))!, scene.write(by: "anonymous")))
        }
        try scene.keep(scene.store.delete(Scene.empty, scene.write(), purges: true))
        try scene.keep(scene.store.create(more, scene.write()))
        try scene.keep(scene.submit(.deleteItems(["a", "b", "c"])))
        try scene.keep(scene.submit(.appendItems(Scene.items(["v", "w", "x", "y"]), .section("s"))))
        #expect(!scene.submit(.appendItems(Scene.items(["z"]), .section("s"))).isSuccess)
        #expect(scene.holding() == Self.present(in: scene.store, of: "ada"))
        #expect(scene.holding(of: "bob") == Self.present(in: scene.store, of: "bob"))
        #expect(scene.holding(of: "anonymous") == .none)
    }

    /// A restart finds what was there: by summaries, by lists that are read, and after compaction has removed the entry
    /// that made a list.
    @Test(arguments: [Engine.sqlite, .postgreSQL], [false, true])
    func aRestartKeepsTheCounts(on engine: Engine, compacts: Bool) throws {
        let open = try engine.opener()
        var scene = try Scene(open())
        try scene.fill()
        for step in 0..<12 { try scene.keep(scene.submit(.setStarred(["a"], step % 2 == 0))) }
        if compacts { try scene.store.compact() }
        let before = scene.holding()
        #expect(before.lists == 2 && before.items == 3)
        for _ in 0..<2 {
            scene.store.stop()
            scene = try Scene(open())
            #expect(scene.holding() == before)
            #expect(!scene.store.create(ListID("more")!, scene.write()).isSuccess)
            #expect(!scene.submit(.appendItems(Scene.items(["x", "y"]), .section("s"))).isSuccess)
            #expect(scene.holding() == Self.present(in: scene.store, of: "ada"))
        }
        try scene.keep(scene.store.delete(Scene.full, scene.write()))
        #expect(scene.holding() == Self.present(in: scene.store, of: "ada"))
        scene.store.stop()
    }

    /// A store learns what others have made at its next look, and what they have deleted.
    @Test func storesOfOneDatabaseCountTogether() throws {
        let open = try Engine.postgreSQL.opener()
        let (one, other) = (try Scene(open()), try Scene(open()))
        defer {
            one.store.stop()
            other.store.stop()
        }
        func look(_ lists: Int, _ items: Int, _ bytes: Int) throws {
            for scene in [one, other] {
                try scene.store.shared.holdings.look(at: try #require(scene.store.journal))
                #expect(scene.holding() == Holding(lists: lists, items: items, bytes: bytes))
            }
        }
        try one.fill()
        // A content has two bytes, and the titles are the ids.
        try look(2, 3, 15)
        #expect(!other.store.create(ListID("more")!, other.write()).isSuccess)
        #expect(!other.submit(.appendItems(Scene.items(["x", "y"]), .section("s"))).isSuccess)
        try other.keep(other.submit(.appendItems(Scene.items(["x"]), .section("s"))))
        try other.keep(other.store.delete(Scene.empty, other.write()))
        try look(1, 4, 12)
        #expect(!one.submit(.appendItems(Scene.items(["y"]), .section("s"))).isSuccess)
        try one.keep(one.store.create(ListID("more")!, one.write()))
        try look(2, 4, 16)
        #expect(!other.store.restore(Scene.empty, nil, other.write()).isSuccess)
    }

    /// A migration takes the counts along.
    @Test(arguments: [(Engine.sqlite, Engine.postgreSQL), (.postgreSQL, .sqlite)])
    func aMigrationKeepsTheCounts(_ from: Engine, _ to: Engine) throws {
        let (source, target) = (try from.opener(), try to.opener())
        let first = try Scene(source())
        try first.fill()
        try first.store.compact()
        let before = first.holding()
        first.store.stop()
        let (journal, taker) = (try #require(try source()), try #require(try target() as? any TakesWholeLists))
        _ = try Migration.run(from: journal, to: taker) { _, _ in true }
        journal.close()
        taker.close()
        let second = try Scene(target())
        defer { second.store.stop() }
        #expect(second.holding() == before)
        #expect(!second.store.create(ListID("more")!, second.write()).isSuccess)
    }

    /// A store counts what is there also if lists are made, changed, deleted, restored, and leave memory meanwhile.
    @Test(arguments: UInt64(1)...6)
    func countsAmidWrites(seed: UInt64) throws {
        let open = try Engine.sqlite.opener()
        var random = SeededGenerator(seed: seed)
        var limits = MigrationScene.limits
        // A dozen lists find room in memory.
        limits.listsMemoryBytesMax = 1 << 17
        limits.holdingMax = Holding(lists: 1_000, items: 1_000_000, bytes: 1 << 30)
        for round in 0..<4 {
            let store = try Store(
                journal: open(), limits: limits, clock: { 1_000 },
                token: { ByteText("\(UInt64.random(in: 0 ... .max))") })
            var submissions: [Submission] = []
            for _ in 0..<300 {
                let id = ListID(ByteText("l\(Int.random(in: 0..<90, using: &random))"))!
                let write = Write(
                    .operations([.applySnapshot(Self.someSnapshot(&random))]),
                    caller: ["ada", "bob", "anonymous"].randomElement(using: &random)!)
                switch Int.random(in: 0..<10, using: &random) {
                case 0: submissions.append(store.delete(id, write, purges: Bool.random(using: &random)))
                case 1: submissions.append(store.restore(id, nil, write))
                default: submissions.append(store.create(id, write))
                }
            }
            if round == 2 { try store.compact() }
            for submission in submissions where submission.isSuccess { try #require(submission.isKept) }
            store.holdingsKeeper.waitUntilDone()
            for creator: ByteText in ["ada", "bob", "anonymous"] {
                let counted = store.shared.holdings.holding(of: creator)
                #expect(counted == Self.present(in: store, of: creator), "round \(round), \(creator)")
                #expect((counted.lists > 5) == (creator != "anonymous"))
            }
            store.stop()
        }
    }

    private static func someSnapshot(_ random: inout SeededGenerator) -> WantedSnapshot {
        var snapshot = Scene.snapshot((0..<Int.random(in: 0..<9, using: &random)).map { ItemID(unchecked: "i\($0)") })
        snapshot.changes = title(ByteText(String(repeating: "x", count: Int.random(in: 0..<99, using: &random))))
        return snapshot
    }
}
