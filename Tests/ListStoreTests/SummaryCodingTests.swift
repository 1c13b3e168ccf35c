import ListModel
import TestSupport
import Testing

@testable import ListStore

/// The bytes of a stored summary.
@Suite struct SummaryCodingTests {
    private static let placed = PlacedSummary(
        summary: ListSummary(
            id: ListID("a")!, title: "Ti\u{301}tle", version: Version(epoch: "e1", revision: 1 << 52),
            counts: ListCounts(sections: 3, items: 500, visibleItems: 0), creator: "ci", bytes: 77),
        place: LogPlace(life: 3, position: 7))

    @Test func comesBack() {
        #expect(ListSummary(Self.placed.stored) == Self.placed.summary)
        #expect(Self.placed.stored.place == LogPlace(life: 3, position: 7) && Self.placed.stored.list.rawValue == "a")
    }

    /// Bytes of another format, or that end early or late, are no summary.
    @Test func otherBytesAreNoSummary() {
        var stored = Self.placed.stored
        let bytes = stored.bytes
        for count in bytes.indices {
            stored.bytes = Array(bytes[..<count])
            #expect(ListSummary(stored) == nil)
        }
        stored.bytes = bytes + [0]
        #expect(ListSummary(stored) == nil)
        stored.bytes = [3] + bytes.dropFirst()
        #expect(ListSummary(stored) == nil)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1_000 {
            stored.bytes = bytes
            stored.bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = ListSummary(stored)
        }
    }
}
