public import ListStore

extension MemoryJournal: TakesWholeLists {
    public func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        try open { state in
            var outcomes: [CommitOutcome] = []
            for list in lists {
                let hasMoved = state.fault == .movesWholeTogether && outcomes.contains(.moved)
                outcomes.append(hasMoved ? .moved : state.write(list))
            }
            return outcomes
        }
    }
}

extension MemoryJournal.State {
    fileprivate mutating func write(_ whole: WholeList) -> CommitOutcome {
        if let life = lives[whole.list] {
            guard fault == (life.isRetired ? .writesWholeOverRetired : .writesWholeOverLiving) else { return .moved }
        }
        if fault != .usesLifeOfWholeAgain || lifeCount == 0 { lifeCount += 1 }
        var life = MemoryJournal.Life(number: lifeCount)
        // Nobody reads the entries that the snapshot stands for.
        let covered = JournalEntry(list: whole.list, kind: .append, bytes: [], receipt: nil)
        if fault != .countsWholeFromSnapshot {
            life.entries = Array(repeating: covered, count: whole.covered)
            life.covered = whole.covered
        }
        if fault != .losesEntriesOfWhole { life.entries += whole.entries }
        if !whole.chunks.isEmpty, fault != .losesSnapshotOfWhole {
            life.snapshot = [
                SnapshotPart(
                    list: whole.list, life: life.number, position: whole.covered, first: 0, chunks: whole.chunks,
                    isLast: true)
            ]
        }
        lives[whole.list] = life
        log += whole.entries
        return .written(life.end)
    }
}
