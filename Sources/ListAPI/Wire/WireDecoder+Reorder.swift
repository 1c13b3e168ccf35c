import JSONValue
import ListDiff
import ListModel
internal import Texts

extension WireDecoder {
    /// `POST /v1/lists/{list}/reorders` (CONTRACT.md section 6).
    ///
    /// - Throws: `.missingMember` at `base` where a section gives a difference and there is none. Whether a difference
    ///   or a final order fits the list is not looked at.
    func reorderBody(_ value: JSONValue) throws(WireError) -> WriteBody<Reorder> {
        let body = try body(value, ["view", "sections"]) { object throws(WireError) in
            let view = try object.optional("view", view) ?? .items
            return Reorder(view: view, sections: try object.required("sections", sectionOrders))
        }
        guard body.base != nil || !body.value.sections.contains(where: \.isDifference) else {
            throw WireError(.missingMember).at("base")
        }
        return body
    }

    private func view(_ value: JSONValue) throws(WireError) -> View {
        let text = try string(value)
        guard let view = View(rawText: text) else {
            throw WireError(.unknownValue(KnownNames(text, among: [View.items, .visible].map(\.rawValue))))
        }
        return view
    }

    /// An object of section ids; the sections keep the order in which they were sent.
    private func sectionOrders(_ value: JSONValue) throws(WireError) -> [Reorder.SectionOrder] {
        guard case .object(let object) = value else { throw WireError(.wrongType(expected: .object)) }
        var seen = Set<ItemID>()
        var orders: [Reorder.SectionOrder] = []
        orders.reserveCapacity(object.count)
        for (key, value) in object.members {
            if let errors {
                _ = try errors.attempt(.member(key)) { () throws(WireError) in
                    guard SectionID(key) != nil else { throw WireError(.idOutOfBounds) }
                    return try wantedOrder(value, seen: &seen)
                }
                continue
            }
            do throws(WireError) {
                guard let section = SectionID(key) else { throw WireError(.idOutOfBounds) }
                orders.append(Reorder.SectionOrder(section, try wantedOrder(value, seen: &seen)))
            } catch {
                throw error.at(key)
            }
        }
        return orders
    }

    /// Exactly one of `difference` and `final`.
    private func wantedOrder(
        _ value: JSONValue, seen: inout Set<ItemID>
    ) throws(WireError) -> Reorder.Wanted {
        let object = try WireObject(value, ["difference", "final"], telling: errors)
        guard object.has("difference") else {
            guard object.has("final") else { throw WireError(.missingOneOf(["difference", "final"])) }
            return .final(
                try object.required("final") { value throws(WireError) in
                    try array(value) { value throws(WireError) in try first(itemID(value), in: &seen) }
                })
        }
        guard !object.has("final") else { throw WireError(.conflictsWith("difference")).at("final") }
        return try object.required("difference", difference)
    }

    /// The coded form of `CollectionDifference<String>`, with `associatedOffset` and `isRemove` optional.
    private func difference(_ value: JSONValue) throws(WireError) -> Reorder.Wanted {
        let object = try WireObject(value, ["insertions", "removals"], telling: errors)
        let insertions = try object.required("insertions") { value throws(WireError) in
            try array(value) { value throws(WireError) in try change(value, isRemove: false) }
        }
        let removals = try object.required("removals") { value throws(WireError) in
            try array(value) { value throws(WireError) in try change(value, isRemove: true) }
        }
        return .difference(insertions: insertions, removals: removals)
    }

    private func change(_ value: JSONValue, isRemove: Bool) throws(WireError) -> Reorder.Change {
        let object = try WireObject(value, ["offset", "element", "associatedOffset", "isRemove"], telling: errors)
        guard try object.optional("isRemove", boolean) ?? isRemove == isRemove else {
            throw WireError(.unknownValue(KnownNames("\(!isRemove)", among: ["\(isRemove)"]))).at("isRemove")
        }
        let associated = object["associatedOffset"] == .null ? nil : try object.optional("associatedOffset", count)
        return Reorder.Change(
            offset: try object.required("offset", count), element: try object.required("element", itemID),
            associatedOffset: associated)
    }
}

extension Reorder.SectionOrder {
    fileprivate var isDifference: Bool {
        switch wanted {
        case .difference: true
        case .final: false
        }
    }
}
