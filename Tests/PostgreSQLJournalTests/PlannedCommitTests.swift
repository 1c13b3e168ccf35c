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

    private static func plan(_ condition: RecordWrite.Condition, _ content: KeyedRecord.Content?) {
        let place = LogPlace(life: 7, position: 1)
        var entry = JournalEntry(list: ListID("a")!, kind: .append, bytes: [1], receipt: nil)
        entry.records = [RecordWrite(KeyedRecord.Key(.sequence, [1]), condition, content)]
        _ = PlannedCommit(Commit(entry, .isAt(place)), 0, at: place, newLife: place)
    }
}
