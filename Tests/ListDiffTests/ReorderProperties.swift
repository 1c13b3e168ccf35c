import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListDiff

@Suite struct ReorderProperties {
    /// `CollectionDifference` is the oracle for the client's intention.
    @Test("case 48: both methods give the same order, with the fewest moves", arguments: Soak.seeds(100))
    func bothMethodsGiveTheNewOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let (base, names, new) = try RandomReorder.flat(&random)
            let old = names.map { base.ids($0) }
            let methods = RandomReorder.bothMethods(base, names, new)
            for reorder in methods {
                let plan = try reorder.plan(base)
                let result = try base.applying(plan)
                try #require(names.map { result.ids($0) } == new, "from \(old)")
                try #require(result.isValid)
                let least = Self.leastMoves(old, new)
                try #require(plan.groups.map(\.operations.count).reduce(0, +) == least, "from \(old) to \(new)")
            }
            let loose = try methods[1].operations(base: base, head: base, isBased: false)
            let strict = try methods[1].plan(base)
            try #require(loose == strict)
        }
    }

    /// The number of rows that cannot stay, by a quadratic search for a longest increasing subsequence.
    private static func leastMoves(_ old: [[ItemID]], _ new: [[ItemID]]) -> Int {
        zip(old, new).map { old, new in
            let positions = new.compactMap { old.firstIndex(of: $0) }
            var longest = positions.map { _ in 1 }
            for end in positions.indices {
                for start in 0..<end where positions[start] < positions[end] {
                    longest[end] = max(longest[end], longest[start] + 1)
                }
            }
            return new.count - (longest.max() ?? 0)
        }.reduce(0, +)
    }

    /// Compares the plan for a drag of one row, made without looking at the others, with the plan from all rows.
    @Test(arguments: Soak.seeds(40))
    func oneDraggedRowIsPlannedAsManyAre(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var planned = 0
        for _ in 0..<80 {
            let (base, names) = try Self.partlyLocked(&random)
            let head = Bool.random(using: &random) ? try RandomReorder.drift(base, &random) : base
            let view: View = Bool.random(using: &random) ? .items : .visible
            let section = try #require(names.randomElement(using: &random))
            let old = base.ids(section, view)
            guard old.count > 1 else { continue }
            var new = old
            let dragged = new.remove(at: Int.random(in: new.indices, using: &random))
            new.insert(dragged, at: Int.random(in: 0...new.count, using: &random))
            let wish = Reorder(view: view, sections: [.init(section, Reorder.difference(old, new))])
            if SingleMove(wish, base: base)?.operation(head: nil) != nil { planned += 1 }
            for isBased in [false, true] {
                let plan = Result { try wish.operations(base: base, head: head, isBased: isBased) }
                let whole = Result { try wish.wholeOrders(base: base, head: head, isBased: isBased) }
                try #require((try? plan.get()) == (try? whole.get()), "\(base.outline): \(old) to \(new)")
            }
        }
        #expect(planned > 0)
    }

    /// An outline in which some items may not be moved, and some sections keep their first item or all items.
    private static func partlyLocked(_ random: inout SeededGenerator) throws -> (ListState, [SectionID]) {
        let (base, names) = try RandomReorder.outline(&random)
        var locked = ItemChanges()
        locked.isReorderable = .set(false)
        var operations: [Operation] = []
        for name in names {
            var changes = SectionChanges()
            if Int.random(in: 0..<3, using: &random) == 0 {
                changes.layout = .set(JSONText(["headerMode": "firstItemInSection"]))
            }
            if Int.random(in: 0..<5, using: &random) == 0 { changes.isReorderable = .set(false) }
            operations.append(.updateSection(name, changes))
            for id in base.ids(name) where Int.random(in: 0..<4, using: &random) == 0 {
                operations.append(.updateItem(id, locked))
            }
        }
        return (try base.applying(operations), names)
    }

    // MARK: Outlines

    @Test(arguments: Soak.seeds(100))
    func outlinesStayTrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (base, names) = try RandomReorder.outline(&random)
            let view: View = Bool.random(using: &random) ? .items : .visible
            let rows = names.flatMap { base.ids($0, view) }
            let new = RandomReorder.deal(RandomReorder.shuffledALittle(rows, &random), names, &random)
            for reorder in RandomReorder.bothMethods(base, names, new, view) {
                guard let plan = try Self.unlessNoTree({ try reorder.plan(base) }) else { continue }
                let result = try base.applying(plan)
                try #require(result.isValid, "\(base.outline) to \(new)")
                try #require(result.itemCount == base.itemCount)
            }
        }
    }

    /// Nil if the order puts a row into its own subtree.
    private static func unlessNoTree(_ body: () throws -> ReorderPlan) throws -> ReorderPlan? {
        do {
            return try body()
        } catch ReorderError.model(.cycle), ReorderError.model(.notATree) {
            return nil
        }
    }

    /// A leaf that is moved alone comes to the place that the client saw, and no other item gets another parent.
    @Test(arguments: Soak.seeds(100))
    func aDraggedLeafLandsWhereItWasDropped(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (base, names) = try RandomReorder.outline(&random)
            var new = names.map { base.ids($0) }
            let leaves = base.sectionHandles.flatMap { base.rows(of: $0) }.filter { base.childCount(of: $0) == 0 }
            guard let leaf = leaves.randomElement(using: &random).map({ base[$0].id }) else { continue }
            let source = try #require(new.firstIndex { $0.contains(leaf) })
            let offset = try #require(new[source].firstIndex(of: leaf))
            new[source].remove(at: offset)
            let target = Int.random(in: names.indices, using: &random)
            let place = Int.random(in: 0...new[target].count, using: &random)
            new[target].insert(leaf, at: place)
            var insertions = names.map { _ in [Reorder.Change]() }
            var removals = insertions
            removals[source] = [.init(offset: offset, element: leaf)]
            insertions[target] = [.init(offset: place, element: leaf)]
            let reorder = Reorder(
                view: .items,
                sections: names.indices.map {
                    .init(names[$0], .difference(insertions: insertions[$0], removals: removals[$0]))
                })
            let plan = try reorder.plan(base)
            let result = try base.applying(plan)
            try #require(names.map { result.ids($0) } == new, "\(leaf) in \(base.outline)")
            try #require(plan.groups.flatMap(\.operations).count <= 1)
            for item in base.sectionHandles.flatMap({ base.rows(of: $0) }) where base[item].id != leaf {
                let now = try #require(result.handle(of: base[item].id))
                try #require(result.parent(of: now).map { result[$0].id } == base.parent(of: item).map { base[$0].id })
            }
        }
    }

    /// Subtrees whose roots change places as siblings come out in exactly the wanted order, whatever is expanded.
    @Test(arguments: Soak.seeds(100))
    func shuffledSiblingsKeepTheirSubtrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let (base, names) = try RandomReorder.outline(&random)
            let parents =
                [nil] + base.sectionHandles.flatMap { base.rows(of: $0) }.filter { base.childCount(of: $0) > 1 }
            let parent = parents.randomElement(using: &random) ?? nil
            let section = try #require(parent.map { base.section(of: $0) } ?? base.sectionHandles.first)
            let siblings = base.rows(of: section).filter { base.parent(of: $0) == parent }
            var left: Container?
            var wanted = base
            for sibling in siblings.shuffled(using: &random) {
                let container: Container = parent.map { .parent(base[$0].id) } ?? .section(base[section].id)
                wanted = try wanted.applying([.moveItem(base[sibling].id, .last(container))])
                left = container
            }
            guard left != nil else { continue }
            let finals = Reorder(view: .items, sections: names.map { .init($0, .final(wanted.ids($0))) })
            let plan = try finals.plan(base)
            let result = try base.applying(plan)
            try #require(names.map { result.ids($0) } == names.map { wanted.ids($0) }, "\(base.outline)")
        }
    }

    // MARK: Hostile input

    @Test(arguments: Soak.seeds(100))
    func foreignDifferencesNeverTrap(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let offsets = [0, 1, 2, 3, 5, 8, -1, 1 << 53 - 1, .max, .max - 1, .min]
        for _ in 0..<30 {
            let (base, names) = try RandomReorder.outline(&random)
            let ids = base.sectionHandles.flatMap { base.rows(of: $0) }.map { base[$0].id } + ["x"]
            func changes(_ rows: [ItemID]) -> [Reorder.Change] {
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    let offset =
                        Bool.random(using: &random)
                        ? offsets.randomElement(using: &random) ?? 0 : Int.random(in: 0...3, using: &random)
                    let element =
                        rows.indices.contains(offset) && Int.random(in: 0..<4, using: &random) > 0
                        ? rows[offset] : ids.randomElement(using: &random) ?? "x"
                    let partner = Bool.random(using: &random) ? offsets.randomElement(using: &random) : nil
                    return Reorder.Change(offset: offset, element: element, associatedOffset: partner)
                }
            }
            let sections = names.shuffled(using: &random).map { name in
                Reorder.SectionOrder(
                    name,
                    Int.random(in: 0..<4, using: &random) == 0
                        ? .final(
                            (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in
                                ids.randomElement(using: &random)
                            })
                        : .difference(insertions: changes(base.ids(name)), removals: changes(base.ids(name))))
            }
            let view: View = Bool.random(using: &random) ? .items : .visible
            for isBased in [true, false] {
                guard
                    let plan = try? Reorder(view: view, sections: sections).operations(
                        base: base, head: base, isBased: isBased)
                else { continue }
                try #require(try base.applying(plan).isValid)
            }
        }
    }

    /// Without a base every final order of distinct ids is carried out, and no item is lost.
    @Test(arguments: Soak.seeds(100))
    func looseOrdersApply(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (list, names) = try RandomReorder.outline(&random)
            var ids = list.sectionHandles.flatMap { list.rows(of: $0) }.map { list[$0].id } + ["x", "y"]
            ids.shuffle(using: &random)
            ids.removeLast(Int.random(in: 0...ids.count, using: &random))
            let some = names.shuffled(using: &random).prefix(Int.random(in: 1...names.count, using: &random))
            let orders = RandomReorder.deal(ids, Array(some), &random)
            let view: View = Bool.random(using: &random) ? .items : .visible
            let reorder = Reorder(view: view, sections: zip(some, orders).map { .init($0, .final($1)) })
            let plan = try Self.unlessNoTree {
                try reorder.operations(base: list, head: list, isBased: false)
            }
            guard let plan else { continue }
            let result = try list.applying(plan)
            try #require(result.isValid)
            try #require(result.itemCount == list.itemCount)
        }
    }
}
