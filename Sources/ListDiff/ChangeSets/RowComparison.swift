import ListModel

/// A section of both states whose rows are compared.
struct ComparedSection {
    var section: SectionHandle
    var old: [ItemHandle]
    var new: [ItemHandle]
    var difference: OrderDifference

    func place(_ index: Int) -> RowPlace { RowPlace(section: section, index: index) }
}

extension RowChanges {
    /// The net difference found by looking at every row of the sections that steps name.
    ///
    /// - Complexity: O(*n* + *s* + *m* log *m*), *n* = rows of those sections, *s* = steps, *m* = runs that broke
    ///   apart.
    init(comparing sections: SectionSpan, steps: [Step], view: View) {
        let state = sections.state
        let past = state.rows(before: steps, shownOnly: view == .visible)
        let capacity = state.itemHandleCount
        var placed: HandleMask<ItemHandle>?
        var compared: [ComparedSection] = []
        for (section, old) in past.rows.sorted(by: { $0.key.index < $1.key.index }) where sections.survives(section) {
            let new = state.rows(of: section, view: view)
            let difference = OrderDifference(from: old, to: new) {
                let mask = placed ?? HandleMask(past.placed, capacity: capacity)
                placed = mask
                return mask
            }
            compared.append(ComparedSection(section: section, old: old, new: new, difference: difference))
        }
        self.init(comparing: compared)
    }

    /// The net difference of sections that are in both states.
    ///
    /// - Parameter compared: The sections, in the order of their handles.
    init(comparing compared: [ComparedSection]) {
        var departures = Self.departures(from: compared)
        for section in compared { addArrivals(in: section, from: &departures) }
        for section in compared { addRemovals(in: section, departures) }
    }

    /// The rows that left each section, with their old places; nil if none of them can have arrived in another section.
    private static func departures(from sections: [ComparedSection]) -> [ItemHandle: RowPlace]? {
        guard sections.count > 1, sections.contains(where: { !$0.difference.arrived.isEmpty }) else { return nil }
        var departures: [ItemHandle: RowPlace] = [:]
        for section in sections {
            for index in section.difference.removed { departures[section.old[index]] = section.place(index) }
        }
        return departures
    }

    /// - Parameter departures: The rows that left a section. Rows that arrive here are taken out.
    private mutating func addArrivals(in section: ComparedSection, from departures: inout [ItemHandle: RowPlace]?) {
        let firstMove = moved.count
        for move in section.difference.moved {
            moved.append(Move(from: section.place(move.from), to: section.place(move.to)))
        }
        for index in section.difference.arrived {
            if let source = departures?.removeValue(forKey: section.new[index]) {
                moved.append(Move(from: source, to: section.place(index)))
            } else {
                arrived.append(section.place(index))
            }
        }
        moved[firstMove...].sort { $0.to.index < $1.to.index }
    }

    /// - Parameter departures: The rows that left a section and arrived in none; nil if no row arrived anywhere.
    private mutating func addRemovals(in section: ComparedSection, _ departures: [ItemHandle: RowPlace]?) {
        for index in section.difference.removed {
            let handle = section.old[index]
            if let departures, departures[handle] == nil { continue }
            removed.append(Removal(handle: handle, place: section.place(index)))
        }
    }
}
