extension ListState {
    mutating func update(_ given: ListChanges, _ log: inout TransactionLog) throws(ModelError) {
        var changes = given
        changes.dropMembers(of: properties)
        guard changes != ListChanges() else { return }
        try perform(.changeList(changes), &log)
    }

    mutating func update(
        _ handle: SectionHandle, _ given: SectionChanges, _ log: inout TransactionLog
    ) throws(ModelError) {
        var changes = given
        changes.dropMembers(of: self[handle])
        guard changes != SectionChanges() else { return }
        try perform(.changeSection(at: index(handle), changes), &log)
    }

    mutating func insert(
        _ new: [NewSection], near anchor: SectionAnchor, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        guard !new.contains(where: { $0.properties.id == anchor.section }) else {
            throw .sectionIsDestination(anchor.section)
        }
        let index = index(try known(anchor.section))
        switch anchor {
        case .before: try insert(new, at: index, rules: rules, &log)
        case .after: try insert(new, at: index + 1, rules: rules, &log)
        }
    }

    /// An insert never moves an existing section. It moves existing items into the new sections.
    mutating func insert(
        _ new: [NewSection], at index: Int, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        try Self.requireDistinct(new.map(\.properties.id))
        try Self.requireDistinct(new.flatMap { $0.items.map(\.id) })
        for section in new where contains(section.properties.id) { throw .sectionExists(section.properties.id) }
        try requireRoom(for: new.count, in: sectionCount + new.count, rules: rules)
        for (offset, section) in new.enumerated() {
            try perform(.insertSection(section.properties, at: index + offset), &log)
        }
        for section in new {
            try place(section.items, at: spot(last: .section(section.properties.id)), rules: rules, &log)
        }
    }

    /// Refuses new sections if the list would hold too many with them.
    ///
    /// A list that holds too many already may still lose sections and be put in another order.
    func requireRoom(for added: Int, in total: Int, rules: Rules) throws(ModelError) {
        guard added == 0 || total <= rules.sectionsMax else { throw .tooManySections(limit: rules.sectionsMax) }
    }

    mutating func deleteSections(
        _ ids: [SectionID], rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        try Self.requireDistinct(ids)
        let missing = ids.filter { !contains($0) }
        if let first = missing.first {
            guard !rules.isStrict else { throw .unknownSection(first) }
            log.warnings.append(.missingSections(missing))
        }
        for id in ids {
            guard let handle = handle(of: id) else { continue }
            try perform(.deleteSection(at: index(handle)), &log)
        }
    }

    mutating func moveSection(
        _ id: SectionID, near anchor: SectionAnchor, _ log: inout TransactionLog
    ) throws(ModelError) {
        let source = index(try known(id))
        let target = index(try known(anchor.section))
        guard id != anchor.section else { throw .sectionMovesToItself(id) }
        let left = target > source ? target - 1 : target
        let end =
            switch anchor {
            case .before: left
            case .after: left + 1
            }
        guard end != source else { return }
        try perform(.moveSection(from: source, to: end), &log)
    }
}
