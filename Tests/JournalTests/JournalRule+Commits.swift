import ListModel
import ListStore
import TestSupport
import Threads

extension JournalRule {
    /// Commits, their conditions and their outcomes.
    static let commits: [JournalRule] = [
        JournalRule("the place behind a commit is told") { journal in
            let first = try journal.make("a", "1", "2")
            try expect(first.position, 2, "after two entries")
            let next = LogPlace(life: first.life, position: 3)
            try expect(try journal.write("3", if: .isAt(first)), .written(next), "a third entry")
            try expect(try journal.place(), next, "the end")
        },
        JournalRule("the entries of a commit keep their order") { journal in
            try journal.make("a", "1", "2", "3")
            try expect(try journal.read(), ["1", "2", "3"], "entries")
        },
        JournalRule("a commit at another place than the end has moved") { journal in
            let first = try journal.make()
            try journal.write("2", if: .isAt(first))
            try expect(try journal.write("other 2", if: .isAt(first)), .moved, "behind the first entry again")
            let ahead = LogPlace(life: first.life, position: 9)
            try expect(try journal.write("far", if: .isAt(ahead)), .moved, "behind an entry that is not there")
            try expect(try journal.read(), ["1", "2"], "entries")
        },
        JournalRule("a list is made only if it is not there") { journal in
            try journal.make()
            try expect(try journal.write("other", .create, if: .isNew), .moved, "made again")
            try expect(try journal.read(), ["1"], "entries")
        },
        JournalRule("a commit without condition is written after whatever is there") { journal in
            try journal.make()
            try journal.write("2")
            try journal.write("3", if: .unconditional)
            try expect(try journal.read(), ["1", "2", "3"], "entries")
        },
        JournalRule("a list that has moved says nothing of the others") { journal in
            let a = try journal.make("a")
            let b = try journal.make("b")
            try journal.write("2", to: "a")
            let outcomes = try journal.journal.commit([
                journal.commit(["late"], to: "a", if: .isAt(a)), journal.commit(["2"], to: "b", if: .isAt(b)),
                journal.commit(["1"], to: "c", .create, if: .isNew),
            ])
            try expect(outcomes.map { $0 == .moved }, [true, false, false], "which have moved")
            try expect(try journal.read("b"), ["1", "2"], "b")
            try expect(try journal.read("c"), ["1"], "c")
        },
        JournalRule("a later commit of a list moves with the earlier one") { journal in
            let a = try journal.make("a")
            try journal.write("2")
            let outcomes = try journal.journal.commit([
                journal.commit(["late"], if: .isAt(a)), journal.commit(["later"]),
            ])
            try expect(outcomes, [.moved, .moved], "outcomes")
            try expect(try journal.read(), ["1", "2"], "entries")
        },
        JournalRule("a later commit of a list is written behind the earlier one") { journal in
            let a = try journal.make("a")
            let end = LogPlace(life: a.life, position: 2)
            let outcomes = try journal.journal.commit([
                journal.commit(["2"], if: .isAt(a)), journal.commit(["3"], if: .isAt(end)),
            ])
            try expect(outcomes, [.written(end), .written(LogPlace(life: a.life, position: 3))], "outcomes")
            try expect(try journal.read(), ["1", "2", "3"], "entries")
        },
        JournalRule("everything outlives the journal that wrote it") { journal in
            try journal.make("a", "1", "2")
            try journal.make("b")
            let place = try journal.place()
            try journal.reopen()
            try expect(try journal.read(), ["1", "2"], "entries")
            try expect(try journal.lists(), ["a", "b"], "lists")
            try expect(try journal.place()?.position, place?.position, "the end")
        },
        JournalRule("a closed journal writes and reads nothing") { journal in
            try journal.make()
            journal.journal.close()
            try expect(journalError { try journal.write("2") }, .closed, "a commit")
            try expect(journalError { _ = try journal.read() }, .closed, "a load")
            try expect(journalError { _ = try journal.lists() }, .closed, "the lists")
            try journal.reopen()
            try expect(try journal.read(), ["1"], "entries")
        },
    ]

    /// Several writers at a time.
    static let races: [JournalRule] =
        [2, 3].map { writers in
            JournalRule("of \(writers) writers at one place one is first") { journal in
                let shared = journal.journal
                var place = try journal.make()
                for round in 1...20 {
                    let outcomes = Locked<[CommitOutcome]>([])
                    let commits = (0..<writers).map { journal.commit(["\(round) of \($0)"], if: .isAt(place)) }
                    let threads = try commits.map { commit in
                        try Thread {
                            let outcome = (try? shared.commit([commit])) ?? []
                            outcomes.withLock { $0 += outcome }
                        }
                    }
                    for thread in threads { thread.join() }
                    let all = outcomes.withLock { $0 }
                    let ends = all.compactMap { if case .written(let place) = $0 { place } else { nil } }
                    try expect(all.count, writers, "outcomes")
                    try expect(ends.count, 1, "those that were first")
                    place = ends[0]
                    try expect(place.position, round + 1, "entries")
                }
                try expect(try journal.read()?.count, 21, "entries at the end")
            }
        } + [
            JournalRule("a writer whose answer was lost finds its entries, or writes them once") { journal in
                // The writer does not know the outcome. It reads behind its last place and finds its own entry.
                let place = try journal.make()
                try journal.write("mine", if: .isAt(place))
                try expect(try journal.read(after: place), ["mine"], "behind the last place")
                // So does one whose entry came too late.
                try expect(try journal.write("mine", if: .isAt(place)), .moved, "the same again")
                try expect(try journal.read(after: place), ["mine"], "behind the last place")
            }
        ]
}
