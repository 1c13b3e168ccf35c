/// The sections of a list in their order, found by index and by handle.
///
/// The sections are kept as the rows of a `RowList`, behind one reference, because a list's state is copied more often
/// than its sections change. History keeps the order before each version that changed it. Copies share the chunks that
/// neither of them has changed.
///
/// - Complexity: A change costs one chunk and the counts of the others, as in a `RowList`.
package struct SectionOrder: Sendable {
    private var storage = Storage()

    /// Swift checks the exclusive access to the order, so it need not check each member of the storage again.
    ///
    /// - Safety: `@unchecked` is sound because storage is changed only while one order alone refers to it.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) var rows: RowList
        /// The name of the chunk in which each section stands. It is -1 if the section is not in the order.
        @exclusivity(unchecked) var chunkNames: ChunkNames

        init(_ rows: RowList = RowList(), _ chunkNames: ChunkNames = ChunkNames()) {
            self.rows = rows
            self.chunkNames = chunkNames
        }
    }

    package init() {}

    package var count: Int { storage.rows.count }
    package var indices: Range<Int> { 0..<count }
    package var isEmpty: Bool { count == 0 }
    package var first: SectionHandle? { isEmpty ? nil : self[0] }
    package var last: SectionHandle? { isEmpty ? nil : self[count - 1] }

    /// The section at an index.
    ///
    /// - Precondition: `index` is in `0..<count`.
    package subscript(index: Int) -> SectionHandle { SectionHandle(raw: storage.rows[index].item.raw) }

    /// All sections.
    ///
    /// - Complexity: O(*s*), *s* = `count`.
    package var handles: [SectionHandle] { storage.rows[indices].map { SectionHandle(raw: $0.item.raw) } }

    /// Whether a section is in the order.
    package func contains(_ section: SectionHandle) -> Bool {
        section.index < storage.chunkNames.count && storage.chunkNames[section.index] >= 0
    }

    /// The index of a section; nil if it is not in the order.
    package func index(of section: SectionHandle) -> Int? {
        contains(section) ? storage.rows.index(of: ItemHandle(raw: section.raw), storage.chunkNames) : nil
    }

    /// About how many bytes a copy of this order holds alone, once the original has changed.
    var estimatedBytes: Int { 256 + 16 * storage.rows.chunkCount + 4 * min(count, RowList.full) }
}

// MARK: - Writing

extension SectionOrder {
    /// Puts a section that is not in the order before the one at `index`.
    mutating func insert(_ section: SectionHandle, at index: Int) { insert([section], at: index) }

    /// Puts a section that is not in the order at its end.
    mutating func append(_ section: SectionHandle) { insert(section, at: count) }

    mutating func remove(at index: Int) -> SectionHandle {
        let storage = ownStorage()
        let row = storage.rows.remove(index..<index + 1, &storage.chunkNames)[0]
        storage.chunkNames[row.item.index] = -1
        return SectionHandle(raw: row.item.raw)
    }

    /// The same sections in another order.
    ///
    /// - Parameter sections: The new order. Each section occurs once.
    mutating func replace(by sections: [SectionHandle]) {
        self = SectionOrder()
        insert(sections, at: 0)
    }

    private mutating func insert(_ sections: [SectionHandle], at index: Int) {
        let storage = ownStorage()
        let most = sections.reduce(-1) { max($0, $1.index) }
        let lacking = most + 1 - storage.chunkNames.count
        if lacking > 0 { storage.chunkNames.append(repeating: -1, count: lacking) }
        let rows = sections.map { Row(ItemHandle(raw: $0.raw), isShown: true) }
        storage.rows.insert(rows, at: index, &storage.chunkNames)
    }

    /// The storage of this order alone. If a copy refers to the storage too, a new one is made first.
    private mutating func ownStorage() -> Storage {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.rows, storage.chunkNames) }
        return storage
    }
}
