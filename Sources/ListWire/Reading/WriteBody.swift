package import JSONValue
package import ListModel
package import Texts

/// The body of a write: the value that it asks for, and the members that every write may have.
package struct WriteBody<Value: Sendable>: Sendable {
    package var value: Value
    /// The version that the client knew; nil applies the write to the head.
    package var base: Version?
    package var onLostBase = OnLostBase.refuse
    /// Whether the base is the `version` of a snapshot.
    package var isBaseOfSnapshot = false
    package var label: ByteText?
    /// Whether clients may show the changes with an animation.
    package var isAnimated = true
}

extension WriteBody {
    /// A body without the members that every write may have.
    package init(value: Value) { self.init(value: value, base: nil) }
}

/// What a client wants to be done if the server does not know the base any more.
package enum OnLostBase: String, CaseIterable, Sendable {
    case refuse, reapply
}

extension WireDecoder {
    /// The members that every write with a body may have.
    static let commonMembers: [ByteText] = ["base", "onLostBase", "label", "animated"]

    func body<Value>(
        _ value: JSONSlice, _ members: [ByteText], _ decode: (WireObject) throws(WireError) -> Value
    ) throws(WireError) -> WriteBody<Value> {
        let object = try WireObject(value, members + Self.commonMembers, telling: errors)
        let base = try object.optional("base", version)
        let onLostBase: OnLostBase? = try object.optional("onLostBase", word)
        let label = try object.optional("label", label)
        let isAnimated = try object.optional("animated", boolean) ?? true
        return WriteBody(
            value: try decode(object), base: base, onLostBase: onLostBase ?? .refuse, label: label,
            isAnimated: isAnimated)
    }

    /// Reads a body without members of its own, such as that of a star. The body may be missing.
    package func plainBody(_ value: JSONSlice?) throws(WireError) -> WriteBody<Void> {
        guard let value else { return WriteBody(value: ()) }
        return try body(value, []) { _ throws(WireError) in }
    }

    /// Reads the body of `POST /v1/lists/{list}/transactions`.
    package func transactionBody(_ value: JSONSlice) throws(WireError) -> WriteBody<[Operation]> {
        try body(value, ["operations"]) { object throws(WireError) in
            try object.required(
                "operations", advising: #"For example: {"operations":[{"op":"starItems","items":["milk"]}]}."#,
                operations)
        }
    }

    /// Reads the body of `POST /v1/lists/{list}/undo` and `/redo`: the version of the transaction, if one is named. The
    /// body may be missing.
    package func reversalBody(_ value: JSONSlice?) throws(WireError) -> WriteBody<Version?> {
        guard let value else { return WriteBody(value: nil) }
        return try body(value, ["transaction"]) { object throws(WireError) in
            try object.optional("transaction", version)
        }
    }

    /// Reads the body of `POST /v1/lists/{list}/restore`: the version, which a deleted list does not need. The body may
    /// be missing.
    package func restoreBody(_ value: JSONSlice?) throws(WireError) -> WriteBody<Version?> {
        guard let value else { return WriteBody(value: nil) }
        return try body(value, ["version"]) { object throws(WireError) in
            try object.optional("version", advising: WireError.restored, version)
        }
    }

    /// Reads the body of `PUT /v1/lists/{list}`: a snapshot. Its `version` is the base, unless there is a `base`.
    ///
    /// - Throws: `.idMismatch` if the snapshot names another list, `.partialSnapshot` if it is not whole.
    package func snapshotBody(_ value: JSONSlice, list: ListID) throws(WireError) -> WriteBody<WantedSnapshot> {
        var version: Version?
        var body = try body(value, Self.snapshotMembers) { object throws(WireError) in
            try requireSame(object, "id", as: list.rawValue) { "/v1/lists/\($0)" }
            version = try object.optional("version", self.version)
            return try wantedSnapshot(object)
        }
        if body.base == nil { (body.base, body.isBaseOfSnapshot) = (version, version != nil) }
        return body
    }

    /// Reads the body of `POST /v1/lists`: a snapshot, with an id if the client has chosen one. Its `version` belongs
    /// to another list and is ignored.
    package func newListBody(
        _ value: JSONSlice
    ) throws(WireError) -> WriteBody<(id: ListID?, snapshot: WantedSnapshot)> {
        try body(value, Self.snapshotMembers) { object throws(WireError) in
            _ = try object.optional("version", version)
            let id = try object.optional("id", advising: Self.chosenID, listID)
            return (id, try wantedSnapshot(object))
        }
    }

