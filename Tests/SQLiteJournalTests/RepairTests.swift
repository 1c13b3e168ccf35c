import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteJournal

/// Tests what a repair keeps of each list, and the losses that it reports.
@Suite struct RepairTests {
    private static let (long, other) = (ListID("long")!, ListID("other")!)
    private static let itemCount = 400
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func open(epoch: ByteText) throws -> ListStore.Store {
        let journal = try SQLiteJournal(directory: folder.path)
        let limits = Store.Limits(
            itemsMax: .max, sectionsMax: .max, contentBytesMax: .max, historyVersionsMax: 1, historyBytesMax: .max,
            receiptsMax: 9, receiptAgeMax: 99)
        return try Store(
            journal: journal, mayMissCommits: journal.recovery.mayMissCommits, limits: limits, clock: { 0 },
            token: { epoch })
    }

    private static func item(_ number: Int) -> NewItem {
        let text = String(repeating: "\(number) ", count: 200)
        let content = JSONText(.object(["t": .string(ByteText(text))]))
        var value = ItemChanges()
        value.content = .replace(content)
        return NewItem(ItemID(unchecked: "i\(number)"), value: value)
    }

    /// Makes two lists: a short one, and a long one in two sections. Every third item of the long one is a child of the
    /// item before.
    private func fill(_ store: ListStore.Store, isCompact: Bool) throws {
        let items = (0..<Self.itemCount).map(Self.item)
        let sections = [
            WantedSection("A", items: Array(items[..<150])), WantedSection("B", items: Array(items[150...])),
        ]
        let outline = stride(from: 1, to: 150, by: 3).map { number in
            let parent = Container.parent(ItemID(unchecked: "i\(number - 1)"))
            return ListModel.Operation.moveItem(ItemID(unchecked: "i\(number)"), .last(parent))
        }
        try write(store, Self.long, [.applySnapshot(WantedSnapshot(sections: sections))] + outline, creates: true)
        let short = [WantedSection("S", items: [Self.item(1)])]
        try write(store, Self.other, [.applySnapshot(WantedSnapshot(sections: short))], creates: true)
        for _ in 0..<5 { for list in [Self.long, Self.other] { try write(store, list, [.toggleStar("i1")]) } }
        if isCompact { try store.compact() }
        for list in [Self.long, Self.other] { try write(store, list, [.toggleStar("i1")]) }
    }

    private func write(
        _ store: ListStore.Store, _ list: ListID, _ operations: [ListModel.Operation], creates: Bool = false
    ) throws {
        let write = Write(.operations(operations))
        let submission = creates ? store.create(list, write) : store.submit(list, write)
        _ = try submission.result.get()
        try submission.durability?.wait()
    }

    private struct Content: Equatable {
        var version: Version
        var items: [String]
        var isStarred: Bool
    }

    private func content(_ store: ListStore.Store, _ list: ListID) throws -> Content? {
        try store.list(list)?.enter { list in
            let snapshot = list.snapshot()
            let items = snapshot.state.sectionHandles.flatMap { snapshot.state.rows(of: $0) }.map { snapshot.state[$0] }
            return Content(
                version: snapshot.version, items: items.map(\.id.rawValue.string),
                isStarred: items.contains { $0.isStarred })
        }
    }

    /// Damages a folder, repairs it, and returns the report with the lists before and after.
    private func mended(
        isCompact: Bool = true, _ damage: (TemporaryFolder) throws -> Void
    ) throws -> (repaired: Maintenance.Repaired, before: [Content?], after: [Content?]) {
        let store = try open(epoch: "old")
        try fill(store, isCompact: isCompact)
        let before = try [Self.long, Self.other].map { try content(store, $0) }
        store.stop()
        try damage(folder)
        #expect(try !Maintenance.examine(folder: folder.path).findings.isEmpty)
        let repaired = try #require(try Maintenance.repair(folder: folder.path))
        #expect(try Maintenance.examine(folder: folder.path).findings == [])
        #expect(try Maintenance.repair(folder: folder.path) == nil)
        let again = try open(epoch: "new")
        let after = try [Self.long, Self.other].map { try content(again, $0) }
        again.stop()
        #expect(after[1]?.items == before[1]?.items && after[1]?.isStarred == before[1]?.isStarred)
        #expect(after.compactMap { $0?.version.epoch } == after.compactMap { $0.map { _ in "new" } })
        return (repaired, before, after)
    }

