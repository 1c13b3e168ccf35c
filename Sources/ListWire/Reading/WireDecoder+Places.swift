import ListModel

// An operation has exactly one place. `before` or `after` may have one of `section` and `parent` beside it as a guard.
// Any other pair is refused at its second member, in the order before, after, section, parent, at.

extension WireDecoder {
    /// Reads exactly one of `before` and `after`, the id of a section.
    func sectionAnchor(_ object: WireObject) throws(WireError) -> SectionAnchor {
        let before = try object.optional("before", sectionID)
        let after = try object.optional("after", sectionID)
        switch (before, after) {
        case (let section?, nil): return .before(section)
        case (nil, let section?): return .after(section)
        case (_?, _?): throw WireError(.conflictsWith("before")).at("after")
        case (nil, nil):
            throw WireError(.missingOneOf(["before", "after"]))
                .advising(#"The place is beside another section: {"before":"fruit"}."#)
        }
    }

    /// Reads one of `before` and `after`, the id of an item, with its guard; nil if there is neither.
    func itemAnchor(_ object: WireObject) throws(WireError) -> ItemAnchor? {
        let (anchor, container) = try both(neighbour(object), container(object))
        return anchor.map { ItemAnchor($0.side, $0.item, guardedBy: container) }
    }

    private func neighbour(
        _ object: WireObject
    ) throws(WireError) -> (side: ItemAnchor.Side, item: ItemID)? {
        let before = try object.optional("before", itemID)
        let after = try object.optional("after", itemID)
        switch (before, after) {
        case (let item?, nil): return (.before, item)
        case (nil, let item?): return (.after, item)
        case (_?, _?):
            throw WireError(.conflictsWith("before")).at("after").advising(
                "Each alone names a place: right before that row, or right after it.")
        case (nil, nil): return nil
        }
    }

    /// Reads one of `section` and `parent`; nil if there is neither.
    func container(_ object: WireObject) throws(WireError) -> Container? {
        let section = try object.optional("section", sectionID)
        let parent = try object.optional("parent", itemID)
        switch (section, parent) {
        case (let section?, nil): return .section(section)
        case (nil, let parent?): return .parent(parent)
        case (_?, _?): throw WireError(.conflictsWith("section")).at("parent")
        case (nil, nil): return nil
        }
    }

    /// Reads a place: beside an anchor, or as the first or last in a container.
    func destination(_ object: WireObject) throws(WireError) -> Destination {
        let end: End? = try object.optional("at", word)
        if let anchor = try itemAnchor(object) {
            guard end == nil else {
                throw WireError(.conflictsWith(anchor.side == .before ? "before" : "after")).at("at")
            }
            return .anchor(anchor)
        }
        guard let container = try container(object) else {
            throw WireError(.missingOneOf(["before", "after", "section", "parent"]))
                .advising(WireError.destination)
        }
        return end == .first ? .first(container) : .last(container)
    }

    /// The values of `at`.
    private enum End: String, CaseIterable { case first, last }
}
