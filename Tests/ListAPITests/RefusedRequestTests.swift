import Access
import JSONValue
import TestSupport
import Testing
import Texts
import Threads

@testable import ListAPI

/// Requests that are let in, and refused later because their sender has lost its rights, are told to the audit log.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct RefusedRequestTests {
    private static func refused(_ method: ByteText, _ path: ByteText) -> AccessEvent {
        .refused(AccessEvent.RefusedRequest(method: method, path: path, status: 401, address: "127.0.0.1"))
    }

    private static func expect(_ served: Guarded, _ event: AccessEvent, by actor: ByteText) {
        let told = served.told.withLock { $0 }
        #expect(told.map(\.event) == [event])
        #expect(told.map(\.actor) == [actor])
    }

    @Test func aPollWhoseTokenIsRevoked() throws {
        try Guarded.serve { served in
            let list = try served.client.send("GET", "/v1/lists/a", served.header("reader"))
            let version = try #require(list["List-Version"])
            let target = "/v1/lists/a/changes?since=\(version)&wait=55"
            let answer = try LongPollTests().asking(target, served.header("reader"), port: served.port) {
                // The one loop has the request by the time that it has answered this one.
                try #require(try served.client.send("GET", "/healthz").status == 200)
                try served.gate.keeper?.change { book throws(AccessError) in try book.remove("reader") }
            }
            #expect(answer.status == 401)
            Self.expect(served, Self.refused("GET", "/v1/lists/a/changes"), by: "reader")
        }
    }

    /// The server learns of another one that has revoked the token when it stores what the token wants.
    @Test func aChangeOfRightsWhoseTokenIsRevokedElsewhere() throws {
        try Guarded.serve { served in
            let other = try AccessKeeper(served.book, isClosed: false, clock: { 0 }, noteChange: {})
            try other.change { book throws(AccessError) in try book.remove("admin") }
            let made = try served.client.send(
                "POST", "/v1/tokens", served.header("admin"),
                json: #"{"name":"new","grants":[{"lists":["a"],"can":["read"]}]}"#)
            #expect(made.status == 401, "\(made.text)")
            Self.expect(served, Self.refused("POST", "/v1/tokens"), by: "admin")
        }
    }
}
