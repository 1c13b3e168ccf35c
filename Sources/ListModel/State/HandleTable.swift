/// Finds the handle of an id: an extendible hash table that holds handles and bits of hashes, never ids.
///
/// It grows a page at a time, so that no insertion pays for the whole table, and copies share their pages. Hashes are
/// Swift's, which are seeded for each process: nobody can choose ids that meet in one page.
///
/// Source: R. Fagin et al., "Extendible hashing", ACM TODS 4 (1979).
struct HandleTable: Sendable {
    private struct Entry {
        /// Low bits choose the page, high bits the slot.
        var hash: UInt32
        /// -1 for an empty slot.
        var handle: Int32

        static let empty = Entry(hash: 0, handle: -1)
        var isEmpty: Bool { handle < 0 }
    }

    private struct Page {
        /// A power of two of them.
        var slots = [Entry](repeating: .empty, count: 8)
        var count = 0
        /// How many low bits of the hash all its entries share.
        var depth = 0

        var isFull: Bool { 4 * count >= 3 * slots.count }

        /// Where the search for a hash begins.
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

    private static let slotsMax = 256
    /// Above this the high bits of the hash would choose both page and slot.
    private static let depthMax = 24

    /// The page of each value that the low bits of a hash can have.
    private var directory: [Int32] = [0]
    private var pages = [Page()]

    private func page(of hash: UInt32) -> Int { Int(directory[Int(hash) & (directory.count - 1)]) }

    /// The handle that was added with this hash and for which `isMatch` holds.
    func find(_ hash: Int, where isMatch: (Int32) -> Bool) -> Int32? {
        let hash = UInt32(truncatingIfNeeded: hash)
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
    mutating func insert(_ handle: Int32, hash: Int) {
        let hash = UInt32(truncatingIfNeeded: hash)
        var page = page(of: hash)
        while pages[page].isFull {
            makeRoom(in: page)
            page = self.page(of: hash)
        }
        pages[page].insert(Entry(hash: hash, handle: handle))
    }

    mutating func remove(_ handle: Int32, hash: Int) {
        let hash = UInt32(truncatingIfNeeded: hash)
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
        var halves = [Page(), Page()]
        for half in halves.indices {
            halves[half].slots = Array(repeating: .empty, count: entries.count)
            halves[half].depth = bit + 1
        }
        for entry in entries where !entry.isEmpty { halves[Int(entry.hash >> UInt32(bit)) & 1].insert(entry) }
        let other = Int32(truncatingIfNeeded: pages.count)
        for index in directory.indices where directory[index] == page && index >> bit & 1 == 1 {
            directory[index] = other
        }
        pages[page] = halves[0]
        pages.append(halves[1])
    }
}
