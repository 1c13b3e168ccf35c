import ListModel

// Places for sections whose anchor has gone.

extension Rebase {
    mutating func insert(_ sections: [NewSection], near anchor: SectionAnchor, on head: ListState) -> Resolution {
        guard isLost(anchor.section, on: head) else {
            return placing(sections, on: head) { .insertSections($0, anchor) }
        }
        guard let substitute = substitute(for: anchor.section, without: Set(sections.map(\.properties.id)), on: head)
        else { return placing(sections, on: head) { .appendSections($0) }.adjusted }
        return placing(sections, on: head) { .insertSections($0, substitute) }.adjusted
    }

    mutating func move(_ id: SectionID, near anchor: SectionAnchor, on head: ListState) -> Resolution {
        guard !isLost(id, on: head) else { return .dropped(.sectionDeleted) }
        guard isLost(anchor.section, on: head) else { return Resolution([.moveSection(id, anchor)]) }
        guard let substitute = substitute(for: anchor.section, without: [id], on: head) else {
            return isReapplied ? .dropped(.anchorDeleted) : Resolution([], .adjusted(.anchorDeleted))
        }
        return Resolution([.moveSection(id, substitute)], .adjusted(.anchorDeleted))
    }

    /// The place behind the nearest section that stood left of the anchor at the base; else the place before the first
    /// section. Nil if there is no other section.
    private mutating func substitute(
        for anchor: SectionID, without placed: Set<SectionID>, on head: ListState
    ) -> SectionAnchor? {
        guard let index = base.handle(of: anchor).flatMap({ base.index(of: $0) }) else { return nil }
        var standing = sections.take() ?? Standing(count: base.sectionCount)
        let left = standing.last(before: index) { index in
            let id = base[base.section(at: index)].id
            guard head.contains(id) else { return .isGone }
            return placed.contains(id) ? .isPassedOver : .fits
        }
        sections = standing
        if let left { return .after(base[base.section(at: left)].id) }
        for index in 0..<head.sectionCount {
            let id = head[head.section(at: index)].id
            if !placed.contains(id) { return .before(id) }
        }
        return nil
    }

    /// Places sections without the bare ids of items that are lost.
    mutating func placing(
        _ sections: [NewSection], on head: ListState, _ operation: ([NewSection]) -> Operation
    ) -> Resolution {
        var left = sections
        var dropped: [ItemID] = []
        for index in left.indices {
            var kept: [NewItem] = []
            let resolution = placing(left[index].items, under: nil, on: head) { items in
                kept = items
                return []
            }
            if case .partial(let items, _, _) = resolution.outcome { dropped += items }
            if case .dropped = resolution.outcome { dropped += left[index].items.map(\.id) }
            left[index].items = kept
        }
        return Resolution([operation(left)], dropped.isEmpty ? .applied : .partial(dropped, .itemDeleted))
    }
}
