internal import Access
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd

extension API {
    /// `POST /v1/lists/{list}/items`
    func postItems(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.itemsBody(body) }
        let write = try write(.operation(body.value), body, call)
        return try submit(write, to: call.listID(), .list, call)
    }

    /// `GET /v1/lists/{list}/items/{item}`
    func getItem(_ call: Call) throws(Problem) -> Answer {
        let snapshot = try snapshot(call)
        let id = try call.itemID()
        guard let item = snapshot.state.handle(of: id) else {
            let list = try list(of: call)
            throw list.read { suggesting(.noSuchItem(id), for: .unknownItem(id), in: $0, .getItem) }
        }
        return versioned(snapshot.version, call) { snapshot.body(of: item) }
    }

    /// `PATCH /v1/lists/{list}/items/{item}`
    func patchItem(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.itemPatchBody(body) }
        return try edit(call, body) { item in .updateItem(item, body.value) }
    }

    /// `DELETE /v1/lists/{list}/items/{item}`: deletes the item with its subtree.
    func deleteItem(_ call: Call) throws(Problem) -> Answer {
        let item = try call.itemID()
        let body = try plainBody(call)
        var write = try write(.operation(.deleteItems([item])), body, call)
        // A write without a base cannot have missed a deletion, so an item that does not exist is 404.
        write.isStrict = write.isStrict || write.base == nil
        return try submit(write, to: call.listID(), .item(item), call)
    }

    /// `PUT` and `DELETE /v1/lists/{list}/items/{item}/star`
    func star(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setStarred([$0], true) }
    }

    func unstar(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setStarred([$0], false) }
    }

    /// `POST /v1/lists/{list}/items/{item}/star`
    func toggleStar(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .toggleStar($0) }
    }

    /// `POST /v1/lists/{list}/items/{item}/expand` and `/collapse`
    func expand(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setExpanded([$0], true) }
    }

    func collapse(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setExpanded([$0], false) }
    }

    /// Submits one operation on the item that the path names.
    private func edit<Value>(
        _ call: Call, _ body: WriteBody<Value>, _ operation: (ItemID) -> Operation
    ) throws(Problem) -> Answer {
        let item = try call.itemID()
        let write = try write(.operation(operation(item)), body, call)
        return try submit(write, to: call.listID(), .item(item), call)
    }
}
