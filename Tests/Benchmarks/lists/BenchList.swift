import ListDiff
import ListModel
import ListStore

/// A list in a store, as an outline. Of each twenty items twelve stand alone, and one has seven children and is
/// collapsed.
final class BenchList {
    private static let group = 20
    private static let lone = 12
    private static let section: SectionID = "section"

    let count: Int
    private let store: Store
    private let id: ListID
    private let list: ListActor
    private var random: SeededGenerator
    private var nextNew = 0
    private var added: [ItemID] = []
    /// The kept rows of followed queries.
    private let followed = FollowedQueries(within: .unbounded)

    /// Makes the list. A failure ends the benchmark, because there would be nothing to measure.
    init(count: Int, naming name: (Int) -> ItemID = BenchList.name, isFlat: Bool = false) {
        self.count = count
        random = SeededGenerator(seed: UInt64(count))
        let limits = Store.Limits(
            itemsMax: 2_000_000, sectionsMax: 1_000_000, contentBytesMax: 65_536, historyVersionsMax: 10_000,
            historyBytesMax: 67_108_864,
            receiptsMax: 1_000, receiptAgeMax: 86_400)
        let section = NewSection(
            SectionProperties(id: Self.section),
            items: (0..<count).map { index in
                let parent = isFlat ? nil : Self.parent(of: index).map(name)
                return NewItem(name(index), parent: parent, value: Self.value(index))
            })
        guard let store = try? Store(journal: nil, limits: limits, clock: { 0 }, token: { "bench" }),
            let id = ListID("bench"),
            case .success = store.create(id, Write(.operations([.appendSections([section])]))).result,
            let list = try? store.list(id)
        else { preconditionFailure("the list was refused") }
        (self.store, self.id, self.list) = (store, id, list)
    }

    /// A name of thirteen bytes, as people make ids.
    static func name(_ index: Int) -> ItemID {
        let digits = String(index)
        return ItemID(unchecked: "item-\(String(repeating: "0", count: 8 - digits.count))\(digits)")
    }

    private static func parent(of index: Int) -> Int? {
        index % group > lone ? index - index % group + lone : nil
    }

    /// The bytes of each content.
    static let contentBytes = 60
    static func value(_ index: Int) -> ItemChanges {
        let digits = String(index)
        let number = String(repeating: "0", count: 8 - digits.count) + digits
        let text = "{\"title\":\"Entry \(number)\",\"subtitle\":\"Nothing to add here....\"}"
        var value = ItemChanges()
        value.kind = .set(Item.defaultKind)
        value.content = .replace(JSONText(unchecked: Array(text.utf8)))
        return value
    }
}

// MARK: - Reading

extension BenchList {
    func snapshot() -> ListSnapshot { list.enter { $0.snapshot() } }

    var version: Version { list.enter { $0.version } }

    func ids(_ view: View = .items) -> [ItemID] {
        let state = snapshot().state
        return state.sectionHandles.flatMap { state.rows(of: $0, view: view).map { state[$0].id } }
    }

    /// The changes for a client that is `steps` versions behind; nil for a reset.
    func catchup(behind steps: Int, view: View) -> ChangeSet? {
        let head = version
        let base = Version(epoch: head.epoch, revision: head.revision - steps)
        guard case .changes(let changes, _, _, _) = list.enter({ $0.catchup(since: base, view: view).catchup }) else {
            return nil
        }
        return changes
    }
}

// MARK: - Windows

extension BenchList {
    /// A window of 80 visible rows around one in the middle.
    func window() -> RowQuery {
        var query = RowQuery(.visible)
        query.window = Window(around: Self.name(count / 2 / Self.group * Self.group), before: 20, after: 59)
        return query
    }

    /// Reads the rows of a window. The benchmark ends unless there are 80.
    func rows(of query: RowQuery) {
        let rows = list.enter { list in
            let snapshot = list.snapshot()
            return list.resolved(query, at: snapshot).map { ViewedRows($0, of: snapshot.state) }
        }
        guard let rows, rows.rowCount == 80 else { preconditionFailure("the window is not where it should be") }
        for section in rows.sectionHandles {
            for handle in rows.rows(of: section) { _ = rows.row(handle) }
        }
    }

    func catchup(behind steps: Int, _ query: RowQuery) {
        let head = version
        let base = Version(epoch: head.epoch, revision: head.revision - steps)
        let found = list.catchup(since: base, query, query, isReload: false, among: followed)
        guard case .changes = found.catchup else {
            preconditionFailure("the change set is missing")
        }
    }

    /// A move of a row past some others that the window shows.
    func change(near query: RowQuery) -> Operation {
        let start = count / 2 / Self.group * Self.group
        let item = Self.name(start + 1 + random.below(Self.lone - 1))
        return .moveItem(item, .anchor(ItemAnchor(.after, Self.name(start + Self.group + random.below(Self.lone)))))
    }
}

// MARK: - Filters and sections

extension BenchList {
    /// A filter that every item matches. The query is followed from now on.
    func followedFilter() -> RowQuery {
        var query = RowQuery()
        query.filter = TextFilter("entry")
        guard followed.admit(query, queriesMax: 1) else { preconditionFailure("the query is not followed") }
        catchup(behind: 0, query)
        return query
    }

    /// Ids of empty sections, one for a hundred items.
    var emptySections: [SectionID] { (0..<count / 100).map { SectionID(unchecked: "empty-\($0)") } }
}

// MARK: - Writing

extension BenchList {
    func submit(_ operation: Operation) { submit(Write(.operations([operation]))) }

    func submit(_ write: Write) {
        guard case .success = store.submit(id, write).result else { preconditionFailure("a write was refused") }
    }

    private func randomGroup() -> Int { random.below(count / Self.group) * Self.group }

    /// A root without children.
    func randomLone() -> ItemID { Self.name(randomGroup() + random.below(Self.lone)) }

    func randomParent() -> ItemID { Self.name(randomGroup() + Self.lone) }

    func move() -> Operation {
        let item = randomLone()
        var anchor = randomLone()
        while anchor == item { anchor = randomLone() }
        return .moveItem(item, .anchor(ItemAnchor(.after, anchor)))
    }

    func insertion() -> Operation {
        let item = Self.name(count + nextNew)
        nextNew += 1
        added.append(item)
        return .insertItems([NewItem(item, value: Self.value(nextNew))], ItemAnchor(.after, randomLone()))
    }

    /// Deletes every item that was inserted.
    func deleteAdded() {
        for item in added { submit(.deleteItems([item])) }
        added = []
    }

    /// Nine of ten changes are moves. Insertions and deletions are equally many.
    func change(_ step: Int) -> Operation {
        switch step % 20 {
        case 18: insertion()
        case 19: .deleteItems(added.popLast().map { [$0] } ?? [])
        default: move()
        }
    }
}
