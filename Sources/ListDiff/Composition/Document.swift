import ListModel

/// The rows that a section has now, as pieces of old rows and of new ones.
///
/// The number of old rows is unknown and does not matter: the old rows that no step has reached follow the pieces in
/// their old order.
struct Document: Sendable {
    private let section: SectionHandle
    private(set) var pieces = PieceList()
    /// The old index of the first row that no step has reached.
    private var unreached = 0

    /// A section with its old rows, or one that was inserted without rows.
    init(of section: SectionHandle) {
        self.section = section
    }

    mutating func put(_ piece: Piece, at index: Int) {
        reach(index)
        pieces.put(piece, at: index)
    }

    /// Takes out the last rows of `range` that form one piece.
    ///
    /// - Parameter range: A range of rows that is not empty.
    mutating func takeLast(of range: Range<Int>) -> Piece {
        reach(range.upperBound)
        return pieces.takeLast(range.count, before: range.upperBound)
    }

    /// Moves a run of rows so that it begins at `target`, an index among the other rows.
    mutating func move(_ range: Range<Int>, to target: Int) {
        var rest = range
        while !rest.isEmpty {
            var piece = takeLast(of: rest)
            piece.isTouched = true
            // If the run moves towards the end, its rest still stands before the target. Otherwise the piece has
            // shifted the rest.
            if target > range.lowerBound {
                rest = rest.dropLast(piece.count)
                put(piece, at: target + rest.count)
            } else {
                rest = rest.dropFirst(piece.count)
                put(piece, at: target)
            }
        }
    }

    /// Turns rows that no step has reached into pieces, up to `index`.
    private mutating func reach(_ index: Int) {
        guard index > pieces.rowCount else { return }
        let count = index - pieces.rowCount
        pieces.put(Piece(source: section, isTouched: false, start: unreached, count: count), at: pieces.rowCount)
        unreached += count
    }
}
