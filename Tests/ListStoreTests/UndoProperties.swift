import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// Undo and redo over random histories of several people.
///
/// A *property* is a member of the list, of a section or of an item: its title, its kind, its place, or whether it
/// exists. The writer of a property is the last transaction that changed it and is in effect. An undo makes the
/// transaction before it the writer again. An undo may change only those properties whose writer is the transaction
/// that it takes back.
@Suite struct UndoProperties {
    static let callers = ["ann", "bob", "cy"]

    @Test(arguments: Soak.seeds(24), [Bias.everything, .moves, .arrivals, .subtrees, .content])
    func nobodyLosesAnything(seed: UInt64, bias: Bias) async throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, sectionIDs: 3, bias: bias)
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled(lists.snapshot())
        var witness = Witness(try #require(fixture.head))
        for step in 0..<60 {
            let head = try #require(fixture.head)
            let caller = lists.random.pick(Self.callers)
            let write = Write(Self.intent(&lists, head), caller: ByteText(caller))
            guard case .success(let result) = await fixture.store.submit(StoreFixture.list, write).settled() else {
                try #require(fixture.head?.version == head.version, "step \(step)")
                continue
            }
            let after = try #require(fixture.head)
            let rows = Rows(of: head.state, view: .items)
            let changes = try #require(result.changes)
            try #require(rows.applying(changes, view: .items) == Rows(of: after.state, view: .items), "step \(step)")
            guard result.kind == .changed else { continue }
            let note = try fixture.store.list(StoreFixture.list)?.enter { $0.note(of: after.version.revision) }
            try witness.check(after, write.intent, note?.reversal, step)
        }
        try await Self.requireSame(fixture, try StoreFixture(journal: TestJournal(entries: journal.entries)))
    }

    /// Random operations, or an undo or redo of one of the newest transactions.
    private static func intent(_ lists: inout RandomLists, _ head: ListSnapshot) -> WriteIntent {
        let back = lists.random.below(min(8, head.version.revision))
        let version = Version(epoch: head.version.epoch, revision: head.version.revision - back)
        return switch lists.random.below(10) {
        case 0: .undo(nil)
        case 1: .redo(nil)
        case 2, 3: .undo(version)
        case 4: .redo(version)
        case 5: .operations([lists.operation(on: head.state), lists.operation(on: head.state)])
        default: .operation(lists.operation(on: head.state))
        }
    }

    /// Requires that a list from the log equals the live one, with its history and everything that can be undone.
    private static func requireSame(_ live: StoreFixture, _ recovered: StoreFixture) async throws {
        let pair = [live, recovered]
        func states() throws -> [ListImage] { try pair.map { ListImage(try #require($0.head).state) } }
        func histories() throws -> [[String]] {
            try pair.map { fixture in
                let list = try #require(try fixture.store.list(StoreFixture.list))
                return try list.enter { try $0.transactions(before: nil, limit: .max) }.page.map { past in
                    "\(past.version) \(past.note.actor) \(String(describing: past.note.reversal)) \(past.isUndone)"
                }
            }
        }
        for caller in callers + callers {
            try #require(try states()[0] == states()[1])
            try #require(try histories()[0] == histories()[1])
            var results: [Result<WriteResult, StoreError>] = []
            for fixture in pair {
                let write = Write(.undo(nil), caller: ByteText(caller))
                results.append(await fixture.store.submit(StoreFixture.list, write).settled())
            }
            switch (results[0], results[1]) {
            case (.success(let one), .success(let other)): try #require(one.outcomes == other.outcomes)
            case (.failure(.nothingToUndo), .failure(.nothingToUndo)): break
            default: Issue.record("\(results)")
            }
        }
        live.store.stop()
        recovered.store.stop()
    }
}

/// The writers of all properties, computed from the states alone.
private struct Witness {
    private var images: [Int: ListImage] = [:]
    private var intents: [Int: WriteIntent] = [:]
    private var values: [String: String] = [:]
    private var track: [String: Track] = [:]
    private var revision: Int

    init(_ head: ListSnapshot) {
        revision = head.version.revision
        images[revision] = ListImage(head.state)
        values = Self.values(ListImage(head.state))
    }

    mutating func check(
        _ head: ListSnapshot, _ intent: WriteIntent, _ reversal: Reversal?, _ step: Int
    ) throws {
        let image = ListImage(head.state)
        try #require(image.flaw == nil, "step \(step)")
        try #require(head.state.visibleItemCount == Rows(of: head.state, view: .visible).count, "step \(step)")
        let before = try #require(images[revision])
        revision = head.version.revision
        images[revision] = image
        intents[revision] = intent
        let now = Self.values(image)
        for key in Set(now.keys).union(values.keys) where now[key] != values[key] {
            if let reversal {
                let isOwn = track[key]?.holds(reversal.inverted) ?? false
                try #require(isOwn, "step \(step): \(key) is not of \(reversal)")
                track[key]?.reverse(reversal.inverted, by: revision)
            } else {
                track[key, default: Track()].write(revision)
            }
        }
        values = now
        guard let reversal else { return }
        if reversal.isExact { try #require(image == images[reversal.inverted - 1], "step \(step)") }
        try requireOrder(from: before, to: image, reversal, step)
    }

    /// Rows that the transaction did not place keep their order.
    private func requireOrder(
        from old: ListImage, to new: ListImage, _ reversal: Reversal, _ step: Int
    ) throws {
        guard case .operation(let operation) = intents[reversal.transaction] else { return }
        var moved: Set<ItemID> = []
        switch operation {
        case .moveItem(let id, _): moved = [id]
        case .updateItem, .toggleStar, .setStarred, .setExpanded, .deleteItems, .updateList, .updateSection: break
        default: return
        }
        for row in (old.sections + new.sections).flatMap(\.rows) {
            if let parent = row.parent, moved.contains(parent) { moved.insert(row.item.id) }
        }
        let stayed = Set(old.itemIDs).intersection(new.itemIDs).subtracting(moved)
        let orders = [old, new].map { image in
            Dictionary(
                uniqueKeysWithValues: image.sections.map { section in
                    (section.properties.id, section.rows.map(\.item.id).filter(stayed.contains))
                })
        }
        try #require(orders[0] == orders[1], "step \(step)")
    }

    private static func values(_ image: ListImage) -> [String: String] {
        var values = ["title": image.properties.title.string, "layout": text(image.properties.layout)]
        for section in image.sections {
            let (properties, name) = (section.properties, "section \(section.properties.id)")
            values[name] = ""
            values["\(name) title"] = properties.title?.string ?? "-"
            values["\(name) layout"] = text(properties.layout)
            values["\(name) header"] = text(properties.header)
            values["\(name) footer"] = text(properties.footer)
            values["\(name) reorderable"] = "\(properties.isReorderable)"
            for row in section.rows {
                let name = "item \(row.item.id)"
                values[name] = ""
                values["\(name) in"] = row.parent.map { "item \($0)" } ?? "section \(properties.id)"
                values["\(name) kind"] = row.item.kind.string
                values["\(name) content"] = text(row.item.content)
                values["\(name) starred"] = "\(row.item.isStarred)"
                values["\(name) expanded"] = "\(row.item.isExpanded)"
                values["\(name) reorderable"] = "\(row.item.isReorderable)"
            }
        }
        return values
    }

    private static func text(_ text: JSONText?) -> String {
        text.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-"
    }
}

/// The writers of one property, as brackets. An undo closes the bracket of the transaction that it takes back, with
/// everything in between.
private struct Track {
    private var revisions: [Int] = []
    /// For each of the revisions, the index of the revision that it took back; nil if it took none back.
    private var closed: [Int?] = []

    mutating func write(_ revision: Int) {
        revisions.append(revision)
        closed.append(nil)
    }

    func holds(_ revision: Int) -> Bool { place(of: revision) != nil }

    /// The index of a revision, if all later writes of the property were taken back.
    private func place(of revision: Int) -> Int? {
        var index = revisions.count - 1
        while index >= 0, revisions[index] != revision {
            guard let start = closed[index] else { return nil }
            index = start - 1
        }
        return index < 0 ? nil : index
    }

    mutating func reverse(_ revision: Int, by reversal: Int) {
        let index = place(of: revision)
        revisions.append(reversal)
        closed.append(index)
    }
}