    private static let chosenID: StaticString = #"""
        A name with other characters is the title: {"id":"my-list","title":"My List"}. "id" may be left out: then the \#
        server makes one.
        """#

    /// Reads the body of `PUT /v1/lists/{list}/sections/{section}`: a section snapshot. Its `version` is the base,
    /// unless there is a `base`.
    ///
    /// - Throws: `.idMismatch` if the snapshot names another section or list, `.partialSnapshot` if it is not whole.
    package func sectionSnapshotBody(
        _ value: JSONSlice, section: SectionID, list: ListID
    ) throws(WireError) -> WriteBody<WantedSection> {
        var version: Version?
        var body = try body(value, Self.sectionSnapshotMembers) { object throws(WireError) in
            try requireSame(object, "id", as: section.rawValue) { "/v1/lists/{list}/sections/\($0)" }
            try requireSame(object, "list", as: list.rawValue) { "/v1/lists/\($0)/sections/{section}" }
            version = try object.optional("version", self.version)
            return try wantedSection(section, object)
        }
        if body.base == nil { (body.base, body.isBaseOfSnapshot) = (version, version != nil) }
        return body
    }

    /// Requires that the member `key`, if there is one, is the id in the path of the request.
    ///
    /// - Parameter path: Returns the path of the list or section that has the sent id.
    private func requireSame(
        _ object: WireObject, _ key: ByteText, as name: ByteText, path: (ByteText) -> ByteText
    ) throws(WireError) {
        guard let sent = try object.optional(key, string), sent != name else { return }
        let title =
            key == "id" ? "An id stays as it is. To change the name that is shown, PATCH {\"title\":{name}}. " : ""
        let own = key == "id" ? "replace all of" : "write to"
        let other = Item.isKind(sent) ? " To \(own) \(sent), PUT \(path(sent))." : ""
        let both = key == "id" ? #" PUT deletes the items that the body leaves out: with [] all."# : ""
        throw WireError(.idMismatch(path: name, body: sent)).advising(
            title.replacing("{name}", with: "\(JSONValue.string(sent).shown ?? "…")")
                + "To \(own) \(name), leave \"\(key)\" out.\(other)\(both)"
        ).at(key)
    }

    /// Reads the body of `PATCH /v1/lists/{list}`.
    package func listPatchBody(_ value: JSONSlice) throws(WireError) -> WriteBody<ListChanges> {
        try body(value, ["title", "layout"], listChanges)
    }

    /// Reads the body of `PATCH /v1/lists/{list}/sections/{section}`.
    package func sectionPatchBody(_ value: JSONSlice) throws(WireError) -> WriteBody<SectionChanges> {
        try body(value, ["title", "layout", "header", "footer"], sectionChanges)
    }

    /// Reads the body of `POST /v1/lists/{list}/items`: an insertion if there is an anchor, otherwise items to append.
    package func itemsBody(_ value: JSONSlice) throws(WireError) -> WriteBody<Operation> {
        try body(value, ["items", "section", "parent", "before", "after"], placeItems)
    }

    /// Reads the body of `PATCH /v1/lists/{list}/items/{item}`. `content` is a merge patch.
    package func itemPatchBody(_ value: JSONSlice) throws(WireError) -> WriteBody<ItemChanges> {
        try body(value, ["content"] + Self.plainItemMembers) { object throws(WireError) in
            var changes = try plainItemChanges(object)
            if let patch = try object.optional("content", self.object) { changes.content = .merge(patch) }
            return changes
        }
    }

    /// Reads the body of `POST /v1/samples/{sample}`: the seed of the random part, if there is one. The body may be
    /// missing.
    package func sampleBody(_ value: JSONSlice?) throws(WireError) -> WriteBody<Int?> {
        guard let value else { return WriteBody(value: nil) }
        return try body(value, ["seed"]) { object throws(WireError) in try object.optional("seed", count) }
    }

    /// Reads the body of `POST /v1/samples/{sample}/step`. `run` says whether the server goes on by itself.
    package func stepBody(_ value: JSONSlice?) throws(WireError) -> WriteBody<(seed: Int?, run: Bool?)> {
        guard let value else { return WriteBody(value: (nil, nil)) }
        return try body(value, ["seed", "run"]) { object throws(WireError) in
            (try object.optional("seed", count), try object.optional("run", boolean))
        }
    }
}
