import ListModel
import TestSupport
import Testing

@testable import ListStore

/// Compares random changes with a sorted array.
@Suite struct OrderedIDsTests {
    private static func id(_ number: Int) -> ListID { ListID("list-\(number)")! }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func agreesWithASortedArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let range = [40, 4_000].randomElement(using: &random)!
        var known = Set((0..<range).filter { _ in random.once(in: 2) })
        var ids = OrderedIDs(known.map(Self.id).shuffled(using: &random))
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<range, using: &random)
            if random.once(in: 2) {
                ids.insert(Self.id(number))
                known.insert(number)
            } else {
                ids.remove(Self.id(number))
                known.remove(number)
            }
        }
        let sorted = known.map(Self.id).sorted { $0.rawValue < $1.rawValue }
        #expect(ids.ids(after: nil, limit: .max) == sorted)
        #expect(ids.count == sorted.count)
        for number in 0..<range {
            let id = Self.id(number)
            #expect(ids.contains(id) == known.contains(number))
            guard random.once(in: 50) else { continue }
            let limit = Int.random(in: 0...1_500, using: &random)
            #expect(ids.ids(after: id, limit: limit) == Array(sorted.drop { $0.rawValue <= id.rawValue }.prefix(limit)))
        }
    }

    @Test func idsThatComeInOrder() {
        var ids = OrderedIDs()
        let all = (0..<3_000).map { Self.id(10_000 + $0) }
        for id in all { ids.insert(id) }
        #expect(ids.ids(after: nil, limit: .max) == all)
        for id in all.reversed() { ids.remove(id) }
        #expect(ids.ids(after: nil, limit: 1).isEmpty && !ids.contains(all[0]))
    }
}
