import ListModel

/// Rows that stand together: a run of the old rows of one section in their old order, or new rows.
struct Piece: Sendable, Equatable {
    /// The section in which the rows stood; nil if the rows are new.
    var source: SectionHandle?
    /// Whether an operation placed the rows.
    var isTouched: Bool
    /// The old index of the first row; 0 if the rows are new.
    var start: Int
    var count: Int

    static let newRow = Piece(source: nil, isTouched: true, start: 0, count: 1)

    /// Whether this piece, right behind `other`, forms one piece with it.
    func continues(_ other: Piece) -> Bool {
        guard source == other.source, isTouched == other.isTouched else { return false }
        return source == nil || start == other.start + other.count
    }

    /// The rows at some offsets of this piece.
    func rows(_ offsets: Range<Int>) -> Piece {
        var piece = self
        if source != nil { piece.start += offsets.lowerBound }
        piece.count = offsets.count
        return piece
    }
}

/// The rows of a section as pieces, found by the index of a row.
///
/// An example: a thousand rows that no step has moved are one piece. A new row is put before the row at 400, and then
/// taken out again:
///
///     before                                0 to 999
///     put a new row at 400                  0 to 399 | new | 400 to 999
///     take the last 5 rows before 401       0 to 999
///
/// The last call takes the new row alone, because a call never takes more than one piece. The pieces on both sides
/// continue each other, so they become one again. Pieces lie in chunks of at most 128. A `CountTree` of the rows in
/// each chunk finds the chunk of a row. Neighbours are joined within a chunk only.
///
/// - Complexity: O(log *p*) for one change, *p* = number of pieces.
struct PieceList: Sendable {
    private static let chunkMax = 128

    private var chunks: [Chunk] = []
    private var rowCounts = CountTree()
    private(set) var rowCount = 0

    var pieceCount: Int { chunks.reduce(0) { $0 + $1.pieces.count } }

    /// - Parameter row: An index in `0...rowCount`.
    mutating func put(_ piece: Piece, at row: Int) {
        if chunks.isEmpty {
            chunks.append(Chunk())
            rowCounts.append(0)
        }
        let (chunk, offset) = rowCounts.find(row)
        chunks[chunk].put(piece, at: offset)
        rowCount += piece.count
        rowCounts.add(piece.count, at: chunk)
        fit(chunk)
    }

    /// Takes out the piece that ends at `end`, or its last `countMax` rows if it has more.
    ///
    /// - Parameter end: An index in `1...rowCount`.
    mutating func takeLast(_ countMax: Int, before end: Int) -> Piece {
        let (chunk, offset) = rowCounts.find(end)
        let piece = chunks[chunk].takeLast(countMax, before: offset)
        rowCount -= piece.count
        rowCounts.add(-piece.count, at: chunk)
        fit(chunk)
        return piece
    }

    func forEach(_ body: (Piece) -> Void) {
        for chunk in chunks { chunk.pieces.forEach(body) }
    }

    private mutating func fit(_ chunk: Int) {
        if chunks[chunk].pieces.isEmpty {
            chunks.remove(at: chunk)
            rowCounts.remove(at: chunk)
        } else if chunks[chunk].pieces.count > Self.chunkMax {
            let upperHalf = chunks[chunk].splitInHalf()
            chunks.insert(upperHalf, at: chunk + 1)
            rowCounts.split(at: chunk, upper: upperHalf.rowCount)
        }
    }
}

private struct Chunk: Sendable {
    private(set) var pieces: [Piece] = []

    var rowCount: Int { pieces.reduce(0) { $0 + $1.count } }

    mutating func put(_ piece: Piece, at row: Int) {
        var (index, offset) = find(row)
        if offset > 0 {
            let whole = pieces[index]
            index += 1
            if offset < whole.count {
                pieces[index - 1] = whole.rows(0..<offset)
                pieces.insert(whole.rows(offset..<whole.count), at: index)
            }
        }
        pieces.insert(piece, at: index)
        join(at: index + 1)
        join(at: index)
    }

    mutating func takeLast(_ countMax: Int, before end: Int) -> Piece {
        let (index, offset) = find(end)
        let whole = pieces[index]
        let taken = max(0, offset - countMax)..<offset
        switch (taken.lowerBound > 0, taken.upperBound < whole.count) {
        case (false, false):
            pieces.remove(at: index)
            join(at: index)
        case (true, false):
            pieces[index] = whole.rows(0..<taken.lowerBound)
        case (false, true):
            pieces[index] = whole.rows(taken.upperBound..<whole.count)
        case (true, true):
            pieces[index] = whole.rows(0..<taken.lowerBound)
            pieces.insert(whole.rows(taken.upperBound..<whole.count), at: index + 1)
            join(at: index + 1)
        }
        return whole.rows(taken)
    }

    mutating func splitInHalf() -> Chunk {
        let upperHalf = Chunk(pieces: Array(pieces[(pieces.count / 2)...]))
        pieces.removeLast(upperHalf.pieces.count)
        return upperHalf
    }

    /// The piece that holds the row before `row`, and the offset of `row` in it; the first piece for 0.
    private func find(_ row: Int) -> (index: Int, offset: Int) {
        var index = 0
        var offset = row
        while offset > 0, offset > pieces[index].count {
            offset -= pieces[index].count
            index += 1
        }
        return (index, offset)
    }

    /// Joins a piece with the one before it if they continue each other.
    private mutating func join(at index: Int) {
        guard index > 0, index < pieces.count, pieces[index].continues(pieces[index - 1]) else { return }
        pieces[index - 1].count += pieces[index].count
        pieces.remove(at: index)
    }
}
