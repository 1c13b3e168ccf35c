import Dispatch
import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

/// Keeps the resumptions that a handler gets, and tells when they are there.
final class Waiting: Sendable {
    private let resumptions = Locked<[(path: String, resumption: Resumption)]>([])
    private let arrival = DispatchSemaphore(value: 0)

    var handler: TestHandler {
        TestHandler { [self] request in
            let path = request.head.path
            return .later { resumption in
                self.resumptions.withLock { $0.append((path.string, resumption)) }
                self.arrival.signal()
            }
        }
    }

    /// Waits until `count` requests wait, and takes their resumptions.
    func take(_ count: Int) -> [(path: String, resumption: Resumption)] {
        for _ in 0..<count { arrival.wait() }
        return resumptions.withLock { resumptions in
            defer { resumptions.removeFirst(count) }
            return Array(resumptions.prefix(count))
        }
    }
}

@Suite struct LaterTests {
    @Test func answersFromAnotherThread() throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let client = try RawSocket(port: server.port)
            for number in 1...3 {
                try client.send(get("/\(number)"))
                let one = waiting.take(1)[0]
                DispatchQueue.global().async { one.resumption.resume(with: .text("answer to \(one.path)")) }
                let response = try client.readResponse()
                #expect(response.text == "answer to /\(number)")
                #expect(response["Connection"] == nil)
            }
        }
    }

    @Test func answersOnTheLoopItself() throws {
        let handler = TestHandler { _ in .later { $0.resume(with: .text("at once", status: .notModified)) } }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...3 {
                try client.send(get("/"))
                #expect(try client.readResponse().status == 304)
            }
        }
    }

    @Test func servesOthersMeanwhile() throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let first = try RawSocket(port: server.port)
            try first.send(get("/1"))
            let one = waiting.take(1)[0]
            let second = try RawSocket(port: server.port)
            try second.send(get("/2"))
            waiting.take(1)[0].resumption.resume(with: .text("two"))
            #expect(try second.readResponse().text == "two")
            one.resumption.resume(with: .text("one"))
            #expect(try first.readResponse().text == "one")
        }
    }

    @Test func theFirstAnswerWins() throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/1"))
            let one = waiting.take(1)[0].resumption
            one.resume(with: .text("first"))
            one.resume(with: .text("second"))
            #expect(try client.readResponse().text == "first")
            one.resume(with: .text("third"))
            // The late answer must not reach the next request of the connection.
            try client.send(get("/2"))
            let two = waiting.take(1)[0].resumption
            one.resume(with: .text("fourth"))
            two.resume(with: .text("the second request's"))
            #expect(try client.readResponse().text == "the second request's")
        }
    }

    /// More requests wait than a loop holds, and for longer.
    @Test func whoeverWaitsLongIsServedToo() throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let clients = try (0..<400).map { _ in try RawSocket(port: server.port) }
            for round in 1...3 {
                for client in clients { try client.send(get("/\(round)")) }
                for one in waiting.take(clients.count) { one.resumption.resume(with: .text("for \(one.path)")) }
                for client in clients { #expect(try client.readResponse().text == "for /\(round)") }
            }
        }
    }

    /// A loop whose exchanges all wait has nothing to do until one of them is due.
    @Test func aLoopRestsWhileAllOfItsExchangesWait() throws {
        let (waiting, group, turns) = (Waiting(), WakeGroup(), Locked(0))
        final class WhenDue: AnswerSource {
            func answer(_ occasion: Occasion) -> Response? { occasion == .due ? .text("due") : nil }
        }
        var handler = waiting.handler
        handler.turns = turns
        handler.answer = { [answer = handler.answer] request in
            guard request.head.path == "/due" else { return answer(request) }
            return .wait(AnswerWait(for: WhenDue(), in: [group], milliseconds: 300, silenceSeconds: 15))
        }
        try withServer(handler) { server in
            let (client, other) = (try RawSocket(port: server.port), try RawSocket(port: server.port))
            try client.send(get("/"))
            let one = waiting.take(1)[0].resumption
            try other.send(get("/due"))
            #expect(try other.readResponse().text == "due")
            // With a turn each millisecond there would be 300 turns.
            #expect(turns.withLock { $0 } < 100)
            one.resume(with: .text("at last"))
            #expect(try client.readResponse().text == "at last")
        }
    }

    /// A request on another connection does not wait behind an exchange that waits.
    @Test func aLongBodyIsReadWhileAnExchangeWaits() throws {
        let waiting = Waiting()
        var handler = waiting.handler
        handler.bodyBytesMax = 1 << 24
        handler.answer = { [answer = handler.answer] request in
            request.body.isEmpty ? answer(request) : .send(.text("\(request.body.bytes.count)"))
        }
        try withServer(handler) { server in
            let (client, other) = (try RawSocket(port: server.port), try RawSocket(port: server.port))
            for _ in 1...3 {
                try client.send(get("/"))
                try other.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
                try other.send(String(repeating: "x", count: 4_000_000))
                #expect(try other.readResponse().text == "4000000")
                waiting.take(1)[0].resumption.resume(with: .text("now"))
                #expect(try client.readResponse().text == "now")
            }
        }
    }

    /// The engine has one pool for the head of a request and the head of its answer.
    @Test func aLongHeadLeavesRoomForTheAnswer() throws {
        let handler = TestHandler { _ in
            .later { resumption in DispatchQueue.global().async { resumption.resume(with: .text("here")) } }
        }
        try withServer(handler, .test.with(\.headPoolBytes, 4096)) { server in
            let others = try (0..<3).map { _ in try RawSocket(port: server.port) }
            var outcomes: [String: Int] = [:]
            for count in stride(from: 2_500, to: 4_500, by: 10) {
                let client = try RawSocket(port: server.port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: count))\r\n\r\n")
                for other in others { try other.send(get("/")) }
                for other in others { #expect(try other.readResponse().text == "here") }
                outcomes[(try? client.readResponse()).map { "\($0.status)" } ?? "closed", default: 0] += 1
            }
            #expect(Set(outcomes.keys) == ["200", "431"], "\(outcomes)")
        }
    }

    /// The head is still there when the loop asks again, and the second answer may be later, too.
    @Test func theLoopAsksAgain() throws {
        let handler = TestHandler { _ in
            .later { first in
                DispatchQueue.global().async {
                    first.resume { head in
                        let (path, field) = (head.path, head.field(.accept) ?? "")
                        guard path != "/now" else { return .send(.text("\(path) \(field)")) }
                        return .later { second in
                            DispatchQueue.global().async { second.resume { .send(.text("\($0.path) \(field)")) } }
                        }
                    }
                    first.resume(with: .text("never"))
                }
            }
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            for path in ["/now", "/later", "/now"] {
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nAccept: x/\(path.utf8.count)\r\n\r\n")
                #expect(try client.readResponse().text == "\(path) x/\(path.utf8.count)")
            }
        }
    }

    @Test func closesWhenNobodyCanAnswer() throws {
        try withServer(TestHandler { _ in .later { _ in } }) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            #expect(try client.isClosedByServer())
        }
    }

    @Test(arguments: [true, false])
    func aClientMayVanishMeanwhile(withReset: Bool) throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let clients = try (0..<50).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/")) }
            let all = waiting.take(clients.count)
            for client in clients { withReset ? client.reset() : client.close() }
            for one in all { one.resumption.resume(with: .text(String(repeating: "a", count: 100_000))) }
            let next = try RawSocket(port: server.port)
            try next.send(get("/next"))
            waiting.take(1)[0].resumption.resume(with: .text("still here"))
            #expect(try next.readResponse().text == "still here")
        }
    }

    @Test func aHalfClosedClientIsNotKeptOpen() throws {
        try withServer(.echo) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/1") + get("/2"))
            client.finishSending()
            for number in 1...2 { #expect(try client.readResponse().text.hasPrefix("GET /\(number)")) }
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aHalfClosedClientGetsItsAnswer() throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            client.finishSending()
            waiting.take(1)[0].resumption.resume(with: .text("here"))
            #expect(try client.readResponse().text == "here")
            #expect(try client.isClosedByServer())
        }
    }
}
