import ListModel
import ListStore
@testable import PostgreSQLJournal
import Testing

@Suite struct PlannedCommitTests {
    /// The statements have no way to remove a record with a commit, or to replace one whatever it is. Left out in silence, the
    /// old record would stay.
    @Test func aRecordThatNoStatementTakesIsRefused() async {
        await #expect(processExitsWith: .failure) { PlannedCommitTests.plan(.isStill(nil), nil) }
        await #expect(processExitsWith: .failure) {
            PlannedCommitTests.plan(.unconditional, KeyedRecord.Content(used: 1, value: [1]))
        }
        await #expect(processExitsWith: .success) {
            PlannedCommitTests.plan(.isStill(nil), KeyedRecord.Content(used: 1, value: [1]))
        }
    }

    /// Whoever hears of another one must read more than its row.
    @Test(arguments: [
        (JournalEntry.Kind.append, true, true), (.append, false, false), (.create, true, false), (.delete, true, false),
        (.retire, true, false), (.receiptOnly, true, false),
    ])
    func onlyEntriesBehindAKnownPlaceGoWithAHint(kind: JournalEntry.Kind, isBound: Bool, hasRow: Bool) {
        let place = LogPlace(life: 7, position: 1, token: 3)
        let entry = JournalEntry(list: ListID("a")!, kind: kind, bytes: [1], receipt: nil)
        let plan = PlannedCommit(
            Commit(entry, isBound ? .isAt(place) : .unconditional), 0, at: place,
            newLife: LogPlace(life: 8, position: 0))
        #expect((plan.sealedRow(9) { .random(in: 0 ... .max) } != nil) == hasRow)
    }

    private static func plan(_ condition: RecordWrite.Condition, _ content: KeyedRecord.Content?) {
        let place = LogPlace(life: 7, position: 1)
        var entry = JournalEntry(list: ListID("a")!, kind: .append, bytes: [1], receipt: nil)
        entry.records = [RecordWrite(KeyedRecord.Key(.sequence, [1]), condition, content)]
        _ = PlannedCommit(Commit(entry, .isAt(place)), 0, at: place, newLife: place)
    }
}