    /// Only the items of a damaged chunk are lost.
    @Test(arguments: [0, 1, 2, 3]) func theGoodChunksOfASnapshotAreKept(chunk: Int) throws {
        let (repaired, before, after) = try mended { folder in
            let chunks = "FROM chunks ORDER BY id"
            try folder.change(
                "UPDATE chunks SET bytes = zeroblob(50) WHERE id = (SELECT id \(chunks) LIMIT 1 OFFSET \(chunk))")
            // Otherwise the list could be made from the rows that the snapshot stands for.
            try folder.change("UPDATE log SET bytes = x'00' WHERE list = 'long' AND position = 1")
        }
        let (all, kept) = (try #require(before[0]?.items), try #require(after[0]?.items))
        #expect(kept == all.filter(Set(kept).contains) && kept.count < all.count)
        #expect(kept.count > all.count / 2)
        // The versions after the snapshot have no state to build on.
        #expect(repaired.losses.count == 1 && repaired.wholeCount == 1)
        #expect(
            repaired.losses[0].hasPrefix("The list long keeps \(kept.count) items; 1 of the "), "\(repaired.losses)")
    }

    /// A sequence says which writes are there. After a repair that has lost some it would be wrong.
    @Test(arguments: [true, false]) func sequencesAreKeptIfNothingIsLost(isLost: Bool) throws {
        var store = try open(epoch: "old")
        try fill(store, isCompact: false)
        func star(_ number: Int) -> Submission {
            var write = Write(.operation(.toggleStar("i1")))
            write.number = WriteNumber(client: [1], owner: "", number: number, request: [UInt8(number)])
            return store.submit(Self.other, write)
        }
        for number in 1...2 { try star(number).durability?.wait() }
        store.stop()
        try folder.change(
            isLost
                ? "UPDATE log SET bytes = x'00' WHERE list = 'long' AND position > 1"
                : "UPDATE meta SET checksum = 1 WHERE name = 'logRemovedLast'")
        let repaired = try #require(try Maintenance.repair(folder: folder.path))
        #expect(repaired.losses.isEmpty != isLost, "\(repaired.losses)")
        store = try open(epoch: "new")
        switch (star(2).result, isLost) {
        case (.failure(.outOfSequence(.unknown)), true): break
        case (.success(let result), false): #expect(result.isReplay)
        case (let result, _): Issue.record("\(result)")
        }
        store.stop()
    }

    @Test func withoutAnyChunkAListIsGone() throws {
        let (repaired, _, after) = try mended { folder in
            let snapshot = "(SELECT id FROM snapshots WHERE list = 'long')"
            try folder.change("UPDATE chunks SET checksum = 1 WHERE id / \(SnapshotChunk.countMax) = \(snapshot)")
            try folder.change("UPDATE log SET bytes = x'00' WHERE list = 'long' AND position = 1")
        }
        #expect(after[0] == nil)
        #expect(repaired.losses == ["The list long is gone: nothing of it can be read."])
    }

    @Test func rowsThatADamagedSnapshotStandsForMakeTheListWhole() throws {
        let store = try open(epoch: "old")
        try fill(store, isCompact: false)
        let list = try #require(try store.list(Self.long))
        let plan = try #require(list.enter { $0.planSnapshot(nil) })
        let work = Compactor.Work(
            journal: try #require(store.shared.queue).journal, growth: Store.Compaction(rows: 1, bytes: 1),
            receipts: nil, deleted: store.deleted, token: store.token)
        try work.write(plan, of: list, isStopping: { false })
        let before = try content(store, Self.long)
        store.stop()
        let snapshot = "(SELECT id FROM snapshots WHERE list = 'long')"
        try folder.change("UPDATE chunks SET bytes = x'00' WHERE id / \(SnapshotChunk.countMax) = \(snapshot)")
        let repaired = try #require(try Maintenance.repair(folder: folder.path))
        #expect(repaired.losses == [] && repaired.wholeCount == 2)
        let again = try open(epoch: "new")
        let after = try content(again, Self.long)
        #expect(after?.items == before?.items && after?.isStarred == before?.isStarred)
        again.stop()
    }

