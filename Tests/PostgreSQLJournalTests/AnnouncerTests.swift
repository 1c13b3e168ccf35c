import ListModel
import ListStore
@testable import PostgreSQLJournal
import TestSupport
import Testing

/// Which lists are told of, and when: at once, with the next hint, or again because a hint was lost.
@Suite struct AnnouncerTests {
    private static let (a, b) = (ListID("a")!, ListID("b")!)

    /// Commits at some milliseconds, and the lists that are told of with the last one; nil if it is too early.
    @Test(arguments: [
        ([0], ["a"]), ([0, 1, 2, 3], ["a"]), ([0, 1, 2, 3, 4], nil),
        // The next hint comes at the end of the time, and in the time after many commits there is only one.
        ([0, 1, 2, 3, 4, 10], ["a"]), ([0, 1, 2, 3, 4, 10, 11], nil),
        // They were many, but long ago.
        ([0, 1, 2, 3, 4, 10, 11, 30, 31], ["a"]), ([0, 1, 2, 3, 4, 20, 21], ["a"]),
    ])
    func commitsAreToldOfAtOnceWhileTheyAreFew(times: [Int], told: [String]?) {
        var state = Announcer.State()
        let start = state.end
        var last: Set<ListID>?
        for time in times { last = state.take(with: [Self.a], now: start + .milliseconds(time)) }
        #expect(last.map { $0.map(\.rawValue.string) } == told)
    }

    /// An announcer whose thread is not started, so that it keeps what it is to tell of.
    private struct Scene {
        let fixture: Fixture
        let connector: Connector
        let announcer: Announcer
        let commits: [PlannedCommit]

        init() throws {
            fixture = try Fixture(PostgreSQLServer.shared)
            let place = try #require(try fixture.journal().make("a", "1"))
            var patience = Connector.Patience()
            patience.silence = 600_000
            connector = try Connector(
                ConnectionString(fixture.server.url()), schema: fixture.schema, patience: patience
            ) { .random(in: 0 ... .max) }
            announcer = Announcer(connector, store: 1, random: { .random(in: 0...(.max)) })
            let entry = JournalEntry(list: AnnouncerTests.a, kind: .append, bytes: [1], receipt: nil)
            commits = [PlannedCommit(Commit(entry, .isAt(place)), 0, at: place, newLife: place)]
        }

        /// The lists that the announcer is to tell of.
        var untold: Set<ListID>? { announcer.hint(with: [])?.lists }
    }

    @Test func aHintThatIsLostWithItsSessionIsToldAgain() throws {
        let scene = try Scene()
        let session = try scene.connector.connect()
        scene.announcer.tell([Self.b])
        let process = try #require(try session.run(Statement("process", "SELECT pg_backend_pid()"))[0][0].integer)
        try scene.fixture.run("SELECT pg_terminate_backend(\(process), 60000)")
        var work = UnsettledCommits(scene.commits, token: 7)
        #expect(throws: Session.Failure.self) { try work.write(session, scene.announcer) }
        #expect(scene.untold == [Self.a, Self.b])
    }

    /// A hint with a row is sent only if the row is there, and would take along what else is to be told.
    @Test(arguments: [nil, a, b]) func aRowGoesAlone(pending: ListID?) throws {
        let scene = try Scene()
        scene.announcer.tell([pending].compactMap(\.self))
        let hint = scene.announcer.hint(with: [UnsettledCommits(scene.commits, token: 7)])
        #expect(hint?.lists == Set([Self.a, pending ?? Self.a]))
        #expect(hint?.call.statement.name == (pending == nil ? "notify of row" : "notify"))
    }

    @Test func aCommitThatIsFoundToBeWrittenIsToldOf() throws {
        let scene = try Scene()
        let session = try scene.connector.connect()
        var work = UnsettledCommits(scene.commits, token: 7)
        try work.write(session, scene.announcer)
        #expect(work.written.count == 1 && scene.untold == [])
        var lost = UnsettledCommits(scene.commits, token: 7)
        try lost.look(session, scene.announcer)
        #expect(lost.written.count == 1 && scene.untold == [Self.a])
    }
}
