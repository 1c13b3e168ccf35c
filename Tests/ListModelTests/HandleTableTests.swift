import TestSupport
import Testing

@testable import ListModel

@Suite struct HandleTableTests {
    /// Two names have one hash by chance or never: here they are given one.
    @Test("many ids of one hash, found and removed one by one", arguments: [0, -1, 0x5555_AAAA, Int.max, Int.min])
    func oneHash(hash: Int) {
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

    /// Against a dictionary: hashes of few bits, low or high ones, so that many meet in a page or in a slot.
    @Test("random hashes that meet often", arguments: UInt64(1)...10)
    func meetingHashes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let shift = [0, 8, 24, 25][Int(seed) % 4]
        var table = HandleTable()
        var alive: [(handle: Int32, hash: Int)] = []
        for handle in Int32(0)..<1_000 {
            let hash = random.below(64) << shift | random.below(64)
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
}
