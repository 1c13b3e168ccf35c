import ListModel

/// The rows that a section has now, told by where they were.
///
/// How many rows the section had is not known: those that no step has reached yet follow the pieces, however many.
struct Document: Sendable {
    private let section: SectionHandle
    private var pieces = PieceList()
    /// Old index of the first row that no step has reached; nil for a section that began without rows.
    private var unreached: Int?

    /// A section with its old rows.
    init(of section: SectionHandle) {
        self.section = section
        unreached = 0
    }

    /// A section that came without rows.
    init(inserted section: SectionHandle) {
        self.section = section
        unreached = nil
    }

    /// - Parameter index: Brought to the end if the section has fewer rows.
    mutating func put(_ piece: Piece, at index: Int) {
        reach(index)
        pieces.put(piece, at: min(index, pieces.rowCount))
    }

    /// Takes out the rows of `range` that stand together at its end.
    ///
    /// - Returns: Nil if there are none.
    mutating func takeLast(of range: Range<Int>) -> Piece? {
        reach(range.upperBound)
        let end = min(range.upperBound, pieces.rowCount)
        return end > range.lowerBound ? pieces.takeLast(end - range.lowerBound, before: end) : nil
    }

    /// Moves a run of rows to where they begin at `target`, an index without them.
    mutating func move(_ range: Range<Int>, to target: Int) {
        var rest = range
        while var piece = takeLast(of: rest) {
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

    /// How many pieces there are, with the one of the rows that no step has reached.
    var pieceCount: Int { pieces.pieceCount + 1 }

    /// - Parameter rowCount: How many rows the section has now.
    func forEachPiece(rowCount: Int, _ body: (Piece) -> Void) {
        pieces.forEach(body)
        guard let unreached, rowCount > pieces.rowCount else { return }
        body(Piece(source: section, isTouched: false, start: unreached, count: rowCount - pieces.rowCount))
    }

    /// Makes pieces of the rows before `index`.
    private mutating func reach(_ index: Int) {
        guard let start = unreached, index > pieces.rowCount else { return }
        let count = index - pieces.rowCount
        pieces.put(Piece(source: section, isTouched: false, start: start, count: count), at: pieces.rowCount)
        unreached = start + count
    }
}
