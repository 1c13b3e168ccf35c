import JSONValue
import ListModel
internal import Texts

/// The names of operations (docs/contract.md section 4).
enum OperationName: String, CaseIterable, Sendable {
    case appendSections, insertSections, deleteSections, reloadSections, moveSection, updateSection, updateList
    case appendItems, insertItems, deleteItems, deleteAllItems, moveItem, updateItem, reconfigureItems, reloadItems
    case starItems, unstarItems, expandItems, collapseItems, replaceChildren, applySnapshot, applySectionSnapshot
    /// This name occurs only in history, because toggling a star has a request of its own.
    case toggleStar

    /// The names that a transaction may have.
    static let sent = allCases.filter { $0 != .toggleStar }
}

extension WireDecoder {
    /// Reads the `operations` of a transaction.
    ///
    /// - Throws: `.overLimit` for more than `limits.operationsMax`. An error within an operation has that operation's
    ///   index.
    func operations(_ value: JSONSlice) throws(WireError) -> [Operation] {
        guard case .array(let values) = value.form else {
            let error = WireError(.wrongType(expected: .array))
            guard case .object(let object) = value.form, case .string("deleteAllItems")? = object["op"]?.form else {
                throw error
            }
            throw error.advising(#"For example: {"operations":[{"op":"deleteAllItems"}]}. \#(Self.deletesSections)"#)
        }
        guard values.countMax <= limits.operationsMax || values.count <= limits.operationsMax else {
            throw WireError(.overLimit(.operations, max: limits.operationsMax))
        }
        var operations: [Operation] = []
        reserve(values, in: &operations)
        for (index, value) in values.enumerated() {
            if let errors {
                _ = try errors.attempt(.element(index)) { () throws(WireError) in try operation(value) }
                continue
            }
            do throws(WireError) {
                operations.append(try operation(value))
            } catch {
                throw error.at(.element(index)).inOperation(index)
            }
        }
        return operations
    }

    /// Reads one operation: an object with `op` and only the members of that operation.
    func operation(_ value: JSONSlice) throws(WireError) -> Operation {
        func members(_ members: [ByteText]) throws(WireError) -> WireObject {
            try WireObject(value, ["op"] + members, telling: errors)
        }
        func items() throws(WireError) -> [ItemID] {
            try members(["items"]).required("items", advising: #"For example: {"op":"{op}","items":{ids}}."#, itemIDs)
        }
        func sections() throws(WireError) -> [SectionID] {
            try members(["sections"]).required(
                "sections", advising: #"For example: {"op":"{op}","sections":["fruit"]}."#, sectionIDs)
        }

        switch try name(of: value) {
        case .appendSections: return .appendSections(try members(["sections"]).required("sections", newSections))
        case .insertSections: return try insertSections(members(["sections", "before", "after"]))
        case .deleteSections: return .deleteSections(try sections())
        case .reloadSections: return .reloadSections(try sections())
        case .moveSection: return try moveSection(members(["section", "before", "after"]))
        case .updateSection: return try updateSection(members(["section"] + Self.sectionValueMembers))
        case .updateList: return .updateList(try listChanges(members(["title", "layout"])))
        case .appendItems: return try appendItems(members(["items", "section", "parent"]))
        case .insertItems: return try insertItems(members(["items", "section", "parent", "before", "after"]))
        case .deleteItems: return .deleteItems(try items())
        case .deleteAllItems:
            _ = try members([])
            return .deleteAllItems
        case .moveItem: return try moveItem(members(["item", "section", "parent", "before", "after", "at"]))
        case .updateItem: return try updateItem(members(["item", "content", "merge"] + Self.plainItemMembers))
        case .reconfigureItems: return .reconfigureItems(try items())
        case .reloadItems: return .reloadItems(try items())
        case .starItems: return .setStarred(try items(), true)
        case .unstarItems: return .setStarred(try items(), false)
        case .expandItems: return .setExpanded(try items(), true)
        case .collapseItems: return .setExpanded(try items(), false)
        case .replaceChildren: return try replaceChildren(members(["parent", "items"]))
        case .applySnapshot: return try applySnapshot(value)
        case .applySectionSnapshot: return try applySectionSnapshot(value)
        case .toggleStar: throw unknown("toggleStar")
        }
    }

    private static let deletesSections =
        "deleteAllItems deletes the sections, too; deleteItems with the ids of all items keeps them."

    private func name(of value: JSONSlice) throws(WireError) -> OperationName {
        guard case .object(let object) = value.form else {
            if case .string(let text) = value.form, OperationName(rawText: text) != nil {
                let note = text == "deleteAllItems" ? " \(Self.deletesSections)" : ""
                throw WireError(.wrongType(expected: .object)).advising(#"For example: {"op":"\#(text)"}.\#(note)"#)
            }
            throw WireError(.wrongType(expected: .object)).advising(
                #"For example: {"op":"starItems","items":["milk"]}."#)
        }
        guard let op = object["op"] else {
            let meant = object.first { member in
                KnownNames.isShown(member.key) && KnownNames(member.key, among: ["op"] as [ByteText]).nearest != nil
            }
            let example = #"For example: {"op":"starItems","items":["milk"]}."#
            throw WireError(.missingMember).at("op").advising(
                meant.map { #""\#($0.key)" is called "op" here: {"op":\#($0.value.shown ?? "…"),…}."# } ?? example)
        }
        guard case .string(let text) = op.form else { throw WireError(.noWord(Self.operationNames)).at("op") }
        guard let name = OperationName(rawText: text) else { throw unknown(text) }
        return name
    }

    private static var operationNames: [ByteText] { OperationName.sent.map { ByteText($0.rawValue) } }

    private func unknown(_ name: ByteText) -> WireError {
        WireError(.unknownOperation(KnownNames(name, among: Self.operationNames))).at("op")
    }
}

// MARK: - Sections

extension WireDecoder {
    private func insertSections(_ object: WireObject) throws(WireError) -> Operation {
        let (sections, anchor) = try both(object.required("sections", newSections), sectionAnchor(object))
        return .insertSections(sections, anchor)
    }

    private func moveSection(_ object: WireObject) throws(WireError) -> Operation {
        let (section, anchor) = try both(object.required("section", sectionID), sectionAnchor(object))
        return .moveSection(section, anchor)
    }

    private func updateSection(_ object: WireObject) throws(WireError) -> Operation {
        let (section, changes) = try both(object.required("section", sectionID), sectionChanges(object))
        return .updateSection(section, changes)
    }
}

// MARK: - Items

extension WireDecoder {
    private func appendItems(_ object: WireObject) throws(WireError) -> Operation {
        let (items, container) = try both(additions(object), container(object))
        return .appendItems(items, container)
    }

    private func insertItems(_ object: WireObject) throws(WireError) -> Operation {
        let (items, anchor) = try both(additions(object), requiredAnchor(object))
        return .insertItems(items, anchor)
    }

    private func requiredAnchor(_ object: WireObject) throws(WireError) -> ItemAnchor {
        guard let anchor = try itemAnchor(object) else {
            throw WireError(.missingOneOf(["before", "after"]))
                .advising(#"The place is beside another item: {"before":"apple"}. appendItems needs none."#)
        }
        return anchor
    }

    private func additions(_ object: WireObject) throws(WireError) -> [NewItem] {
        try object.required("items", advising: #"For example: {"items":[{"id":"bread"}]}."#) {
            value throws(WireError) in
            try items(value, of: .additions)
        }
    }

    /// Reads `items` and at most one place: the body of `POST …/items`.
    func placeItems(_ object: WireObject) throws(WireError) -> Operation {
        object.has("before") || object.has("after") ? try insertItems(object) : try appendItems(object)
    }

    private func moveItem(_ object: WireObject) throws(WireError) -> Operation {
        let (item, destination) = try both(object.required("item", itemID), destination(object))
        return .moveItem(item, destination)
    }

    private func updateItem(_ object: WireObject) throws(WireError) -> Operation {
        let (id, changes) = try both(object.required("item", itemID), updates(object))
        return .updateItem(id, changes)
    }

    private func updates(_ object: WireObject) throws(WireError) -> ItemChanges {
        var changes = try plainItemChanges(object)
        let merges = try object.optional("merge", boolean)
        if let content = try object.optional("content", self.object) {
            changes.content = merges == true ? .merge(content) : .replace(content)
        } else if merges != nil {
            throw WireError(.missingMember).at("content").advising(
                #"It has what is merged: {"content":{"done":true}}."#)
        }
        return changes
    }

    private func replaceChildren(_ object: WireObject) throws(WireError) -> Operation {
        let wanted = { (value: JSONSlice) throws(WireError) in try self.items(value, of: .wholeState) }
        let (parent, items) = try both(object.required("parent", itemID), object.required("items", wanted))
        return .replaceChildren(parent, items)
    }
}

// MARK: - Whole state

extension WireDecoder {
    /// Reads `{"op","title"?,"layout"?,"sections"}`, the members of a snapshot beside `op`, or `{"op","snapshot":{…}}`.
    ///
    /// The snapshot's `id`, `counts` and `version` are ignored, because the transaction has one list and one base.
    private func applySnapshot(_ value: JSONSlice) throws(WireError) -> Operation {
        let object = try WireObject(value, ["op", "snapshot"] + Self.snapshotMembers, telling: errors)
        guard object.has("snapshot") else { return .applySnapshot(try wantedSnapshot(object)) }
        let nested = try WireObject(value, ["op", "snapshot"], telling: errors)
        return try nested.required("snapshot") { value throws(WireError) in
            .applySnapshot(try wantedSnapshot(WireObject(value, Self.snapshotMembers, telling: errors)))
        }
    }

    /// Reads the members of a section snapshot beside `op`. The section's id is in `id` or in `section`. Or `section`
    /// is the whole section snapshot.
    ///
    /// The section snapshot's `list` and `version` are ignored, because the transaction has one list and one base.
    private func applySectionSnapshot(_ value: JSONSlice) throws(WireError) -> Operation {
        let object = try WireObject(value, ["op", "section"] + Self.sectionSnapshotMembers, telling: errors)
        guard case .object? = object["section"]?.form else {
            return .applySectionSnapshot(try wantedSection(sectionName(object), object))
        }
        let nested = try WireObject(value, ["op", "section"], telling: errors)
        return try nested.required("section") { value throws(WireError) in
            let snapshot = try WireObject(value, Self.sectionSnapshotMembers, telling: errors)
            return .applySectionSnapshot(try wantedSection(snapshot.required("id", sectionID), snapshot))
        }
    }

    private func sectionName(_ object: WireObject) throws(WireError) -> SectionID {
        switch (try object.optional("id", sectionID), try object.optional("section", sectionID)) {
        case (let id?, nil), (nil, let id?): return id
        case (_?, _?): throw WireError(.conflictsWith("section")).at("id")
        case (nil, nil):
            throw WireError(.missingOneOf(["section", "id"])).advising(#"It is the id of the section: "fruit"."#)
        }
    }
}
