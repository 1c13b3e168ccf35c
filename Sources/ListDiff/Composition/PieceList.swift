import ListModel

/// Rows that stand together: a run of the old rows of one section in their old order, or new rows.
struct Piece: Sendable, Equatable {
    /// The section in which the rows stood; nil if they are new.
    var source: SectionHandle?
    /// Whether an operation placed them.
    var isTouched: Bool
    /// Old index of the first one; 0 if they are new.
    var start: Int
    var count: Int

    static let newRow = Piece(source: nil, isTouched: true, start: 0, count: 1)

    /// Whether both are one piece if this one stands right behind `other`.
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

/// A sequence of rows as pieces, in chunks that know how many rows they hold.
///
/// Indexes are those of rows. Neighbours in a chunk that continue each other are one piece.
///
/// - Complexity: O(√*p*) for one change, *p* = number of pieces, with a factor so small that it hardly shows: one
///   chunk is searched, and the counts of all others.
struct PieceList: Sendable {
    private static let chunkMax = 64

    private var chunks: [Chunk] = []
    private(set) var rowCount = 0

    /// - Parameter row: In `0...rowCount`.
    mutating func put(_ piece: Piece, at row: Int) {
        if chunks.isEmpty { chunks.append(Chunk()) }
        let (chunk, offset) = locate(row)
        chunks[chunk].put(piece, at: offset)
        rowCount += piece.count
        fit(chunk)
    }

    /// Takes out the piece that ends at `end`, or its last `countMax` rows if it has more.
    ///
    /// - Parameter end: In `1...rowCount`.
    mutating func takeLast(_ countMax: Int, before end: Int) -> Piece {
        let (chunk, offset) = locate(end)
        let piece = chunks[chunk].takeLast(countMax, before: offset)
        rowCount -= piece.count
        fit(chunk)
        return piece
    }

    func forEach(_ body: (Piece) -> Void) {
        for chunk in chunks { chunk.pieces.forEach(body) }
    }

    /// The chunk that holds the row before `row`, and what `row` is in it.
    private func locate(_ row: Int) -> (chunk: Int, offset: Int) {
        var chunk = 0
        var offset = row
        while offset > chunks[chunk].rowCount {
            offset -= chunks[chunk].rowCount
            chunk += 1
        }
        return (chunk, offset)
    }

    private mutating func fit(_ chunk: Int) {
        if chunks[chunk].pieces.isEmpty {
            chunks.remove(at: chunk)
        } else if chunks[chunk].pieces.count > Self.chunkMax {
            let upperHalf = chunks[chunk].splitInHalf()
            chunks.insert(upperHalf, at: chunk + 1)
        }
    }
}

private struct Chunk: Sendable {
    private(set) var pieces: [Piece] = []
    private(set) var rowCount = 0

    mutating func put(_ piece: Piece, at row: Int) {
        let index = split(at: row)
        pieces.insert(piece, at: index)
        rowCount += piece.count
        join(at: index + 1)
        join(at: index)
    }

    mutating func takeLast(_ countMax: Int, before end: Int) -> Piece {
        let last = split(at: end) - 1
        let index = split(at: end - min(countMax, pieces[last].count))
        let piece = pieces.remove(at: index)
        rowCount -= piece.count
        join(at: index)
        return piece
    }

    mutating func splitInHalf() -> Chunk {
        var upperHalf = Chunk()
        upperHalf.pieces = Array(pieces[(pieces.count / 2)...])
        upperHalf.rowCount = upperHalf.pieces.reduce(0) { $0 + $1.count }
        pieces.removeLast(upperHalf.pieces.count)
        rowCount -= upperHalf.rowCount
        return upperHalf
    }

    /// Makes a piece begin at `row`, or end there.
    ///
    /// - Returns: The index of the piece that begins there.
    private mutating func split(at row: Int) -> Int {
        var index = 0
        var offset = row
        while offset > 0, offset >= pieces[index].count {
            offset -= pieces[index].count
            index += 1
        }
        guard offset > 0 else { return index }
        let piece = pieces[index]
        pieces[index] = piece.rows(0..<offset)
        pieces.insert(piece.rows(offset..<piece.count), at: index + 1)
        return index + 1
    }

    /// Makes a piece and the one before it one, if they are.
    private mutating func join(at index: Int) {
        guard index > 0, index < pieces.count, pieces[index].continues(pieces[index - 1]) else { return }
        pieces[index - 1].count += pieces[index].count
        pieces.remove(at: index)
    }
}
