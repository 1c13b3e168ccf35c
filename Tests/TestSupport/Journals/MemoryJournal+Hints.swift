public import ListStore
import Threads

extension MemoryJournal {
    /// The last entry of a list, if there is no other behind the place. Only every second entry comes with its hint, so
    /// that tests have both.
    public func heard(after one: ListPlace) -> Tail? {
        state.withLock { state in
            guard let life = state.lives[one.list], life.number == one.place.life, let last = life.entries.last,
                life.end.position == one.place.position + 1, life.end.position.isMultiple(of: 2)
            else { return nil }
            return Tail([last], end: life.end)
        }
    }
}
