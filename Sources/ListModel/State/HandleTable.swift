/// Finds the handle of an id: an extendible hash table that holds handles and bits of hashes, never ids.
///
/// It grows a page at a time, so that no insertion pays for the whole table, and copies share their pages. Hashes are
/// keyed for each process (`Hasher`), so that a client cannot choose ids that all fall into one page.
///
/// Source: R. Fagin et al., "Extendible hashing", ACM TODS 4 (1979).
package struct HandleTable: Sendable {
    fileprivate struct Entry {
        /// The hash of the id. Its low bits choose the page, and its high bits the slot.
        var hash: UInt32
        /// The raw handle. It is -1 if the slot is empty.
        var handle: Int32

        static let empty = Entry(hash: 0, handle: -1)
        var isEmpty: Bool { handle < 0 }
    }

    fileprivate struct Page {
        /// The slots, whose number is a power of two.
        var slots: [Entry]
        var count = 0
        /// How many low bits of the hash all its entries share.
        var depth: Int

        init(slots count: Int = 8, depth: Int = 0) {
            slots = [Entry](repeating: .empty, count: count)
            self.depth = depth
        }

        var isFull: Bool { 4 * count >= 3 * slots.count }

        /// The slot at which the search for a hash begins.
        func home(_ hash: UInt32) -> Int { Int(hash >> 24) & (slots.count - 1) }

        func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

        mutating func insert(_ entry: Entry) {
            var slot = home(entry.hash)
            while !slots[slot].isEmpty { slot = next(slot) }
            slots[slot] = entry
            count += 1
        }

        /// Closes the gap, so that every entry can still be reached from its home.
        mutating func remove(at removed: Int) {
            var gap = removed
            var slot = next(gap)
            while !slots[slot].isEmpty {
                let distance = (slot - home(slots[slot].hash)) & (slots.count - 1)
                if distance >= (slot - gap) & (slots.count - 1) {
                    slots[gap] = slots[slot]
                    gap = slot
                }
                slot = next(slot)
            }
            slots[gap] = .empty
            count -= 1
        }

        mutating func grow() {
            let old = slots
            slots = Array(repeating: .empty, count: 2 * old.count)
            count = 0
            for entry in old where !entry.isEmpty { insert(entry) }
        }
    }

    fileprivate static let slotsMax = 256
    /// At a greater depth, some bits of the hash would choose both page and slot.
    private static let depthMax = 24

    /// The page of each value that the low bits of a hash can have.
    private var directory: [Int32] = [0]
    private var pages = [Page()]

    package init() {}

    private func page(of hash: UInt32) -> Int { Int(directory[Int(hash) & (directory.count - 1)]) }

    /// The handle that was added with this hash and for which `isMatch` holds.
    package func find(_ hash: UInt32, where isMatch: (Int32) -> Bool) -> Int32? {
        let page = page(of: hash)
        return slot(hash, in: page, where: isMatch).map { pages[page].slots[$0].handle }
    }

    private func slot(_ hash: UInt32, in page: Int, where isMatch: (Int32) -> Bool) -> Int? {
        var slot = pages[page].home(hash)
        while !pages[page].slots[slot].isEmpty {
            let entry = pages[page].slots[slot]
            if entry.hash == hash, isMatch(entry.handle) { return slot }
            slot = pages[page].next(slot)
        }
        return nil
    }

    /// Adds a handle that is not in the table.
    package mutating func insert(_ handle: Int32, hash: UInt32) {
        var page = page(of: hash)
        while pages[page].isFull {
            makeRoom(in: page)
            page = self.page(of: hash)
        }
        pages[page].insert(Entry(hash: hash, handle: handle))
    }

    package mutating func remove(_ handle: Int32, hash: UInt32) {
        let page = page(of: hash)
        guard let slot = slot(hash, in: page, where: { $0 == handle }) else { return }
        pages[page].remove(at: slot)
    }

    private mutating func makeRoom(in page: Int) {
        let depth = pages[page].depth
        guard pages[page].slots.count >= Self.slotsMax, depth < Self.depthMax else { return pages[page].grow() }
        if 1 << depth == directory.count { directory += directory }
        split(page)
    }

    private mutating func split(_ page: Int) {
        let bit = pages[page].depth
        let entries = pages[page].slots
        var halves = Array(repeating: Page(slots: entries.count, depth: bit + 1), count: 2)
        for entry in entries where !entry.isEmpty { halves[Int(entry.hash >> UInt32(bit)) & 1].insert(entry) }
        let other = Int32(truncatingIfNeeded: pages.count)
        for index in directory.indices where directory[index] == page && index >> bit & 1 == 1 {
            directory[index] = other
        }
        pages[page] = halves[0]
        pages.append(halves[1])
    }
}

