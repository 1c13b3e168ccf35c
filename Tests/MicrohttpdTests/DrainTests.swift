import Dispatch
import Foundation
import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

@Suite struct DrainTests {
    /// Stops the server in the background. The semaphore is signalled when it has stopped.
    private func stop(_ server: Server, graceSeconds: Int) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            server.stop(graceSeconds: graceSeconds)
            done.signal()
        }
        return done
    }

    /// A handler that lets all requests wait, except probes that ask whether the drain has begun.
    private func handler(_ waiting: Waiting) -> TestHandler {
        TestHandler { request in
            request.head.path == "/probe" ? .send(.text("not yet")) : waiting.handler.answer(request)
        }
    }

    /// Returns when a request on a new connection is refused.
    private func waitUntilDraining(_ server: Server) throws {
        while true {
            let client = try RawSocket(port: server.port)
            try client.send(get("/probe"))
            let response = try client.readResponse()
            if response.text == "not yet" { continue }
            return try expectRefusal(response, client)
        }
    }

    /// Returns when a request on this connection is refused.
    private func waitUntilDraining(_ client: RawSocket) throws {
        while true {
            try client.send(get("/probe"))
            let response = try client.readResponse()
            if response.text == "not yet" { continue }
            return try expectRefusal(response, client)
        }
    }

    private func expectRefusal(of request: String, _ client: RawSocket) throws {
        try client.send(request)
        try expectRefusal(client.readResponse(), client)
    }

    private func expectRefusal(_ response: RawResponse, _ client: RawSocket) throws {
        #expect(response.status == 503)
        #expect(response.text == "stopping")
        #expect(response["Connection"] == "close")
        #expect(try client.isClosedByServer())
    }

    private final class Mute: AnswerSource {
        func answer(_ occasion: Occasion) -> Response? { nil }
    }

    /// The last byte of the request comes when the server is stopping already.
    @Test func closesWhoseAnswerNobodyHas() throws {
        let group = WakeGroup()
        let handler = TestHandler { request in
            guard request.head.path != "/probe" else { return .send(.text("not yet")) }
            return .wait(AnswerWait(for: Mute(), in: [group], milliseconds: 600_000, silenceSeconds: 15))
        }
        let server = try Server(.test, handler: handler)
        let client = try RawSocket(port: server.port)
        let request = post("/", "whole")
        try client.send(String(request.dropLast()))
        let done = stop(server, graceSeconds: 600)
        try waitUntilDraining(server)
        try client.send(String(request.suffix(1)))
        #expect(try client.isClosedByServer())
        done.wait()
        #expect(group.isEmpty)
    }

    @Test(arguments: [1, 3])
    func cutsNoRequestInFlight(loopCount: Int) throws {
        let waiting = Waiting()
        let server = try Server(.test.with(\.loopCount, loopCount), handler: handler(waiting))
        let clients = try (0..<200).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send(get("/")) }
        let all = waiting.take(clients.count)
        // There are probes on all loops, because the loops learn of the stop one after another.
        let probes = try (0..<30 * loopCount).map { _ in try RawSocket(port: server.port) }
        let done = stop(server, graceSeconds: 60)
        for probe in probes { try waitUntilDraining(probe) }
        for one in all { one.resumption.resume(with: .text("finished")) }
        for client in clients {
            let response = try client.readResponse()
            #expect(response.text == "finished")
            #expect(response["Connection"] == "close")
            #expect(try client.isClosedByServer())
        }
        done.wait()
    }

    /// The request was sent before the stop, but has not been read when the stop comes.
    @Test func servesWhatHasBeenSent() throws {
        let gate = Gate()
        let server = try Server(.test, handler: gate.handler)
        let known = try RawSocket(port: server.port)
        try known.send(get("/known"))
        #expect(try known.readResponse().text == "/known")
        let holder = try RawSocket(port: server.port)
        try holder.send(get("/gate"))
        gate.waitUntilEntered()
        try known.send(get("/sent"))
        let fresh = try (0..<50).map { _ in try RawSocket(port: server.port) }
        for client in fresh { try client.send(get("/fresh")) }
        let done = stop(server, graceSeconds: 60)
        gate.open()
        #expect(try holder.readResponse().text == "/gate")
        #expect(try known.readResponse().text == "/sent")
        for client in fresh { #expect(try client.readResponse().text == "/fresh") }
        done.wait()
    }

    /// A request in flight is one that had begun, on any connection. The handler is asked about no later request.
    @Test func refusesWhatBeginsLater() throws {
        let waiting = Waiting()
        let server = try Server(.test, handler: handler(waiting))
        let known = try (0..<2).map { _ in try RawSocket(port: server.port) }
        for client in known {
            try client.send(get("/probe"))
            #expect(try client.readResponse().status == 200)
        }
        let silent = try RawSocket(port: server.port)
        let begun = try RawSocket(port: server.port)
        try begun.send("GET /begun HTTP/1.1\r\nHost: te")
        let sending = try RawSocket(port: server.port)
        try sending.send("POST /sending HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nbo")
        let notYetBegun = try RawSocket(port: server.port)
        try notYetBegun.send("GET /not")
        let done = stop(server, graceSeconds: 3600)
        try waitUntilDraining(server)

        try expectRefusal(of: get("/known"), known[0])
        try expectRefusal(of: post("/known", "a body that nobody reads"), known[1])
        try expectRefusal(of: get("/silent"), silent)
        try expectRefusal(of: get("/fresh"), try RawSocket(port: server.port))
        try expectRefusal(of: "-begun HTTP/1.1\r\nHost: test\r\n\r\n", notYetBegun)
        try begun.send("st\r\n\r\n")
        try sending.send("dy")

        let all = waiting.take(2)
        #expect(Set(all.map(\.path)) == ["/begun", "/sending"])
        for one in all { one.resumption.resume(with: .text("finished")) }
        for client in [begun, sending] {
            #expect(try client.readResponse().text == "finished")
            #expect(try client.isClosedByServer())
        }
        done.wait()
        #expect(throws: RawSocket.Failure.self) { _ = try RawSocket(port: server.port) }
    }

    /// Connects again and again, sends some requests, and keeps the connections until the server stops listening.
    private func flood(_ port: UInt16, _ started: DispatchSemaphore) -> DispatchSemaphore {
        let ended = DispatchSemaphore(value: 0)
        Foundation.Thread.detachNewThread {
            var clients: [RawSocket] = []
            while let client = try? RawSocket(port: port) {
                if clients.count % 3 > 0 { try? client.send(get("/flood")) }
                if clients.count >= 100 { clients.removeFirst(50) }
                clients.append(client)
                started.signal()
            }
            ended.signal()
        }
        return ended
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes)), arguments: [true, false])
    func aFloodDoesNotProlongIt(isAnswered: Bool) throws {
        let waiting = Waiting()
        let server = try Server(.test, handler: handler(waiting))
        let client = try RawSocket(port: server.port)
        try client.send(get("/"))
        let one = waiting.take(1)[0]
        let done = stop(server, graceSeconds: isAnswered ? 3600 : 1)
        try waitUntilDraining(server)
        let started = DispatchSemaphore(value: 0)
        let floods = (0..<2).map { _ in flood(server.port, started) }
        for _ in 0..<300 { started.wait() }
        if isAnswered {
            one.resumption.resume(with: .text("finished"))
            #expect(try client.readResponse().text == "finished")
        }
        #expect(try client.isClosedByServer())
        done.wait()
        for flood in floods { flood.wait() }
    }

    /// A connection without a request is closed at its deadline, while other requests still finish.
    @Test func theReserveIsForTheDrainToo() throws {
        let waiting = Waiting()
        var configuration = Server.Configuration.test.with(\.requestDeadlineSeconds, 1)
        configuration.connectionsReserve = 3
        let server = try Server(configuration, handler: handler(waiting))
        let client = try RawSocket(port: server.port)
        try client.send(get("/"))
        let one = waiting.take(1)[0]
        let done = stop(server, graceSeconds: 3600)
        try waitUntilDraining(server)
        let silent = try (0..<10).map { _ in try RawSocket(port: server.port) }
        for client in silent { #expect(try client.isClosedByServer()) }
        try waitForRefusal(server)
        one.resumption.resume(with: .text("finished"))
        #expect(try client.readResponse().text == "finished")
        done.wait()
    }

    /// Connects until a connection gets a refusal as its answer. A client sees the close of its connection a moment
    /// before its place in the reserve is free. Until then a new connection is closed without an answer.
    private func waitForRefusal(_ server: Server) throws {
        while true {
            let client = try RawSocket(port: server.port)
            do {
                return try expectRefusal(of: get("/"), client)
            } catch RawSocket.Failure.closedEarly, RawSocket.Failure.system {
                continue
            }
        }
    }

    @Test func closesIdleConnections() throws {
        let server = try Server(.test, handler: TestHandler.echo)
        let clients = try (0..<20).map { _ in try RawSocket(port: server.port) }
        for client in clients {
            try client.send(get("/"))
            #expect(try client.readResponse().status == 200)
        }
        server.stop(graceSeconds: 60)
        for client in clients { #expect(try client.isClosedByServer()) }
    }

    @Test func cutsWhatOutlastsTheGrace() throws {
        let waiting = Waiting()
        let server = try Server(.test, handler: waiting.handler)
        let clients = try (0..<20).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send(get("/")) }
        let all = waiting.take(clients.count)
        server.stop(graceSeconds: 0)
        for client in clients { #expect(try client.isClosedByServer()) }
        for one in all { one.resumption.resume(with: .text("too late")) }
        server.stop(graceSeconds: 0)
    }

    @Test func cutsAnAnswerThatNobodyReads() throws {
        let large = Response(status: .ok, fields: [], body: [UInt8](repeating: 1, count: 50_000_000))
        let server = try Server(.test, handler: TestHandler { _ in .send(large) })
        let client = try RawSocket(port: server.port)
        try client.send(get("/"))
        server.stop(graceSeconds: 0)
        #expect(try client.readToEnd().count < 50_000_000)
    }

    @Test func endsWithItsLastReference() throws {
        var server: Server? = try Server(.test, handler: TestHandler.echo)
        let port = try #require(server?.port)
        let client = try RawSocket(port: port)
        try client.send(get("/"))
        #expect(try client.readResponse().status == 200)
        server = nil
        #expect(try client.isClosedByServer())
        #expect(throws: RawSocket.Failure.self) { _ = try RawSocket(port: port) }
    }

    /// There is no cycle of references, whatever was going on.
    @Test func letsItsHandlerGo() throws {
        let freed = WeakWaiting()
        do {
            let waiting = Waiting()
            freed.value.withLock { $0.waiting = waiting }
            let server = try Server(.test, handler: waiting.handler)
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            let one = waiting.take(1)[0]
            server.stop(graceSeconds: 0)
            one.resumption.resume(with: .text("too late"))
        }
        #expect(freed.value.withLock { $0.waiting == nil })
    }
}

private final class WeakWaiting: Sendable {
    struct Box { weak var waiting: Waiting? }
    let value = Locked(Box())
}
