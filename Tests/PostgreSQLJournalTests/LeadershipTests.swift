import Testing

@testable import PostgreSQLJournal

@Suite struct LeadershipTests {
    private static func server(timeline: Int, hasStandby: Bool = true) -> Cluster {
        Cluster(system: 1, timeline: timeline, generation: 1, hasStandby: hasStandby, isElsewhere: false)
    }

    @Test func aServerIsBelievedForAWhile() {
        let leadership = Leadership(belief: .seconds(2))
        let (old, new, time) = (Self.server(timeline: 1), Self.server(timeline: 2), ContinuousClock.now)
        #expect(!leadership.leads(old, at: time))
        leadership.note(old, at: time)
        #expect(leadership.leads(old, at: time + .milliseconds(1_999)))
        #expect(!leadership.leads(old, at: time + .seconds(2)))
        #expect(!leadership.leads(new, at: time))
        leadership.note(new, at: time + .seconds(1))
        #expect(leadership.leads(new, at: time + .seconds(2)))
        #expect(!leadership.leads(old, at: time + .seconds(1)))
        // An answer that comes late changes nothing.
        leadership.note(old, at: time + .seconds(2))
        leadership.note(new, at: time)
        #expect(leadership.leads(new, at: time + .milliseconds(2_999)))
        #expect(!leadership.leads(old, at: time + .seconds(2)))
    }

    @Test func aServerIsConfirmedByACommit() throws {
        let leadership = Leadership(belief: .seconds(3_600))
        var commits = 0
        for _ in 0..<3 { try leadership.confirm(Self.server(timeline: 1)) { commits += 1 } }
        #expect(commits == 1)
        try leadership.confirm(Self.server(timeline: 2)) { commits += 1 }
        #expect(commits == 2)
        #expect(throws: Session.Failure.self) {
            try leadership.confirm(Self.server(timeline: 3)) { () throws(Session.Failure) in throw .lost("no standby") }
        }
        #expect(!leadership.leads(Self.server(timeline: 3)))
    }

    @Test func aServerWithoutAStandbyNeedsNoCommit() throws {
        let leadership = Leadership(belief: .seconds(2))
        try leadership.confirm(Self.server(timeline: 1, hasStandby: false)) { Issue.record("it has no standby") }
        #expect(leadership.leads(Self.server(timeline: 1, hasStandby: false)))
    }
}
