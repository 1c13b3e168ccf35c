import ListModel
import ListStore
import TestSupport
import Threads

extension JournalHarness {
    /// Locks lists, and writes what `decide` returns.
    ///
    /// - Parameter place: The place in the first list behind which its entries may be read at once.
    func lock(
        _ lists: String..., waitsForFirst: Bool = false, secondsMax: Int = 30, after place: LogPlace? = nil,
        _ decide: (any LockedLists) -> [Commit]
    ) throws -> [CommitOutcome] {
        guard let locker = journal.locker else { throw BrokenRule(description: "it locks no lists") }
        let wanted = WantedLocks(lists, waitsForFirst: waitsForFirst, secondsMax: secondsMax, after: place)
        return try locker.commit(locking: wanted, decide)
    }
}

extension WantedLocks {
    fileprivate init(_ lists: [String], waitsForFirst: Bool, secondsMax: Int = 30, after place: LogPlace? = nil) {
        self.init(lists.map { ListID($0)! } as [ListID], waitsForFirst: waitsForFirst, secondsMax: secondsMax)
        if let place { places = [ListPlace(self.lists[0], place)] }
    }
}

extension LockedLists {
    fileprivate var names: [String] { ids.map(\.rawValue.string).sorted() }

    /// The texts behind a place, and the place after them.
    fileprivate func texts(after place: LogPlace, of list: String = "a") -> (texts: [String], end: LogPlace)? {
        guard let tail = (try? tails(after: [ListPlace(ListID(list)!, place)]))?[0] else { return nil }
        return (tail.entries.map { String(decoding: $0.bytes, as: UTF8.self) }, tail.end)
    }
}

/// A thread that has a list locked until it is told to go on.
private final class Locker {
    private let mayGoOn = Locked(false)
    private let thread: Thread

    /// Returns when the list is locked.
    ///
    /// - Parameter text: It is written before the lock ends; nil writes nothing.
    init(_ list: String, _ journal: JournalHarness, by other: any Journal, writing text: String? = nil) throws {
        let isLocked = Locked(false)
        let place = try journal.place(list)
        guard let locker = other.locker else { throw BrokenRule(description: "it locks no lists") }
        let commit = text.flatMap { text in place.map { journal.commit([text], to: list, if: .isAt($0)) } }
        thread = try Thread { [mayGoOn] in
            let wanted = WantedLocks([list], waitsForFirst: false)
            _ = try? locker.commit(locking: wanted) { _ in
                isLocked.change { $0 = true }
                mayGoOn.wait(until: { $0 }) { _ in }
                return commit.map { [$0] } ?? []
            }
            isLocked.change { $0 = true }
        }
        isLocked.wait(until: { $0 }) { _ in }
    }

    func goOn() { mayGoOn.change { $0 = true } }

    func end() {
        goOn()
        thread.join()
    }
}

