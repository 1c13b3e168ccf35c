import ListModel
import TestSupport
import Testing

@testable import ListDiff

@Suite struct CompositionPieceListTests {
    /// Compares with an array of single rows. The list is long enough for many chunks to be split and to become empty.
    @Test(arguments: UInt64(1)...12)
    func agreesWithAnArrayOfRows(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var list = PieceList()
        var rows: [Piece] = []
        var next = 0
        for round in 0..<3000 {
            // The list grows, and then shrinks to nothing.
            if rows.isEmpty || random.below(3000) > round {
                let piece = Self.piece(&next, &random)
                let index = random.below(rows.count + 1)
                list.put(piece, at: index)
                rows.insert(contentsOf: Self.rows(piece), at: index)
            } else {
                let end = 1 + random.below(rows.count)
                let count = 1 + random.below(12)
                let piece = list.takeLast(count, before: end)
                try #require((1...count).contains(piece.count))
                try #require(Array(rows[(end - piece.count)..<end]) == Self.rows(piece))
                rows.removeSubrange((end - piece.count)..<end)
            }
            try #require(list.rowCount == rows.count)
            if round % 100 == 0 { try #require(Self.rows(list) == rows) }
        }
        #expect(Self.rows(list) == rows)
        #expect(list.pieceCount == Self.pieces(list).count)
    }

    /// Each of the orders in which four parts can come.
    @Test(arguments: 0..<24)
    func piecesThatContinueEachOtherAreOne(number: Int) {
        let run = Piece(source: SectionHandle(1), isTouched: false, start: 10, count: 20)
        var list = PieceList()
        var rest = [0, 1, 2, 3]
        var placed: [Int] = []
        for choice in [number / 6, number % 6 / 2, number % 2, 0] {
            let part = rest.remove(at: choice)
            list.put(run.rows((5 * part)..<(5 * part + 5)), at: 5 * placed.count(where: { $0 < part }))
            placed.append(part)
        }
        #expect(Self.pieces(list) == [run])
        var touched = list.takeLast(5, before: 10)
        touched.isTouched = true
        list.put(touched, at: 5)
        #expect(Self.pieces(list) == [run.rows(0..<5), touched, run.rows(10..<20)])
    }

    @Test func takesNoMoreThanAPieceAndNoMoreThanAskedFor() {
        var list = PieceList()
        let run = Piece(source: SectionHandle(1), isTouched: false, start: 10, count: 20)
        list.put(run, at: 0)
        list.put(.newRow, at: 8)
        #expect(list.takeLast(50, before: 8) == run.rows(0..<8))
        #expect(list.takeLast(3, before: 5) == run.rows(9..<12))
        #expect(list.takeLast(50, before: 2) == run.rows(8..<9))
        #expect(list.takeLast(50, before: 1) == .newRow)
        #expect(list.rowCount == 8)
    }

    private static func piece(_ next: inout Int, _ random: inout SeededGenerator) -> Piece {
        let count = 1 + random.below(4)
        defer { next += count + random.below(2) }
        guard !random.once(in: 4) else { return Piece(source: nil, isTouched: true, start: 0, count: count) }
        return Piece(source: SectionHandle(random.below(2)), isTouched: random.once(in: 2), start: next, count: count)
    }

    private static func rows(_ piece: Piece) -> [Piece] {
        (0..<piece.count).map { piece.rows($0..<($0 + 1)) }
    }

    private static func rows(_ list: PieceList) -> [Piece] {
        pieces(list).flatMap { Self.rows($0) }
    }

    private static func pieces(_ list: PieceList) -> [Piece] {
        var pieces: [Piece] = []
        list.forEach { pieces.append($0) }
        return pieces
    }
}

@Suite struct CountTreeTests {
    @Test(arguments: UInt64(1)...20)
    func agreesWithAnArrayOfCounts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = CountTree()
        var counts: [Int] = []
        for _ in 0..<200 {
            switch random.below(4) {
            case 0:
                let count = 1 + random.below(9)
                tree.append(count)
                counts.append(count)
            case 1 where counts.count > 8:
                let element = random.below(counts.count)
                tree.remove(at: element)
                counts.remove(at: element)
            case 2 where !counts.isEmpty:
                let element = random.below(counts.count)
                tree.add(3, at: element)
                counts[element] += 3
            case 3 where counts.contains { $0 > 1 }:
                guard let element = counts.indices.filter({ counts[$0] > 1 }).randomElement(using: &random) else {
                    break
                }
                tree.split(at: element, upper: 1)
                counts[element] -= 1
                counts.insert(1, at: element + 1)
            default: break
            }
            try check(tree, counts)
        }
    }

    private func check(_ tree: CountTree, _ counts: [Int]) throws {
        var sum = 0
        for (element, count) in counts.enumerated() {
            for offset in 1...count {
                let found = tree.find(sum + offset)
                try #require(found.element == element && found.offset == offset, "\(sum + offset) in \(counts)")
            }
            sum += count
        }
        try #require(tree.find(0) == (0, 0))
    }
}
