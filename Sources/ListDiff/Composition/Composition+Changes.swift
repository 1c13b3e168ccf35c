import ListModel

extension Composition {
    /// The net difference that all steps together make, with the fewest moves.
    ///
    /// If several sets of moves are equally few, the rows that no operation placed stay, then the rows that were
    /// earlier in the old order. Rows that no step has reached stand last in both orders, so they always stay and are
    /// not weighed.
    ///
    /// - Parameters:
    ///   - isUntouchedFirst: Whether rows that no operation placed stay even if this takes more moves.
    ///   - survives: Whether a section was there before the first step and is there after the last one.
    /// - Returns: Nil unless `canCompose`.
    /// - Complexity: O(*s* log *s* + *r*), *s* = steps and handles in them, *r* = rows that it names.
    func changes(isUntouchedFirst: Bool = false, survives: (SectionHandle) -> Bool) -> RowChanges? {
        guard canCompose else { return nil }
        var changes = RowChanges()
        changes.addRemovals(goneRows, survives: survives)
        for (section, document) in documents.sorted(by: { $0.key.index < $1.key.index }) {
            if survives(section) {
                changes.addChanges(
                    in: section, document.pieces, isUntouchedFirst: isUntouchedFirst, survives: survives)
            } else {
                // The section is new, or it is gone and has no rows.
                changes.addEntries(to: section, document.pieces, survives: survives)
            }
        }
        return changes
    }
}

extension RowPlace {
    fileprivate func isBefore(_ other: RowPlace) -> Bool {
        section == other.section ? index < other.index : section.index < other.section.index
    }
}

extension RowChanges {
    fileprivate mutating func addRemovals(_ rows: [ItemHandle: Piece], survives: (SectionHandle) -> Bool) {
        for (handle, row) in rows {
            guard let section = row.source, survives(section) else { continue }
            removed.append(Removal(handle: handle, place: RowPlace(section: section, index: row.start)))
        }
        removed.sort { $0.place.isBefore($1.place) }
    }

    /// Adds the rows that went from a section of both versions into an inserted section.
    fileprivate mutating func addEntries(
        to section: SectionHandle, _ pieces: PieceList, survives: (SectionHandle) -> Bool
    ) {
        var index = 0
        pieces.forEach { piece in
            if let source = piece.source, survives(source) {
                entered += Self.moves(piece.count, source, piece.start, section, index)
            }
            index += piece.count
        }
    }

    /// Adds the rows that came into a section of both versions, and those that moved within it.
    fileprivate mutating func addChanges(
        in section: SectionHandle, _ pieces: PieceList, isUntouchedFirst: Bool, survives: (SectionHandle) -> Bool
    ) {
        let firstMove = moved.count
        var blocks: [Block] = []
        blocks.reserveCapacity(pieces.pieceCount)
        var index = 0
        pieces.forEach { piece in
            if piece.source == section {
                Self.add(piece, at: index, to: &blocks)
            } else if let source = piece.source, survives(source) {
                moved += Self.moves(piece.count, source, piece.start, section, index)
            } else {
                arrived += (index..<(index + piece.count)).map { RowPlace(section: section, index: $0) }
            }
            index += piece.count
        }
        let hasCome = moved.count > firstMove
        for (block, stays) in zip(blocks, stayingBlocks(blocks, isUntouchedFirst: isUntouchedFirst)) where !stays {
            moved += Self.moves(block.count, section, block.old, section, block.new)
        }
        if hasCome { moved[firstMove...].sort { $0.to.index < $1.to.index } }
    }

    /// Rows that are neighbours in both orders are one block, touched or not: either all of them stay or none.
    private static func add(_ piece: Piece, at index: Int, to blocks: inout [Block]) {
        let untouched = piece.isTouched ? 0 : piece.count
        if let last = blocks.last, last.old + last.count == piece.start, last.new + last.count == index {
            blocks[blocks.endIndex - 1].count += piece.count
            blocks[blocks.endIndex - 1].untouched += untouched
        } else {
            blocks.append(Block(old: piece.start, new: index, count: piece.count, untouched: untouched))
        }
    }

    private static func moves(
        _ count: Int, _ source: SectionHandle, _ old: Int, _ target: SectionHandle, _ new: Int
    ) -> some Sequence<Move> {
        (0..<count).lazy.map { offset in
            Move(
                from: RowPlace(section: source, index: old + offset),
                to: RowPlace(section: target, index: new + offset))
        }
    }
}