extension JournalRule {
    /// Lists that a store locks before it decides. Some journals lock none, because nobody else writes to them.
    static let locks: [JournalRule] =
        [
            JournalRule("the commits of a locked list are written") { journal in
                let first = try journal.make()
                try journal.write("2")
                var seen: [String]?
                let outcomes = try journal.lock("a", after: first) { locked in
                    let found = locked.texts(after: first)
                    seen = found?.texts
                    return found.map { [journal.commit(["3", "4"], if: .isAt($0.end))] } ?? []
                }
                let end = LogPlace(life: first.life, position: 4)
                try expect(outcomes, [.written(end)], "outcomes")
                try expect(seen, ["2"], "behind the first entry")
                try expect(try journal.read(), ["1", "2", "3", "4"], "entries")
                try expect(try journal.write("5", if: .isAt(end)).isWritten, true, "whether others can write")
                try journal.reopen()
                try expect(try journal.read(), ["1", "2", "3", "4", "5"], "entries of a journal that was opened anew")
            },
            JournalRule("nobody else writes to a locked list") { journal in
                let (a, b) = (try journal.make("a"), try journal.make("b"))
                let other = try journal.other()
                var others: [CommitOutcome] = []
                let outcomes = try journal.lock("a") { _ in
                    let commits = [
                        journal.commit(["other 2"], to: "a", if: .isAt(a)),
                        journal.commit(["2"], to: "b", if: .isAt(b)),
                    ]
                    others = (try? other.commit(commits)) ?? []
                    return [journal.commit(["2"], if: .isAt(a))]
                }
                try expect(others.first, .locked, "a commit of the locked list")
                try expect(others.last?.isWritten, true, "whether a commit of another list was written")
                try expect(outcomes.map(\.isWritten), [true], "whether the locked list was written")
                try expect(try journal.read(), ["1", "2"], "entries")
                try expect(try journal.read("b"), ["1", "2"], "entries of the other list")
            },
            JournalRule("a list that others have locked is waited for, and read as it is then") { journal in
                let first = try journal.make()
                let locker = try Locker("a", journal, by: try journal.other(), writing: "2")
                let seen = Locked<[String]?>(nil)
                let (mine, wanted) = (journal.journal, WantedLocks(["a"], waitsForFirst: false, after: first))
                let third = journal.commit(["3"], if: .isAt(LogPlace(life: first.life, position: 2)))
                let thread = try Thread {
                    _ = try? mine.locker?.commit(locking: wanted) { locked in
                        seen.withLock { $0 = locked.texts(after: first)?.texts }
                        return [third]
                    }
                }
                locker.end()
                thread.join()
                try expect(seen.withLock { $0 }, ["2"], "behind the first entry")
                try expect(try journal.read(), ["1", "2", "3"], "entries")
            },
            JournalRule("of several lists those are locked that nobody has locked") { journal in
                for list in ["a", "b", "c"] { try journal.make(list) }
                let locker = try Locker("a", journal, by: try journal.other())
                defer { locker.end() }
                var (names, awaited): ([String], [ListID?]) = ([], [])
                let outcomes = try journal.lock("a", "b", "gone", "c", secondsMax: 2) { locked in
                    names = locked.names
                    awaited = [locked.awaited]
                    return locked.ids.map { id in
                        journal.commit(
                            ["2"], to: id.rawValue.string,
                            if: .isAt(LogPlace(life: Self.life(of: id, journal), position: 1)))
                    }
                }
                try expect(names, ["b", "c"], "the locked lists")
                try expect(awaited, [nil], "the list that was waited for")
                try expect(outcomes.map(\.isWritten), [true, true], "whether they were written")
            },
            JournalRule("the first list is waited for if it must be") { journal in
                for list in ["a", "b"] { try journal.make(list) }
                let locker = try Locker("a", journal, by: try journal.other())
                let error = journalError {
                    _ = try journal.lock("a", "b", waitsForFirst: true, secondsMax: 1) { _ in [] }
                }
                try expect(error, .moved, "the error as long as others have it locked")
                locker.end()
                var names: [String] = []
                _ = try journal.lock("a", "b", waitsForFirst: true) { locked in
                    names = locked.names
                    return []
                }
                try expect(names, ["a", "b"], "the locked lists")
            },
            JournalRule("a list that is not there is locked by nobody") { journal in
                var (names, awaited): ([String]?, ListID?) = (nil, nil)
                let outcomes = try journal.lock("gone") { locked in
                    (names, awaited) = (locked.names, locked.awaited)
                    return []
                }
                try expect(names, [], "the locked lists")
                try expect(awaited, ListID("gone"), "the list that was waited for")
                try expect(outcomes, [], "outcomes")
            },
            JournalRule("a list that others keep locked is given up") { journal in
                try journal.make()
                let locker = try Locker("a", journal, by: try journal.other())
                var isLocked = false
                let error = journalError {
                    _ = try journal.lock("a", secondsMax: 1) { _ in
                        isLocked = true
                        return []
                    }
                }
                locker.end()
                try expect(error, .moved, "the error")
                try expect(isLocked, false, "whether the list was locked")
            },
        ] + lockedConditions

    private static func life(of list: ListID, _ journal: JournalHarness) -> Int {
        (try? journal.place(list.rawValue.string))?.life ?? 0
    }

    /// The conditions of commits whose lists are locked.
    private static let lockedConditions: [JournalRule] = [
        JournalRule("a locked list is written only behind its end") { journal in
            let first = try journal.make()
            try journal.write("2")
            let outcomes = try journal.lock("a") { _ in [journal.commit(["late"], if: .isAt(first))] }
            try expect(outcomes, [.moved], "outcomes")
            try expect(try journal.read(), ["1", "2"], "entries")
        },
        JournalRule("a locked list that is not written is free afterwards") { journal in
            let first = try journal.make()
            try expect(try journal.lock("a") { _ in [] }, [], "outcomes")
            try expect(try journal.write("2", if: .isAt(first)).isWritten, true, "whether it was written")
        },
        JournalRule("a key that others have answered moves a locked list") { journal in
            guard journal.journal.isShared else { return }
            let (a, b) = (try journal.make("a"), try journal.make("b"))
            try journal.write("2", to: "b", if: .isAt(b), receipt: Receipt("key", time: 1))
            let outcomes = try journal.lock("a") { _ in
                [journal.commit(["2"], if: .isAt(a), Receipt("key", time: 2))]
            }
            try expect(outcomes, [.moved], "outcomes")
            try expect(try journal.read(), ["1"], "entries")
        },
        JournalRule("the life of a locked list can end") { journal in
            let first = try journal.make()
            let outcomes = try journal.lock("a") { _ in [journal.commit(["end"], .delete, if: .isAt(first))] }
            try expect(outcomes, [.written(nil)], "outcomes")
            try expect(try journal.read(), nil, "the list")
            try expect(try journal.make("a", "new").position, 1, "the list that is made anew")
        },
        JournalRule("a locked list of another life is not read on") { journal in
            let old = try journal.make("a", "1", "2")
            try journal.write("end", .delete)
            try journal.make("a", "1", "2", "3")
            var seen: [String]?
            _ = try journal.lock("a") { locked in
                seen = locked.texts(after: old)?.texts
                return []
            }
            try expect(seen, nil, "behind the place of the old life")
        },
    ]
}
