import ListModel

/// Many steps as one: where each row that a view has now was before the first of them.
///
/// It grows with the steps and not with the list: rows that no step names are runs of indexes, however long. A kept
/// composition can take further steps, and copies share what they have in common.
///
/// Indexes of steps are those of the rows just before each; "old" is before the first step.
struct Composition: Sendable {
    /// False after a step that wrote whole orders: the rows before and after have to be compared then.
    private(set) var canCompose = true
    /// How many steps, and rows in them, it has taken: the work that a whole comparison would have saved.
    private(set) var cost = 0
    /// The sections whose rows steps named.
    private(set) var documents: [SectionHandle: Document] = [:]
    /// Old rows that are gone, one in each piece.
    private(set) var goneRows: [ItemHandle: Piece] = [:]

    /// Adds the step that follows those added before.
    ///
    /// - Complexity: O(*r* + log *s*), *r* = handles in the step, *s* = steps so far.
    mutating func append(_ step: Step) {
        cost += 1
        switch step {
        case .insertSection, .deleteSection:
            break  // Without rows, which come and go by steps of their own.
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

    /// What the rows of handles are: old ones that come back, or new ones.
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
