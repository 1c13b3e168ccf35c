// Ids and their handles: how an id gets a handle, and when the handle may be given to another id.

extension ListState {
    /// The handle of an id that state or kept history names.
    func interned(_ id: ItemID) -> ItemHandle? {
        // The closure takes the items only: one that takes the state would hold a copy of all of it.
        itemTable.find(id.tableHash) { [items] in items[Int($0)].item.id == id }.map { ItemHandle(raw: $0) }
    }

    /// The handle of an id that state or kept history names.
    func interned(_ id: SectionID) -> SectionHandle? {
        sectionTable.find(id.tableHash) { [sections] in sections[Int($0)].properties.id == id }
            .map { SectionHandle(raw: $0) }
    }

    /// The handle of `id`. If `id` has none, a new handle is made, and its item is not in the list.
    mutating func intern(_ id: ItemID, _ delta: inout Delta) -> ItemHandle {
        if let handle = interned(id) { return handle }
        let record = ItemRecord(Item(id: id))
        let handle: ItemHandle
        if let free = freeItems.popLast() {
            handle = free
            items[free.index] = record
        } else {
            handle = ItemHandle(items.count)
            items.append(record)
            contentBytes += record.item.content.byteCount
            chunkNames.append(-1)
        }
        itemTable.insert(handle.raw, hash: id.tableHash)
        delta.internedItems.append(handle)
        return handle
    }

    /// The handle of `id`. If `id` has none, a new handle is made, and its section is not in the list.
    mutating func intern(_ id: SectionID, _ delta: inout Delta) -> SectionHandle {
        if let handle = interned(id) { return handle }
        let record = SectionRecord(SectionProperties(id: id))  // A free section has no texts either.
        let handle: SectionHandle
        if let free = freeSections.popLast() {
            handle = free
            sections[free.index] = record
        } else {
            handle = SectionHandle(sections.count)
            sections.append(record)
        }
        sectionTable.insert(handle.raw, hash: id.tableHash)
        delta.internedSections.append(handle)
        return handle
    }

    private mutating func free(_ handle: ItemHandle) {
        itemTable.remove(handle.raw, hash: items[handle.index].item.id.tableHash)
        contentBytes += JSONText.emptyObject.byteCount - items[handle.index].item.content.byteCount
        items[handle.index].item.content = .emptyObject
        freeItems.append(handle)
    }

    private mutating func free(_ handle: SectionHandle) {
        let id = self[handle].id
        sectionTable.remove(handle.raw, hash: id.tableHash)
        put(SectionProperties(id: id), at: handle)
        freeSections.append(handle)
    }
}

// MARK: - Going back

extension ListState {
    /// Goes back to the state before `delta`, which must end at this state.
    ///
    /// Handles that were made for the delta still belong to their ids. `forget(_:)` frees them too.
    public mutating func revert(_ delta: Delta) {
        var scratch = Delta()
        for edit in delta.inverse.reversed() { perform(edit, recording: &scratch) }
        shareTexts(of: delta)
    }

    /// Gives items the memory that they had before `delta`, to which the state has gone back.
    package mutating func shareTexts(of delta: Delta) {
        delta.forEachItem { handle, old in
            guard old.isAlive, items[handle.index].isAlive else { return }
            let isSame = items.withElement(at: handle.index) { record in
                record.item.kind == old.item.kind && record.item.content.hasSameBytes(as: old.item.content)
            }
            if isSame { items[handle.index].item.share(old.item) }
        }
    }

    /// The state before consecutive deltas, oldest first, which must end at this state.
    public func reverted(_ deltas: ArraySlice<Delta>) -> ListState {
        var past = self
        for delta in deltas.reversed() { past.revert(delta) }
        return past
    }

    /// Goes back to the state before a transaction that failed or changed nothing, and frees the handles that were made
    /// for it.
    ///
    /// - Parameter delta: The delta of the transaction's log.
    mutating public func forget(_ delta: Delta) {
        revert(delta)
        for handle in delta.internedItems { free(handle) }
        for handle in delta.internedSections { free(handle) }
    }

    /// How many items and sections left the list in `delta`, which must end at this state, and did not come back in it.
    ///
    /// - Complexity: O(*n*), *n* = all deletions in `delta`, also of those that were inserted again.
    public func countOfLeft(in delta: Delta) -> (items: Int, sections: Int) {
        (
            delta.itemDeaths.count { !items[$0.index].isAlive },
            delta.sectionDeaths.count { !sections[$0.index].isAlive }
        )
    }

    /// Notes that history keeps `delta`. The handles with a death in it are not reused until `release(_:)`.
    public mutating func retain(_ delta: Delta) {
        for handle in delta.itemDeaths { items[handle.index].retainedDeaths += 1 }
        for handle in delta.sectionDeaths { sections[handle.index].retainedDeaths += 1 }
    }

    /// Notes that history has dropped `delta`, its oldest one. Handles that nothing names any more may be reused.
    public mutating func release(_ delta: Delta) {
        for handle in delta.itemDeaths where forgetDeath(of: handle) && !items[handle.index].isAlive { free(handle) }
        for handle in delta.sectionDeaths where forgetDeath(of: handle) && !sections[handle.index].isAlive {
            free(handle)
        }
    }

    /// Takes back a retained delta, the newest one of history.
    public mutating func forgetRetained(_ delta: Delta) {
        for handle in delta.itemDeaths { _ = forgetDeath(of: handle) }
        for handle in delta.sectionDeaths { _ = forgetDeath(of: handle) }
        forget(delta)
        freeAgain(delta)
    }

    /// Frees the handles that a delta used again after a death, if the delta has been taken back and history has
    /// dropped that death since.
    private mutating func freeAgain(_ delta: Delta) {
        let (newItems, newSections) = (Set(delta.internedItems), Set(delta.internedSections))
        for (handle, old) in delta.past.items
        where !old.isAlive && items[handle.index].retainedDeaths == 0 && !newItems.contains(handle) {
            free(handle)
        }
        for handle in delta.past.touchedSections
        where !sections[handle.index].isAlive && sections[handle.index].retainedDeaths == 0
            && !newSections.contains(handle)
        {
            free(handle)
        }
    }

    /// Counts one retained death of the handle less. Returns true if none is left.
    private mutating func forgetDeath(of handle: ItemHandle) -> Bool {
        items[handle.index].retainedDeaths -= 1
        return items[handle.index].retainedDeaths == 0
    }

    private mutating func forgetDeath(of handle: SectionHandle) -> Bool {
        sections[handle.index].retainedDeaths -= 1
        return sections[handle.index].retainedDeaths == 0
    }
}
