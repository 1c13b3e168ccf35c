internal import Texts

// How much of what was overwritten is there only because a delta keeps it.

extension ListState {
    /// About how many bytes of contents, headers, footers, layouts and titles the list has no longer and a delta still
    /// keeps. What it has deleted is in `Delta.estimatedBytes`.
    ///
    /// - Parameter delta: One that ends at this very state.
    public func bytesOverwritten(by delta: Delta) -> Int {
        var bytes = 0
        delta.forEachOverwritten {
            bytes += self.bytes(of: $0)
        } _: {
            bytes += self.bytes($0, besides: items[$1.index])
        }
        return bytes
    }

    private func bytes(_ old: borrowing ItemRecord, besides new: borrowing ItemRecord) -> Int {
        old.item.content.byteCount(besides: new.item.content)
    }

    private func bytes(of edit: Edit) -> Int {
        switch edit {
        case .setItem(let old):
            interned(old.id).map { old.content.byteCount(besides: items[$0.index].item.content) } ?? 0
        case .setProperties(let old):
            Self.bytes(old.title, besides: properties.title) + Self.bytes(old.layout, besides: properties.layout)
        case .setSection(_, let old): bytes(of: old, besides: interned(old.id).map { sections[$0.index].properties })
        case .insertSection(let old, _): bytes(of: old, besides: nil)
        case .deleteSection, .moveSection, .reloadSection, .insertItems, .deleteItems, .moveItem, .reconfigureItem,
            .reloadItem, .arrange, .arrangeSections:
            0
        }
    }

    private func bytes(of old: SectionProperties, besides new: SectionProperties?) -> Int {
        Self.bytes(old.title, besides: new?.title) + Self.bytes(old.layout, besides: new?.layout)
            + Self.bytes(old.header, besides: new?.header) + Self.bytes(old.footer, besides: new?.footer)
    }

    private static func bytes(_ old: JSONText?, besides new: JSONText?) -> Int {
        guard let old else { return 0 }
        return new.map { old.byteCount(besides: $0) } ?? old.byteCount
    }

    private static func bytes(_ old: ByteText?, besides new: ByteText?) -> Int {
        old == new ? 0 : old?.utf8.count ?? 0
    }
}

extension JSONText {
    /// How many bytes the text has, or none if they are those of another one.
    fileprivate func byteCount(besides other: JSONText) -> Int { hasSameBuffer(as: other) ? 0 : byteCount }
}
