import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

/// Lists in a notation for tables. `A: a b{c +d{e}} | B:` has two sections. A `+` marks an expanded item, and a `!` one
/// that is not reorderable.
struct Outline {
    /// The list, with its sections in the order of the text.
    static func list(_ text: String) throws -> ListState {
        var sections: [NewSection] = []
        var expanded: [ItemID] = []
        for part in text.split(separator: "|") {
            let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(halves[0].filter { $0 != " " })
            var properties = SectionProperties(id: SectionID(unchecked: String(name.drop { $0 == "^" })))
            if name.hasPrefix("^") {
                properties.layout = JSONText(.object(["headerMode": .string("firstItemInSection")]))
            }
            sections.append(NewSection(properties, items: items(halves[1], &expanded)))
        }
        return try ListState(ListProperties(title: "")).applying([
            .appendSections(sections), .setExpanded(expanded, true),
        ])
    }

    private static func items(_ text: Substring, _ expanded: inout [ItemID]) -> [NewItem] {
        var items: [NewItem] = []
        var ancestors: [ItemID] = []
        var token = ""
        func flush() {
            guard !token.isEmpty else { return }
            let id = ItemID(unchecked: token.filter { $0 != "+" && $0 != "!" })
            var value = ItemChanges()
            if token.contains("!") { value.isReorderable = .set(false) }
            items.append(NewItem(id, parent: ancestors.last, value: value))
            if token.contains("+") { expanded.append(id) }
            token = ""
        }
        for character in text {
            switch character {
            case " ": flush()
            case "{":
                flush()
                if let last = items.last { ancestors.append(last.id) }
            case "}":
                flush()
                ancestors.removeLast()
            default: token.append(character)
            }
        }
        flush()
        return items
    }
}

extension ListState {
    /// The list after the operations.
    func applying(_ operations: [Operation]) throws -> ListState {
        var next = self
        var log = TransactionLog()
        for operation in operations {
            try next.apply(operation, rules: .lenient, into: &log)
        }
        next.settle(&log)
        return next
    }

    func applying(_ plan: ReorderPlan) throws -> ListState {
        try applying(plan.groups.flatMap(\.operations))
    }

    /// The list in the notation of `Outline`, without its marks.
    var outline: String {
        sectionHandles.map { section in
            var text = self[section].id.rawValue.string + ":"
            var level = 0
            for (index, item) in rows(of: section).enumerated() {
                let depth = self.level(of: item)
                if index > 0, depth > level {
                    text += "{"
                } else {
                    text += String(repeating: "}", count: level - depth) + " "
                }
                text += self[item].id.rawValue.string
                level = depth
            }
            return text + String(repeating: "}", count: level)
        }.joined(separator: " | ")
    }

    func ids(_ section: SectionID, _ view: View = .items) -> [ItemID] {
        guard let handle = handle(of: section) else { return [] }
        switch view {
        case .items: return rows(of: handle).map { self[$0].id }
        case .visible: return visibleRows(of: handle).map { self[$0].id }
        }
    }

    /// Whether rows, parents, levels, child counts and sections of all items agree.
    var isValid: Bool {
        var count = 0
        for section in sectionHandles {
            var branch: [ItemHandle] = []
            var children: [ItemHandle: Int] = [:]
            for item in rows(of: section) {
                guard self.section(of: item) == section, level(of: item) <= branch.count else { return false }
                branch.removeLast(branch.count - level(of: item))
                guard parent(of: item) == branch.last else { return false }
                if let parent = branch.last { children[parent, default: 0] += 1 }
                branch.append(item)
                count += 1
            }
            guard rows(of: section).allSatisfy({ childCount(of: $0) == children[$0, default: 0] }) else { return false }
        }
        return count == itemCount
    }
}

extension Reorder {
    /// The difference that a Swift client sends after its rows changed from `old` to `new`.
    static func difference(_ old: [ItemID], _ new: [ItemID]) -> Wanted {
        let difference = new.difference(from: old).inferringMoves()
        func coded(_ change: CollectionDifference<ItemID>.Change) -> Change {
            switch change {
            case .insert(let offset, let element, let partner), .remove(let offset, let element, let partner):
                Change(offset: offset, element: element, associatedOffset: partner)
            }
        }
        return .difference(insertions: difference.insertions.map(coded), removals: difference.removals.map(coded))
    }

    /// The plan for a client that saw `base`, if nothing has happened since.
    func plan(_ base: ListState) throws -> ReorderPlan {
        try operations(base: base, head: base, isBased: true)
    }

    /// A reorder of one section's rows into the order of the text.
    static func final(_ section: SectionID, _ text: String, _ view: View = .items) -> Reorder {
        Reorder(view: view, sections: [SectionOrder(section, .final(ids(text)))])
    }

    static func ids(_ text: String) -> [ItemID] {
        text.split(separator: " ").map { ItemID(unchecked: String($0)) }
    }
}

/// The error that a closure throws; nil if it throws none.
func reorderError(_ body: () throws -> ReorderPlan) -> ReorderError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? ReorderError
    }
}
