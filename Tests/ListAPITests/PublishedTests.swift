import Dispatch
import ListModel
import ListStore
import Threads
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The body of a snapshot is made once for a version, by the first request for it, while writes go on.
@Suite struct PublishedTests {
    private static let list = ListID("l")!

    /// The body is made while the list is not locked, so another version may become the head before the body is
    /// complete.
    @Test func isMadeOutsideTheLock() throws {
        let harness = try Harness()
        let first = try #require(try harness.api.published(Self.list))
        #expect(try harness.api.published(Self.list) === first)
        #expect(try harness.ask("POST", "/v1/lists/l/items/a/star").status == 200)
        let second = try #require(try harness.api.published(Self.list))
        #expect(second !== first)
        #expect(second.version.revision == 2)
        #expect(text(first.body).contains(#""version":"e1-1""#))
        #expect(!text(first.body).contains("starred"))
        #expect(text(second.body).contains(#""starred":true"#))
    }

    @Test func isNobodysForAListThatIsNotThere() throws {
        let harness = try Harness()
        #expect(try harness.api.published(try #require(ListID("x"))) == nil)
        #expect(try harness.ask("DELETE", "/v1/lists/l").status == 204)
        #expect(try harness.api.published(Self.list) == nil)
    }

    /// A client may ask for the head in different ways, and other answers may contain the snapshot. All of them use the
    /// same bytes or a copy of them.
    @Test func everyWayTakesTheSameBody() throws {
        let harness = try Harness(origins: .any)
        let published = try #require(try harness.api.published(Self.list))
        let origin = ["Origin": "https://a.example"]
        for (target, fields) in [("", [:]), ("", origin), ("", ["X-Request-Id": "r"]), ("?view=items", [:])] {
            let reply = try harness.ask("GET", "/v1/lists/l\(target)", fields)
            #expect(reply.status == 200)
            #expect(reply.response.body.isSameMemory(as: published.body), "\(target) \(fields)")
        }
        let reset = try harness.ask("GET", "/v1/lists/l/changes").text
        let snapshot = text(published.body)
        #expect(reset == #"{"list":"l","to":"e1-1","view":"items","reset":true,"snapshot":\#(snapshot)}"#)
        let visible = try harness.ask("GET", "/v1/lists/l/changes?view=visible").json
        #expect(visible["snapshot"] == (try harness.ask("GET", "/v1/lists/l?view=visible").json))
    }

    /// Requests that ask at once for a version without an answer all get the same answer.
    @Test(arguments: 1...20)
    func isOneForAllWhoAskAtOnce(round: Int) throws {
        let harness = try Harness()
        let responses = Locked<[Response?]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            let response = try? harness.ask("GET", "/v1/lists/l").response
            responses.withLock { $0.append(response) }
        }
        let all = responses.withLock { $0 }
        let first = try #require(all.first ?? nil)
        #expect(all.count == 16)
        #expect(all.allSatisfy { $0 === first })
    }
}

@Suite struct OnceTests {
    private final class Thing: Sendable {}

    @Test(arguments: 1...50)
    func isMadeOnce(round: Int) throws {
        let count = Locked(0)
        let once = Once(from: 7) { source in
            count.withLock { $0 += source }
            return Thing()
        }
        let things = Locked<[Thing]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let thing = once.value
            things.withLock { $0.append(thing) }
        }
        #expect(count.withLock { $0 } == 7)
        #expect(things.withLock { things in things.count == 8 && things.allSatisfy { $0 === once.value } })
    }

    @Test func isNotMadeUnlessAskedFor() {
        let once = Once(from: ()) { () -> Thing in
            Issue.record("nobody asked")
            return Thing()
        }
        withExtendedLifetime(once) {}
    }

    /// A snapshot that is kept would make writers copy the pages that they change.
    @Test func letsGoOfItsSource() {
        weak var source: Thing?
        let once: Once<Thing, Thing>
        do {
            let thing = Thing()
            source = thing
            once = Once(from: thing) { _ in Thing() }
        }
        #expect(source != nil)
        let value = once.value
        #expect(source == nil)
        #expect(once.value === value)
    }
}

extension [UInt8] {
    fileprivate func isSameMemory(as other: [UInt8]) -> Bool { span.isIdentical(to: other.span) }
}
