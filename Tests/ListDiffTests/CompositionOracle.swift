import ListModel

@testable import ListDiff

/// The net difference of two states, computed slowly and simply: with sets, and by the definition of the rows that
/// stay.
extension RowChanges {
    /// - Parameter touched: The rows that operations placed in between.
    init(from old: RowModel, to new: RowModel, touched: Set<ItemHandle>) {
        self.init()
        let oldPlaces = old.places
        let newPlaces = new.places
        let surviving = Set(old.sections.keys).intersection(new.sections.keys)
        for section in old.handles where surviving.contains(section) {
            for (index, row) in old.sections[section, default: []].enumerated() where newPlaces[row] == nil {
                removed.append(Removal(handle: row, place: RowPlace(section: section, index: index)))
            }
        }
        for section in new.handles {
            let rows = new.sections[section, default: []]
            let staying = Self.staying(in: rows, of: section, oldPlaces, touched)
            for (index, row) in rows.enumerated() {
                let place = RowPlace(section: section, index: index)
                let source = oldPlaces[row].flatMap { surviving.contains($0.section) ? $0 : nil }
                switch (source, surviving.contains(section)) {
                case (nil, false): break
                case (nil, true): arrived.append(place)
                case (let source?, false): entered.append(Move(from: source, to: place))
                case (let source?, true) where !staying.contains(row): moved.append(Move(from: source, to: place))
                case (.some, true): break
                }
            }
        }
    }

    /// The rows that stay: of all sequences of rows that keep their order, the longest; of those, the one with the most
    /// untouched rows; of those, the one whose rows stood earliest.
    private static func staying(
        in rows: [ItemHandle], of section: SectionHandle, _ oldPlaces: [ItemHandle: RowPlace],
        _ touched: Set<ItemHandle>
    ) -> Set<ItemHandle> {
        let common = rows.filter { oldPlaces[$0]?.section == section }
        let olds = common.compactMap { oldPlaces[$0]?.index }
        // For each row the weight of the best sequence that begins there: 1,000 for each of its rows, and 1 for each
        // untouched one.
        var weights = [Int](repeating: 0, count: common.count)
        var next = [Int?](repeating: nil, count: common.count)
        func best(after first: Int, above old: Int) -> Int? {
            var best: Int?
            var candidate = first
            while candidate < common.count {
                if olds[candidate] > old {
                    if let other = best {
                        let isBetter =
                            weights[candidate] == weights[other]
                            ? olds[candidate] < olds[other] : weights[candidate] > weights[other]
                        if isBetter { best = candidate }
                    } else {
                        best = candidate
                    }
                }
                candidate += 1
            }
            return best
        }
        for index in common.indices.reversed() {
            next[index] = best(after: index + 1, above: olds[index])
            weights[index] = 1000 + (touched.contains(common[index]) ? 0 : 1) + (next[index].map { weights[$0] } ?? 0)
        }
        var staying: Set<ItemHandle> = []
        var index = best(after: 0, above: -1)
        while let current = index {
            staying.insert(common[current])
            index = next[current]
        }
        return staying
    }

    /// The rows after a batch update; nil if it cannot be carried out.
    ///
    /// - Parameter new: The rows after the changes. Only rows that came, and sections that came or went, are taken from
    ///   them, as a client gets them with the changes.
    func replayed(on old: RowModel, with new: RowModel) -> RowModel? {
        var taken: Set<ItemHandle> = []
        func takeOut(_ place: RowPlace) -> ItemHandle? {
            guard let row = old[place], taken.insert(row).inserted else { return nil }
            return row
        }
        for removal in removed {
            guard takeOut(removal.place) == removal.handle else { return nil }
        }
        for entry in entered {
            guard let row = takeOut(entry.from), new[entry.to] == row else { return nil }
            guard old.sections[entry.to.section] == nil else { return nil }
        }
        var placed: [SectionHandle: [Int: ItemHandle]] = [:]
        for move in moved {
            guard let row = takeOut(move.from), placed[move.to.section]?[move.to.index] == nil else { return nil }
            placed[move.to.section, default: [:]][move.to.index] = row
        }
        for place in arrived {
            guard let row = new[place], placed[place.section]?[place.index] == nil else { return nil }
            placed[place.section, default: [:]][place.index] = row
        }
        var result = RowModel()
        for (section, newRows) in new.sections {
            guard let remaining = old.sections[section]?.filter({ !taken.contains($0) }) else {
                result.sections[section] = newRows
                continue
            }
            guard let filled = Self.fill(remaining, with: placed[section] ?? [:]) else { return nil }
            result.sections[section] = filled
        }
        return result
    }

    /// Places rows at their final indexes, and fills the gaps with the remaining rows.
    private static func fill(_ remaining: [ItemHandle], with placed: [Int: ItemHandle]) -> [ItemHandle]? {
        var rest = remaining[...]
        var result: [ItemHandle] = []
        while result.count < remaining.count + placed.count {
            guard let row = placed[result.count] ?? rest.popFirst() else { return nil }
            result.append(row)
        }
        return result
    }
}
