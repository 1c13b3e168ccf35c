import ListModel

/// The rows that a section has now, told by where they were.
///
/// How many rows the section had is not known, and does not matter: the old rows that no step has reached follow the
/// pieces in their old order, however many there are.
struct Document: Sendable {
    private let section: SectionHandle
    private(set) var pieces = PieceList()
    /// Old index of the first row that no step has reached.
    private var unreached = 0

    /// A section with its old rows, or one that has come without rows.
    init(of section: SectionHandle) {
        self.section = section
    }

    mutating func put(_ piece: Piece, at index: Int) {
        reach(index)
        pieces.put(piece, at: index)
    }

    /// Takes out the rows of `range` that stand together at its end.
    ///
    /// - Parameter range: Not empty.
    mutating func takeLast(of range: Range<Int>) -> Piece {
        reach(range.upperBound)
        return pieces.takeLast(range.count, before: range.upperBound)
    }

    /// Moves a run of rows to where they begin at `target`, an index without them.
    mutating func move(_ range: Range<Int>, to target: Int) {
        var rest = range
        while !rest.isEmpty {
            var piece = takeLast(of: rest)
            piece.isTouched = true
            // The rest of the run stands before the target still, or gets shifted behind it.
            if target > range.lowerBound {
                rest = rest.dropLast(piece.count)
                put(piece, at: target + rest.count)
            } else {
                rest = rest.dropFirst(piece.count)
                put(piece, at: target)
            }
        }
    }

    /// Makes pieces of the rows before `index`.
    private mutating func reach(_ index: Int) {
        guard index > pieces.rowCount else { return }
        let count = index - pieces.rowCount
        pieces.put(Piece(source: section, isTouched: false, start: unreached, count: count), at: pieces.rowCount)
        unreached += count
    }
}
