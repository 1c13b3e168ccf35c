extension ListState {
    /// Makes a list that has never had a version the one that a snapshot describes.
    ///
    /// The result and the errors are those of `apply(_:rules:into:)`, but sections and items are put together at once, as
    /// in a list that is loaded, and nothing notes how to take them back or how to put them there again: they are all
    /// that the list has.
    ///
    /// - Parameter log: It gets the edit of the list's own members.
    /// - Throws: The reason why the rules refuse. The state then still has no sections.
    public mutating func begin(
        with snapshot: WantedSnapshot, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        let ids = snapshot.sections.map(\.id)
        try Self.requireDistinct(ids)
        let table = try Self.table(of: snapshot)
        var trees: [[TreeRow]] = []
        for section in snapshot.sections { trees.append(try Self.checkedTree(of: section.items)) }
        try requireRoom(for: ids.count, in: ids.count, rules: rules)
        try update(snapshot.changes, &log)
        try count(snapshot.sections, trees, &log)
        let isInOrder = trees.allSatisfy { tree in tree.indices.allSatisfy { tree[$0].index == $0 } }
        var loader = ListLoader(properties, itemTable: isInOrder ? table : nil)
        let isShort = trees.reduce(0) { $0 + $1.count } <= Self.sealedItemsMax
        for (section, tree) in zip(snapshot.sections, trees) { loader.append(section, tree, sealing: isShort) }
        guard loader.itemCount <= rules.itemsMax else { throw .tooManyItems(limit: rules.itemsMax) }
        if let list = loader.finish() { self = list }
    }

    /// The most items that all get their JSON at once, as a list begins or takes many of them. A short list is read and
    /// written far more often than it has items; in a long one, each buffer counts.
    static let sealedItemsMax = 2_000

    private static func table(of snapshot: WantedSnapshot) throws(ModelError) -> HandleTable? {
        if let table = snapshot.itemTable ?? HandleTable(of: snapshot.sections) { return table }
        try requireDistinct(snapshot.sections.flatMap { $0.items.map(\.id) })
        return nil
    }

    /// Counts the sections and items as the edits that insert them, in their order.
    private func count(
        _ sections: [WantedSection], _ trees: [[TreeRow]], _ log: inout TransactionLog
    ) throws(ModelError) {
        for (index, section) in sections.enumerated() {
            try log.count(.insertSection(section.properties, at: index), on: self)
        }
        for (section, tree) in zip(sections, trees) {
            for row in tree where section.items[row.index].value == nil {
                throw .unknownItem(section.items[row.index].id)
            }
        }
        for section in sections where !section.items.isEmpty { try log.count(inserting: section.items) }
    }
}

extension ListLoader {
    fileprivate mutating func append(_ section: WantedSection, _ tree: [TreeRow], sealing seals: Bool) {
        _ = append(section.properties)
        for row in tree {
            let item = ListState.item(section.items[row.index])
            _ = append(seals ? item.sealed() : item, level: row.level)
        }
    }
}

extension WantedSection {
    /// The properties of the section if it is new.
    fileprivate var properties: SectionProperties { changes.applied(to: SectionProperties(id: id)) }
}
