package import ListDiff
import ListModel

extension WriteIntent {
    /// The member `"operations":[…]` with the operations that the client sent; empty for an undo, a redo and a
    /// restoration. A restoration has `restores`, its version, before it.
    package var members: [UInt8] {
        var splicer = JSONSplicer(capacity: 128)
        if case .restore(let version) = self {
            splicer.member("\"restores\":", version)
            splicer.raw(",")
        }
        splicer.raw("\"operations\":[")
        switch self {
        case .operation(let operation): splicer.operation(operation)
        case .operations(let operations): for operation in operations { splicer.operation(operation) }
        case .reorder(let reorder): splicer.reorder(reorder)
        case .undo, .redo, .restore: break
        }
        splicer.endArray()
        return splicer.bytes
    }

    /// The members `"truncated":true,"operations":[…]`. Each run of operations with one name has that name and the
    /// numbers of its operations, items and sections.
    package var abridgedMembers: [UInt8] {
        var splicer = JSONSplicer(capacity: 128)
        splicer.objects("\"truncated\":true,\"operations\":[", counts) { splicer, count in
            splicer.raw("\"op\":")
            splicer.quote(count.name)
            if count.operations > 1 { splicer.member(",\"count\":", count.operations) }
            if count.items > 0 { splicer.member(",\"items\":", count.items) }
            if count.sections > 0 { splicer.member(",\"sections\":", count.sections) }
        }
        return splicer.bytes
    }

    private var counts: [OperationCount] {
        switch self {
        case .operation(let operation): [OperationCount(operation)]
        case .operations(let operations): OperationCount.runs(operations)
        case .reorder(let reorder):
            [OperationCount("reorder", items: reorder.rowCount, sections: reorder.sections.count)]
        case .undo, .redo, .restore: []
        }
    }
}

extension Reorder {
    fileprivate var rowCount: Int {
        sections.reduce(0) { count, section in
            switch section.wanted {
            case .final(let items): count + items.count
            case .difference(let insertions, let removals): count + insertions.count + removals.count
            }
        }
    }
}

/// Consecutive operations of one name, as counts.
private struct OperationCount {
    let name: String
    var operations = 1
    var items: Int
    var sections: Int

    /// The greatest number of runs that are kept. The last one counts all the rest.
    private static let runsMax = 100

    init(_ name: String, items: Int = 0, sections: Int = 0) {
        (self.name, self.items, self.sections) = (name, items, sections)
    }

    init(_ name: OperationName, items: Int = 0, sections: Int = 0) {
        self.init(name.rawValue, items: items, sections: sections)
    }

    static func runs(_ operations: [Operation]) -> [OperationCount] {
        var runs: [OperationCount] = []
        for operation in operations {
            let next = OperationCount(operation)
            guard let last = runs.last, last.name == next.name || runs.count == runsMax else {
                runs.append(next)
                continue
            }
            var sum =
                last.name == next.name ? last : OperationCount("other", items: last.items, sections: last.sections)
            sum.operations = last.operations + 1
            sum.items += next.items
            sum.sections += next.sections
            runs[runs.count - 1] = sum
        }
        return runs
    }

    init(_ operation: Operation) {
        switch operation {
        case .appendSections(let new): self.init(.appendSections, items: new.itemCount, sections: new.count)
        case .insertSections(let new, _): self.init(.insertSections, items: new.itemCount, sections: new.count)
        case .deleteSections(let ids): self.init(.deleteSections, sections: ids.count)
        case .reloadSections(let ids): self.init(.reloadSections, sections: ids.count)
        case .moveSection: self.init(.moveSection, sections: 1)
        case .updateSection: self.init(.updateSection, sections: 1)
        case .updateList: self.init(.updateList)
        case .appendItems(let items, _): self.init(.appendItems, items: items.count)
        case .insertItems(let items, _): self.init(.insertItems, items: items.count)
        case .deleteItems(let ids): self.init(.deleteItems, items: ids.count)
        case .deleteAllItems: self.init(.deleteAllItems)
        case .moveItem: self.init(.moveItem, items: 1)
        case .updateItem: self.init(.updateItem, items: 1)
        case .reconfigureItems(let ids): self.init(.reconfigureItems, items: ids.count)
        case .reloadItems(let ids): self.init(.reloadItems, items: ids.count)
        case .setStarred(let ids, let isStarred): self.init(isStarred ? .starItems : .unstarItems, items: ids.count)
        case .toggleStar: self.init(.toggleStar, items: 1)
        case .setExpanded(let ids, let isOpen): self.init(isOpen ? .expandItems : .collapseItems, items: ids.count)
        case .replaceChildren(_, let items): self.init(.replaceChildren, items: items.count)
        case .applySnapshot(let wanted):
            let items = wanted.sections.reduce(0) { $0 + $1.items.count }
            self.init(.applySnapshot, items: items, sections: wanted.sections.count)
        case .applySectionSnapshot(let section):
            self.init(.applySectionSnapshot, items: section.items.count, sections: 1)
        }
    }
}

extension [NewSection] {
    fileprivate var itemCount: Int { reduce(0) { $0 + $1.items.count } }
}
