package import JSONValue
package import ListDiff
import ListModel
internal import Texts

extension WireDecoder {
    /// Reads the body of `POST /v1/lists/{list}/reorders` (docs/contract.md section 6).
    ///
    /// - Throws: `.missingMember` at `base` if a section has a difference and there is no base. It does not check
    ///   whether a difference or a final order fits the list.
    package func reorderBody(_ value: JSONSlice) throws(WireError) -> WriteBody<Reorder> {
        try body(value, ["view", "sections"]) { object throws(WireError) in
            let view = try object.optional("view", view) ?? .items
            let (sections, _) = try both(
                object.required("sections", advising: Self.sectionsAdvice, sectionOrders), requireBase(object))
            return Reorder(view: view, sections: sections)
        }
    }

    private static let sectionsAdvice: StaticString =
        #"For example: {"sections":{"fruit":{"final":["apple","pear"]}}}."#

    /// Requires a `base` for a difference, whose offsets count the rows of a version.
    private func requireBase(_ object: WireObject) throws(WireError) {
        guard !object.has("base"), case .object(let sections)? = object["sections"]?.form else { return }
        let difference = sections.first { member in
            guard case .object(let order) = member.value.form else { return false }
            return order["difference"] != nil
        }
        guard let difference else { return }
        throw WireError(.missingMember).at("base").advising(
            """
            The offsets of a difference count the rows of a version: copy that of the answer in which you saw the rows, \
            as in {"base":"k3v9-42"}. \(Self.simpler(difference.key))
            """)
    }

    /// A sentence with the form of a reorder that has no offsets.
    package static func simpler(_ section: ByteText) -> ByteText {
        let section = JSONValue.string(section).shown ?? #""fruit""#
        let form: ByteText = #"{"sections":{\#(section):{"final":[…]}}}"#
        return "The wanted order is simpler and needs no base: \(form) with the ids in that order. \(WireError.hasIDs)"
    }

    private func view(_ value: JSONSlice) throws(WireError) -> View {
        let words = [View.items, .visible].map { ByteText($0.rawValue) }
        guard case .string(let text) = value.form else { throw WireError(.noWord(words)) }
        guard let view = View(rawText: text) else { throw WireError(.unknownValue(KnownNames(text, among: words))) }
        return view
    }

    /// Reads an object with section ids as names. The sections keep the order in which they were sent.
    private func sectionOrders(_ value: JSONSlice) throws(WireError) -> [Reorder.SectionOrder] {
        // As in `ids`: a set of the ids is made only if something is wrong.
        if errors == nil {
            var none: Set<ItemID>?
            if let orders = try? sectionOrders(value, seen: &none), !orders.haveRepeats { return orders }
        }
        var seen: Set<ItemID>? = []
        return try sectionOrders(value, seen: &seen)
    }

    /// - Parameter seen: The ids of the final orders so far; nil if repeats are no error.
    private func sectionOrders(
        _ value: JSONSlice, seen: inout Set<ItemID>?
    ) throws(WireError) -> [Reorder.SectionOrder] {
        guard case .object(let object) = value.form else { throw WireError(.wrongType(expected: .object)) }
        var orders: [Reorder.SectionOrder] = []
        for (key, value) in object {
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

    /// Reads exactly one of `difference` and `final`.
    private func wantedOrder(
        _ value: JSONSlice, seen: inout Set<ItemID>?
    ) throws(WireError) -> Reorder.Wanted {
        guard case .object = value.form else {
            let order = if case .array = value.form { value.shown ?? Self.order } else { Self.order }
            throw WireError(.noObject(expected: .object, ["difference", "final"]))
                .advising(#"The wanted order is {"final":\#(order)}."#)
        }
        let object = try WireObject(value, ["difference", "final"], telling: errors)
        guard object.has("difference") else {
            guard object.has("final") else {
                throw WireError(.missingOneOf(["difference", "final"]))
                    .advising(#"The wanted order is {"final":\#(Self.order)}."#)
            }
            return .final(
                try object.required("final") { value throws(WireError) in
                    try array(value) { value throws(WireError) in
                        let id = try itemID(value)
                        if seen?.insert(id).inserted == false { throw WireError(.repeatedID) }
                        return id
                    }
                })
        }
        guard !object.has("final") else { throw WireError(.conflictsWith("difference")).at("final") }
        return try object.required("difference", difference)
    }

    private static let order: ByteText = #"["apple","pear"]"#

    /// Reads the coded form of a `CollectionDifference<String>`. `associatedOffset` and `isRemove` may be left out.
    private func difference(_ value: JSONSlice) throws(WireError) -> Reorder.Wanted {
        let object = try WireObject(value, ["insertions", "removals"], telling: errors)
        if !object.has("insertions"), let id = Self.element(object["removals"]) {
            let error = WireError(.missingMember).at("insertions")
                .advising("\(Self.differenceAdvice)".replacing("{item}", with: "\(id)"))
            guard let errors else { throw error }
            errors.note(error)
        }
        let (insertions, removals) = try both(
            object.required("insertions", advising: Self.differenceAdvice) { value throws(WireError) in
                try changes(value, isRemove: false)
            },
            object.required("removals", advising: Self.differenceAdvice) { value throws(WireError) in
                try changes(value, isRemove: true)
            })
        return .difference(insertions: insertions, removals: removals)
    }

    /// The id in the first change, if it can stand in a path as it is.
    private static func element(_ changes: JSONSlice?) -> ByteText? {
        guard case .array(let changes)? = changes?.form, let first = changes.first(where: { _ in true }),
            case .object(let change) = first.form, case .string(let id)? = change["element"]?.form, Item.isKind(id)
        else { return nil }
        return id
    }

    private static let differenceAdvice: StaticString = #"""
        A move has both: {"removals":[{"offset":0,"element":"pear"}],"insertions":[{"offset":1,"element":"pear"}]}. \#
        Offsets of removals count the old order, those of insertions the new one. To delete an item, \#
        DELETE /v1/lists/{list}/items/{item}.
        """#

    private func changes(_ value: JSONSlice, isRemove: Bool) throws(WireError) -> [Reorder.Change] {
        try array(value) { value throws(WireError) in try change(value, isRemove: isRemove) }
    }

    private func change(_ value: JSONSlice, isRemove: Bool) throws(WireError) -> Reorder.Change {
        let object = try WireObject(value, ["offset", "element", "associatedOffset", "isRemove"], telling: errors)
        _ = try object.optional("isRemove") { value throws(WireError) in
            guard try boolean(value) == isRemove else {
                throw WireError(.unknownValue(KnownNames("\(!isRemove)", among: ["\(isRemove)"])))
            }
        }
        let associated = object.isNull("associatedOffset") ? nil : try object.optional("associatedOffset", count)
        let (offset, element) = try both(object.required("offset", count), object.required("element", itemID))
        return Reorder.Change(offset: offset, element: element, associatedOffset: associated)
    }
}

extension [Reorder.SectionOrder] {
    /// Whether final orders name an id twice.
    fileprivate var haveRepeats: Bool {
        let orders = compactMap { if case .final(let ids) = $0.wanted { ids } else { nil } }
        return orders.count == 1 ? orders[0].hasRepeats : orders.flatMap { $0 }.hasRepeats
    }
}
