import JSONValue
import ListModel

// Exactly one place per operation. `before` or `after` may be joined by one of `section` or `parent` as a guard; any
// other pair is refused at its second member, in the order before, after, section, parent, at.

extension WireDecoder {
    /// Exactly one of `before` and `after`, a section.
    func sectionAnchor(_ object: WireObject) throws(WireError) -> SectionAnchor {
        let before = try object.optional("before", sectionID)
        let after = try object.optional("after", sectionID)
        switch (before, after) {
        case (let section?, nil): return .before(section)
        case (nil, let section?): return .after(section)
        case (_?, _?): throw WireError(.conflictsWith("before")).at("after")
        case (nil, nil): throw WireError(.missingOneOf(["before", "after"]))
        }
    }

    /// One of `before` and `after`, an item, with its guard; nil if neither is there.
    func itemAnchor(_ object: WireObject) throws(WireError) -> ItemAnchor? {
        let before = try object.optional("before", itemID)
        let after = try object.optional("after", itemID)
        let container = try container(object)
        switch (before, after) {
        case (let item?, nil): return ItemAnchor(.before, item, guardedBy: container)
        case (nil, let item?): return ItemAnchor(.after, item, guardedBy: container)
        case (_?, _?): throw WireError(.conflictsWith("before")).at("after")
        case (nil, nil): return nil
        }
    }

    /// One of `section` and `parent`; nil if neither is there.
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

    /// Beside an anchor, or the first or last in a container.
    func destination(_ object: WireObject) throws(WireError) -> Destination {
        let isFirst = try object.optional("at", isFirst)
        if let anchor = try itemAnchor(object) {
            guard isFirst == nil else {
                throw WireError(.conflictsWith(anchor.side == .before ? "before" : "after")).at("at")
            }
            return .anchor(anchor)
        }
        guard let container = try container(object) else {
            throw WireError(.missingOneOf(["before", "after", "section", "parent"]))
        }
        return isFirst == true ? .first(container) : .last(container)
    }

    private func isFirst(_ value: JSONValue) throws(WireError) -> Bool {
        switch try string(value) {
        case "first": return true
        case "last": return false
        case let other: throw WireError(.unknownValue(KnownNames(other, among: ["first", "last"])))
        }
    }
}
