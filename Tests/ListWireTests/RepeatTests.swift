import TestSupport
import Testing

@testable import ListWire

@Suite struct RepeatTests {
    /// `hasRepeats` against a set, with few and many values, so that most arrays of some lengths have repeats and most of
    /// others have none.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func aTableFindsWhatASetFinds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var found = 0
        for _ in 0..<500 {
            let count = Int.random(in: 0...70, using: &random)
            let values = (0..<count).map { _ in Int.random(in: 0...(count * count), using: &random) }
            #expect(values.hasRepeats == (Set(values).count < count))
            if values.hasRepeats { found += 1 }
        }
        #expect((50...450).contains(found))
    }

    @Test func theLastElementCounts() {
        for count in [1, 2, 3, 5, 6, 1_000] {
            #expect(!Array(0..<count).hasRepeats)
            #expect((Array(0..<count) + [0]).hasRepeats)
        }
    }
}
