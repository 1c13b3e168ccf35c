import TestSupport
import Testing

@testable import ListModel

@Suite struct RowListTests {
    /// Otherwise each of these rows would get its own chunk, and every later change would have the cost of all these
    /// chunks.
    @Test("rows put one by one at the end of a full chunk share the chunks behind it")
    func oneAfterAnotherBehindAFullChunk() {
        var (rows, names) = (RowList(), ChunkNames())
        for _ in 0..<4_096 { names.append(-1) }
        for index in 0..<512 { rows.insert([Row(ItemHandle(index), isShown: true)], at: index, &names) }
        #expect(rows.chunkCount == 1)
        for index in 512..<4_096 { rows.insert([Row(ItemHandle(index), isShown: true)], at: 512, &names) }
        #expect(rows[0..<rows.count].map(\.item.index) == Array(0..<512) + (512..<4_096).reversed())
        #expect(rows.chunkCount <= 4_096 / 128)
    }

    /// A reader holds a copy while the list is written to.
    @Test("copies stay as they were", arguments: UInt64(1)...6)
    func copies(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (rows, names) = (RowList(), ChunkNames())
        for _ in 0..<20_000 { names.append(-1) }
        var expected: [Row] = []
        var unused = (0..<20_000).map { Row(ItemHandle($0), isShown: true) }
        var copies: [(RowList, ChunkNames, [Row])] = []
        for step in 0..<150 {
            let index = random.below(expected.count + 1)
            switch random.below(4) {
            case 0, 1:
                let new = Array(unused.suffix(random.once(in: 10) ? random.below(1_500) : random.below(5)))
                unused.removeLast(new.count)
                expected.insert(contentsOf: new, at: index)
                rows.insert(new, at: index, &names)
            case 2:
                let end = min(expected.count, index + (random.once(in: 10) ? random.below(1_500) : random.below(5)))
                unused += expected[index..<end].map { Row($0.item, isShown: true) }
                expected.removeSubrange(index..<end)
                _ = rows.remove(index..<end, &names)
            default:
                let end = min(expected.count, index + random.below(100))
                let isShown = random.once(in: 2)
                for offset in index..<end { expected[offset] = Row(expected[offset].item, isShown: isShown) }
                if index < end { rows.setShown(isShown, index..<end) }
            }
            guard step.isMultiple(of: 15) else { continue }
            try require(rows, names, expected, step)
            copies.append((rows, names, expected))
        }
        for (step, copy) in copies.enumerated() { try require(copy.0, copy.1, copy.2, step) }
    }

    private func require(_ rows: RowList, _ names: ChunkNames, _ expected: [Row], _ step: Int) throws {
        let shown = expected.filter(\.isShown).map(\.item)
        // The comparison is outside of the macro, which would keep both values.
        let isSame = rows[0..<rows.count] == expected && rows.shownItems(0..<rows.shownCount) == shown
        try #require(isSame, "step \(step)")
        for index in stride(from: 0, to: expected.count, by: 137) {
            let row = expected[index]
            let isFound = rows.index(of: row.item, names) == index && rows.isShown(row.item, names) == row.isShown
            try #require(isFound, "step \(step)")
        }
    }
}
