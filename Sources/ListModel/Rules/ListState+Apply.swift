extension ListState {
    /// Applies one operation by the rules of whole lists (docs/model.md sections 3 to 6).
    ///
    /// - Parameter log: The log of the transaction; the edits and warnings of the operation are added to it.
    /// - Throws: The reason why the state refuses. State and log may then have a part of the operation. The caller must
    ///   revert the state with `forget(_:)`, given `log.delta`.
    public mutating func apply(
        _ operation: Operation, rules: Rules, into log: inout TransactionLog
    ) throws(ModelError) {
        switch operation {
        case .appendSections(let sections):
            try insert(sections, at: sectionCount, rules: rules, &log)
        case .insertSections(let sections, let anchor):
            try insert(sections, near: anchor, rules: rules, &log)
        case .deleteSections(let ids):
            try deleteSections(ids, rules: rules, &log)
        case .reloadSections(let ids):
            for handle in try known(ids) { try perform(.reloadSection(at: index(handle)), &log) }
        case .moveSection(let id, let anchor):
            try moveSection(id, near: anchor, &log)
        case .updateSection(let id, let changes):
            try update(known(id), changes, &log)
        case .updateList(let changes):
            try update(changes, &log)
        case .appendItems(let items, let container):
            try place(items, at: spot(last: container), rules: rules, &log)
        case .insertItems(let items, let anchor):
            try insert(items, near: anchor, rules: rules, &log)
        case .deleteItems(let ids):
            try deleteItems(ids, rules: rules, &log)
        case .deleteAllItems:
            for index in order.indices.reversed() { try perform(.deleteSection(at: index), &log) }
        case .moveItem(let id, let destination):
            try moveItem(id, to: destination, rules: rules, &log)
        case .updateItem(let id, let changes):
            try set(known(id), changes, rules: rules, &log)
        case .reconfigureItems(let ids):
            for handle in try known(ids) { try perform(.reconfigureItem(id(of: handle)), &log) }
        case .reloadItems(let ids):
            for handle in try known(ids) { try perform(.reloadItem(id(of: handle)), &log) }
        case .setStarred(let ids, let isStarred):
            for handle in try known(ids) { try set(handle, ItemChanges(isStarred: isStarred), rules: rules, &log) }
        case .toggleStar(let id):
            let handle = try known(id)
            let isStarred = items[handle.index].item.isStarred
            try set(handle, ItemChanges(isStarred: !isStarred), rules: rules, &log)
        case .setExpanded(let ids, let isExpanded):
            for handle in try known(ids) { try set(handle, ItemChanges(isExpanded: isExpanded), rules: rules, &log) }
        case .replaceChildren(let parent, let items):
            try replaceChildren(of: parent, with: items, rules: rules, &log)
        case .applySnapshot(let snapshot):
            try apply(snapshot, rules: rules, &log)
        case .applySectionSnapshot(let section):
            try apply(section, rules: rules, &log)
        }
    }
}

// MARK: - Ids to handles

extension ListState {
    func known(_ id: ItemID) throws(ModelError) -> ItemHandle {
        guard let handle = handle(of: id) else { throw .unknownItem(id) }
        return handle
    }

    func known(_ id: SectionID) throws(ModelError) -> SectionHandle {
        guard let handle = handle(of: id) else { throw .unknownSection(id) }
        return handle
    }

    func known(_ ids: [ItemID]) throws(ModelError) -> [ItemHandle] {
        var handles: [ItemHandle] = []
        handles.reserveCapacity(ids.count)
        for id in ids {
            guard let handle = handle(of: id) else {
                // Repeated ids are told first.
                try Self.requireDistinct(ids)
                throw .unknownItem(id)
            }
            handles.append(handle)
        }
        // Handles are compared, because a set of them takes a quarter of the memory of a set of ids.
        if Self.firstRepeat(handles) != nil { try Self.requireDistinct(ids) }
        return handles
    }

    func known(_ ids: [SectionID]) throws(ModelError) -> [SectionHandle] {
        try Self.requireDistinct(ids)
        var handles: [SectionHandle] = []
        for id in ids { handles.append(try known(id)) }
        return handles
    }

    static func requireDistinct(_ ids: [ItemID]) throws(ModelError) {
        if let id = firstRepeat(ids) { throw .repeatedItem(id) }
    }

    static func requireDistinct(_ ids: [SectionID]) throws(ModelError) {
        if let id = firstRepeat(ids) { throw .repeatedSection(id) }
    }

    private static func firstRepeat<Element: Hashable>(_ elements: [Element]) -> Element? {
        guard elements.count > 1 else { return nil }
        var seen = Set<Element>(minimumCapacity: elements.count)
        return elements.first { !seen.insert($0).inserted }
    }

    /// The position of a section that is in the list.
    func index(_ section: SectionHandle) -> Int {
        order.index(of: section) ?? order.count
    }

    /// The section of an item that is in the list, and the rows of its subtree.
    func place(of item: ItemHandle) -> (section: SectionHandle, rows: Range<Int>) {
        let section = items[item.index].home
        let index = sections[section.index].rows.index(of: item, chunkNames)
        return (section, index..<index + 1 + descendantCount(of: item))
    }
}