    @Test(arguments: [true, false]) func aListIsCutBeforeItsFirstBadRow(isCompact: Bool) throws {
        let (repaired, before, after) = try mended(isCompact: isCompact) { folder in
            try folder.change("UPDATE log SET bytes = x'00' WHERE list = 'long' AND position = 7")
        }
        #expect(after[0]?.items == before[0]?.items && after[0]?.isStarred != before[0]?.isStarred)
        #expect(repaired.losses == ["The list long keeps its versions up to 6; later ones are lost."])
        #expect(repaired.wholeCount == 1)
    }

    /// All checksums are right.
    @Test(arguments: [true, false]) func aListIsCutBeforeARecordThatMakesNoSense(isCompact: Bool) throws {
        let (repaired, before, after) = try mended(isCompact: isCompact) { folder in
            let journal = try SQLiteJournal(directory: folder.path)
            _ = try journal.checkedLists()
            let star = Record.append(
                Record.Transaction(
                    time: 1, caller: "a", label: nil,
                    edits: [.changeList(ListChanges(whole: ListProperties(title: "T")))]))
            let nonsense = JournalEntry(list: Self.long, kind: .append, bytes: [7], receipt: nil)
            let good = JournalEntry(list: Self.long, kind: .append, bytes: star.bytes, receipt: nil)
            try journal.append([good, good, nonsense, good])
            try journal.append([good])
            journal.close()
        }
        #expect(after[0]?.items == before[0]?.items && after[0]?.isStarred == before[0]?.isStarred)
        #expect(after[0]?.version.revision == 9)
        #expect(repaired.losses == ["The list long keeps its versions up to 9; later ones are lost."])
    }

    @Test func whatIsOfNoListIsALossToo() throws {
        let (repaired, before, after) = try mended { folder in
            let key = ReceiptKey(scope: [1], request: [1])
            let store = try open(epoch: "old")
            let write = Write(.operations([.toggleStar("i1")]), key: key)
            try store.submit(Self.long, write).durability?.wait()
            try store.submit(Self.long, Write(.operations([.toggleStar("i1")]))).durability?.wait()
            store.stop()
            try folder.change("UPDATE receipts SET time = 5")
        }
        #expect(after.map { $0?.items } == before.map { $0?.items })
        #expect(repaired.losses == ["Receipt 1 is damaged."] && repaired.wholeCount == 2)
    }

    @Test func whatHoldsNothingIsNoLoss() throws {
        let (repaired, before, after) = try mended { folder in
            try folder.change("UPDATE meta SET checksum = 1 WHERE name = 'receiptsTrimmed'")
        }
        #expect(after.map { $0?.items } == before.map { $0?.items })
        #expect(repaired.losses == [] && repaired.wholeCount == 2)
    }

    /// The checksums are right, and an answer would contain these bytes unchanged.
    @Test(arguments: ["{\"a\":\"\n\"}", "{\"a\": 1}", "{}{}", "{", "\"\u{1}\"", ""])
    func contentsAreReadStrictly(text: String) throws {
        let store = try open(epoch: "old")
        try fill(store, isCompact: false)
        store.stop()
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.checkedLists()
        let item = Item(id: "i", content: JSONText(unchecked: Array(text.utf8)))
        let edits: [Edit] = [
            .insertSection(SectionProperties(id: "A"), at: 0),
            .insertItems([Edit.NewRow(item)], section: 0, at: 0, parent: nil),
        ]
        let record = Record.create(epoch: "e", Record.Transaction(time: 1, caller: "a", label: nil, edits: edits))
        try journal.append([JournalEntry(list: ListID("bad")!, kind: .create, bytes: record.bytes, receipt: nil)])
        journal.close()
        #expect(try Maintenance.examine(copy: folder.file("liststate.db")).findings.count == 1)
        let other = try TemporaryFolder(isInMemory: true)
        let refused = journalError { try Maintenance.restore(folder.file("liststate.db"), folder: other.path) }
        #expect(refused?.isCorrupt == true)
        let again = try open(epoch: "new")
        #expect(again.load().map(\.id.rawValue) == ["bad"])
        #expect(try content(again, Self.long)?.items.count == Self.itemCount)
        again.stop()
    }
}