// MARK: - Many at once

extension HandleTable {
    /// A table of the handles `0..<hashes.count`, made page after page, so that memory is written in order.
    ///
    /// - Parameters:
    ///   - hashes: Their hashes.
    ///   - isSame: Whether two handles of one hash stand for one id.
    /// - Returns: Nil if two handles stand for one id.
    init?(hashes: [UInt32], isSame: (Int32, Int32) -> Bool) {
        var depth = 0
        while hashes.count >> depth > Self.slotsMax / 2 { depth += 1 }
        let (entries, ends) = Self.sorted(hashes, byLowBits: depth)
        directory = Array(0..<Int32(1) << Int32(depth))
        pages = []
        pages.reserveCapacity(directory.count)
        var start = 0
        for end in ends {
            guard let page = Page(entries[start..<end], depth: depth, isSame) else { return nil }
            pages.append(page)
            start = end
        }
    }

    /// A table of the items of some sections, in their order.
    ///
    /// - Returns: Nil if an item is there twice.
    init?(of sections: [WantedSection]) {
        var hashes: [UInt32] = []
        hashes.reserveCapacity(sections.reduce(0) { $0 + $1.items.count })
        for section in sections {
            for item in section.items { hashes.append(item.id.tableHash) }
        }
        self.init(hashes: hashes) { Self.id(Int($0), in: sections) == Self.id(Int($1), in: sections) }
    }

    private static func id(_ number: Int, in sections: [WantedSection]) -> ItemID? {
        var rest = number
        for section in sections {
            guard rest >= section.items.count else { return section.items[rest].id }
            rest -= section.items.count
        }
        return nil
    }

    /// The entries of all hashes in the order of pages, and the index at which each page ends.
    private static func sorted(_ hashes: [UInt32], byLowBits depth: Int) -> (entries: [Entry], ends: [Int]) {
        let mask = UInt32(1) << UInt32(depth) - 1
        var places = [Int](repeating: 0, count: 1 << depth)
        for hash in hashes { places[Int(hash & mask)] += 1 }
        var sum = 0
        for page in places.indices { (places[page], sum) = (sum, sum + places[page]) }
        var entries = [Entry](repeating: .empty, count: hashes.count)
        for (handle, hash) in hashes.enumerated() {
            let page = Int(hash & mask)
            entries[places[page]] = Entry(hash: hash, handle: Int32(truncatingIfNeeded: handle))
            places[page] += 1
        }
        return (entries, places)
    }
}

extension HandleTable.Page {
    /// Nil if two entries stand for one id.
    fileprivate init?(_ entries: ArraySlice<HandleTable.Entry>, depth: Int, _ isSame: (Int32, Int32) -> Bool) {
        var size = depth == 0 ? 8 : HandleTable.slotsMax
        while 4 * entries.count >= 3 * size { size *= 2 }
        self.init(slots: size, depth: depth)
        for entry in entries {
            var slot = home(entry.hash)
            while !slots[slot].isEmpty {
                guard slots[slot].hash != entry.hash || !isSame(slots[slot].handle, entry.handle) else { return nil }
                slot = next(slot)
            }
            slots[slot] = entry
        }
        count = entries.count
    }
}

extension Identifier {
    /// The hash by which a `HandleTable` finds the identifier.
    var tableHash: UInt32 { rawValue.tableHash }
}

extension ListID {
    /// The hash by which a `HandleTable` finds the list.
    package var tableHash: UInt32 { rawValue.tableHash }
}

extension ByteText {
    fileprivate var tableHash: UInt32 {
        var hasher = Hasher()
        withBytes { hasher.combine(bytes: $0) }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
