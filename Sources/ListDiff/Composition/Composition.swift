import ListModel

/// The net change of many steps: for each row that a view has now, the place that it had before the first step.
///
/// An example: a section has the rows a b c d e. The right column has its pieces, which name rows by their old indexes.
/// No step reaches beyond old row 3, so e is in no piece.
///
///     move the row at 0 to 3   b c d a e     1 2 3 | 0
///     delete c at 1            b d a e       1 | 3 | 0          gone: c, old row 2
///     insert x at 0            x b d a e     new | 1 | 3 | 0
///
/// The net change is read from the last line. Old row 2 is deleted. A row is inserted at 0. Of the old rows 1, 3 and 0
/// as many as possible stay in ascending order, 1 and 3, so the only move is the one from 0 to 3. If a later step
/// deleted x, the net change would not name x. If a later step inserted c again, c would be old row 2, at most moved.
///
/// A composition grows with the steps and not with the list. It can take further steps at any time, and copies share
/// what they have in common. The indexes of a step count the rows just before that step.
struct Composition: Sendable {
    /// Whether no step wrote whole orders. After such a step the rows before and after have to be compared.
    private(set) var canCompose = true
    /// The number of steps that it has taken, and of rows in them.
    private(set) var cost = 0
    /// The sections whose rows steps named.
    private(set) var documents: [SectionHandle: Document] = [:]
    /// The old rows that are gone, each as a piece of one row.
    private(set) var goneRows: [ItemHandle: Piece] = [:]

    /// Adds the step that follows those added before.
    ///
    /// - Complexity: O(*r* + log *s*), *r* = handles in the step, *s* = steps so far.
    mutating func append(_ step: Step) {
        cost += 1
        switch step {
        case .insertSection, .deleteSection:
            break  // Rows come and go by steps of their own.
        case .insertRows(let handles, let section, let index, let isPlaced):
            insert(handles, in: section, at: index, isPlaced: isPlaced)
        case .deleteRows(let handles, let section, let index):
            delete(handles, in: section, at: index)
        case .moveRows(let count, let section, let index, let target, let targetIndex):
            move(index..<(index + count), of: section, to: targetIndex, in: target)
        case .placeHiddenRows(let handles):
            cost += handles.count
            for handle in handles { goneRows[handle]?.isTouched = true }
        case .arrangeRows:
            canCompose = false
        }
    }

    private mutating func insert(_ handles: [ItemHandle], in section: SectionHandle, at index: Int, isPlaced: Bool) {
        cost += handles.count
        var index = index
        for piece in takeGone(handles, isPlaced: isPlaced) {
            documents[section, default: Document(of: section)].put(piece, at: index)
            index += piece.count
        }
    }

    /// The rows of some handles as pieces: old rows that come back, or new ones.
    private mutating func takeGone(_ handles: [ItemHandle], isPlaced: Bool) -> [Piece] {
        var pieces: [Piece] = []
        for handle in handles {
            var piece = goneRows.removeValue(forKey: handle) ?? .newRow
            piece.isTouched = piece.isTouched || isPlaced
            if let last = pieces.last, piece.continues(last) {
                pieces[pieces.endIndex - 1].count += 1
            } else {
                pieces.append(piece)
            }
        }
        return pieces
    }

    private mutating func delete(_ handles: [ItemHandle], in section: SectionHandle, at index: Int) {
        cost += handles.count
        var rest = handles[...]
        while !rest.isEmpty {
            let range = index..<(index + rest.count)
            let piece = documents[section, default: Document(of: section)].takeLast(of: range)
            let gone = rest.suffix(piece.count)
            rest = rest.dropLast(piece.count)
            guard piece.source != nil else { continue }
            for (offset, handle) in gone.enumerated() { goneRows[handle] = piece.rows(offset..<(offset + 1)) }
        }
    }

    private mutating func move(_ range: Range<Int>, of section: SectionHandle, to index: Int, in target: SectionHandle)
    {
        guard section != target else {
            return documents[section, default: Document(of: section)].move(range, to: index)
        }
        var rest = range
        while !rest.isEmpty {
            var piece = documents[section, default: Document(of: section)].takeLast(of: rest)
            rest = rest.dropLast(piece.count)
            piece.isTouched = true
            documents[target, default: Document(of: target)].put(piece, at: index)
        }
    }
}
