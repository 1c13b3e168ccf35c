import JSONValue

// Items get new members. A content that takes merge patches is written once, when the whole transaction is applied.

extension ListState {
    /// Gives an item new members, unless it has them already.
    mutating func set(
        _ handle: ItemHandle, _ given: ItemChanges, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        // The comparison below needs the content with all patches so far.
        if case .replace = given.content { settle(handle, &log) }
        var changes = given
        items.withElement(at: handle.index) { changes.dropMembers(of: $0.item) }
        guard !changes.isEmpty else { return }
        let edit = Edit.changeItem(id(of: handle), changes)
        try log.count(edit, on: self)
        try change(handle, by: changes, &log)
        log.note(edit)
        let byteCount = log.merged[handle]?.byteCount ?? content(of: handle).byteCount
        guard changes.content == .keep || byteCount <= rules.contentBytesMax else {
            throw .contentTooLarge(id(of: handle), limit: rules.contentBytesMax)
        }
    }

    mutating func change(
        _ handle: ItemHandle, by changes: ItemChanges, _ log: inout TransactionLog
    ) throws(ModelError) {
        let patch: JSONObject
        switch changes.content {
        case .keep: return change(handle, by: changes, &log.delta)
        case .replace:
            log.merged[handle] = nil
            return change(handle, by: changes, sealing: log.sealsItems, &log.delta)
        case .merge(let text):
            guard case .object(let object) = text.value else {
                log.merged[handle] = nil
                return change(handle, by: changes, &log.delta)
            }
            patch = object
        }
        change(handle, by: changes, keepingContent: true, &log.delta)
        if log.merged[handle] == nil {
            try log.count(reading: content(of: handle))
            log.merged[handle] = PatchedObject(content(of: handle).object)
        }
        log.merged[handle]?.merge(patch)
    }

    /// Writes the contents that took merge patches. The caller does this once, when all operations of the transaction
    /// are applied.
    public mutating func settle(_ log: inout TransactionLog) {
        guard !log.merged.isEmpty else { return }
        for (handle, content) in log.merged { write(content, to: handle) }
        log.merged = [:]
    }

    private mutating func settle(_ handle: ItemHandle, _ log: inout TransactionLog) {
        guard let content = log.merged.removeValue(forKey: handle) else { return }
        write(content, to: handle)
    }

    private mutating func write(_ patched: PatchedObject, to handle: ItemHandle) {
        let text = JSONText(.object(patched.object))
        guard items[handle.index].isAlive, !content(of: handle).hasSameBytes(as: text) else { return }
        contentBytes += text.byteCount - content(of: handle).byteCount
        presentBytes += text.byteCount - content(of: handle).byteCount
        items[handle.index].item.content = text
        items[handle.index].item = items[handle.index].item.sealed()
    }
}

extension JSONText {
    fileprivate var object: JSONObject {
        if case .object(let object) = value { object } else { JSONObject() }
    }
}
