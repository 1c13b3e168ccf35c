import TestSupport
import Testing

@testable import ListModel

@Suite struct HandleTableTests {
    /// Two ids almost never have the same hash, so the test gives them one.
    @Test("many ids of one hash, found and removed one by one", arguments: [0, 1, 0x5555_AAAA, .max])
    func oneHash(hash: UInt32) {
        var table = HandleTable()
        let handles = Array(Int32(0)..<150)
        for handle in handles { table.insert(handle, hash: hash) }
        for handle in handles where handle % 2 == 1 { table.remove(handle, hash: hash) }
        for handle in handles {
            let found = table.find(hash) { $0 == handle }
            #expect(found == (handle % 2 == 0 ? handle : nil))
        }
        #expect(table.find(hash ^ 1) { _ in true } == nil)
    }

    /// Compares with a dictionary. The hashes differ only in a few low or high bits, so many of them fall into one page
    /// or slot.
    @Test("random hashes that meet often", arguments: UInt64(1)...10)
    func meetingHashes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let shift: UInt32 = [0, 8, 24, 25][Int(seed) % 4]
        var table = HandleTable()
        var alive: [(handle: Int32, hash: UInt32)] = []
        for handle in Int32(0)..<1_000 {
            let hash = UInt32(random.below(64)) << shift | UInt32(random.below(64))
            table.insert(handle, hash: hash)
            alive.append((handle, hash))
            guard random.once(in: 3) else { continue }
            let gone = alive.remove(at: random.below(alive.count))
            table.remove(gone.handle, hash: gone.hash)
            let found = table.find(gone.hash) { $0 == gone.handle }
            try #require(found == nil)
        }
        for (handle, hash) in alive {
            let found = table.find(hash) { $0 == handle }
            try #require(found == handle)
        }
    }

    struct Bulk: Sendable, CustomTestStringConvertible {
        var count: Int
        /// The number of values that the low bits and the high bits of the hashes can have.
        var low: Int
        var high: Int
        var testDescription: String { "\(count) handles, \(low) and \(high) values" }
    }

    static let bulks = ([0, 1, 5, 6, 7, 191, 192, 256, 257, 1_000] + (Soak.isLong ? [5_000] : [])).flatMap { count in
        [(1, 1), (1, 256), (64, 4), (1 << 24, 256)].map { Bulk(count: count, low: $0.0, high: $0.1) }
    }.filter { $0.count <= 257 || $0.low * $0.high > 1_000 || Soak.isLong }  // Few hashes take quadratic time.

    /// A table that is made at once then works like one that has grown handle by handle.
    @Test(arguments: bulks)
    func madeAtOnce(_ row: Bulk) throws {
        var random = SeededGenerator(seed: UInt64(row.count + row.low))
        func hash() -> UInt32 { UInt32(random.below(row.high)) << 24 | UInt32(random.below(row.low)) }
        var hashes = (0..<row.count).map { _ in hash() }
        var table = try #require(HandleTable(hashes: hashes) { _, _ in false })
        func check(_ handle: Int32, isThere: Bool = true) throws {
            let found = table.find(hashes[Int(handle)]) { $0 == handle }
            try #require(found == (isThere ? handle : nil))
        }
        for handle in 0..<Int32(row.count) { try check(handle) }
        for handle in Int32(row.count)..<Int32(row.count) + 300 {
            hashes.append(hash())
            table.insert(handle, hash: hashes[Int(handle)])
        }
        for handle in 0..<Int32(hashes.count) where handle % 3 == 0 { table.remove(handle, hash: hashes[Int(handle)]) }
        for handle in 0..<Int32(hashes.count) { try check(handle, isThere: handle % 3 != 0) }
    }

    @Test("two handles of one id are refused wherever they are", arguments: [2, 10, 300, 5_000])
    func twoOfOneID(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        for _ in 0..<20 {
            var hashes = (0..<count).map { UInt32($0) &* 0x9E37_79B9 }
            let (first, second) = (random.below(count), random.below(count))
            guard first != second else { continue }
            hashes[first] = hashes[second]
            #expect(HandleTable(hashes: hashes) { _, _ in true } == nil)
            #expect(HandleTable(hashes: hashes) { _, _ in false } != nil)
        }
    }
}
