internal import Texts

// The memory of overwritten values that only a delta keeps.

extension ListState {
    /// About how many bytes of contents, headers, footers, layouts and titles a delta keeps that the list has no
    /// longer. Deleted items are counted in `Delta.estimatedBytes`.
    ///
    /// - Parameter delta: One that ends at this state.
    public func bytesOverwritten(by delta: Delta) -> Int {
        var bytes = 0
        delta.forEachItem { [items] in bytes += $1.item.content.byteCount(besides: items[$0.index].item.content) }
        guard !delta.holdsOnlyOneValue else { return bytes }
        let past = delta.past
        for edit in delta.otherInverse { bytes += self.bytes(of: edit, in: past) }
        return bytes
    }

    private func bytes(of edit: Edit, in past: borrowing Past) -> Int {
        switch edit {
        case .changeItem(let id, let old):
            guard case .replace(let text) = old.content, let item = interned(id), past.items[item]?.isAlive != true
            else { return 0 }
            return text.byteCount(besides: items[item.index].item.content)
        case .changeList(let old):
            return Self.bytes(old.title, besides: properties.title)
                + Self.bytes(old.layout, besides: properties.layout)
        case .changeSection(let index, let old):
            return bytes(of: old, besides: order.indices.contains(index) ? self[order[index]] : nil)
        case .insertSection(let old, _):
            return bytes(of: SectionChanges(whole: old), besides: handle(of: old.id).map { self[$0] })
        case .deleteSection, .moveSection, .reloadSection, .insertItems, .deleteItems, .moveItem, .reconfigureItem,
            .reloadItem, .arrange, .arrangeRun, .arrangeSections:
            return 0
        }
    }

    private func bytes(of old: SectionChanges, besides new: SectionProperties?) -> Int {
        Self.bytes(old.title, besides: new?.title) + Self.bytes(old.layout, besides: new?.layout)
            + Self.bytes(old.header, besides: new?.header) + Self.bytes(old.footer, besides: new?.footer)
    }

    private static func bytes(_ old: Change<JSONText?>, besides new: JSONText?) -> Int {
        guard case .set(let old?) = old else { return 0 }
        return new.map { old.byteCount(besides: $0) } ?? old.byteCount
    }

    private static func bytes(_ old: Change<ByteText?>, besides new: ByteText?) -> Int {
        guard case .set(let old?) = old, old != new else { return 0 }
        return old.utf8.count
    }

    private static func bytes(_ old: Change<ByteText>, besides new: ByteText) -> Int {
        guard case .set(let old) = old, old != new else { return 0 }
        return old.utf8.count
    }
}

extension JSONText {
    /// The number of bytes of the text, or 0 if it is the same memory as another one.
    fileprivate func byteCount(besides other: JSONText) -> Int { hasSameBuffer(as: other) ? 0 : byteCount }
}
