import Dispatch
import HTTPTypes
import Locks
import Microhttpd
import TestSupport
import Testing

@Suite struct ServerTests {
    /// What a handler begins at the start of a turn it can end when all requests of the turn were asked.
    @Test func asksEachRequestInATurn() throws {
        let handler = TurnHandler()
        let server = try Server(.test, handler: handler)
        let clients = try (0..<5).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send(get("/")) }
        for client in clients { #expect(try client.readResponse().text == "inside") }
        server.stop(graceSeconds: 1)
        #expect(!handler.isInside.withLock { $0 })
    }

    @Test func saysWhenThePortIsTaken() throws {
        try withServer(.echo) { server in
            for loopCount in [1, 2] {
                var configuration = Server.Configuration.test
                configuration.port = server.port
                configuration.loopCount = loopCount
                #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: server.port)) {
                    _ = try Server(configuration, handler: TestHandler.echo)
                }
            }
        }
    }

    @Test(arguments: ["localhost", "", "127.0.0.256", "::g"])
    func wantsAddressesInNumbers(host: String) {
        var configuration = Server.Configuration.test
        configuration.host = host
        #expect(throws: ServerError.badHost(host)) { _ = try Server(configuration, handler: TestHandler.echo) }
    }

    @Test func listensOnIPv6() throws {
        try withServer(.echo, .test.with(\.host, "::1")) { server in
            #expect(server.port != 0)
        }
    }

    @Test func takesItsPortAgainAtOnce() throws {
        var port: UInt16 = 0
        for _ in 1...3 {
            try withServer(.echo, .test.with(\.port, port)) { server in
                port = server.port
                let client = try RawSocket(port: port)
                try client.send(get("/"))
                #expect(try client.readResponse().status == 200)
            }
        }
    }

    @Test func severalLoopsShareAPort() throws {
        try withServer(.echo, .test.with(\.loopCount, 3)) { server in
            let clients = try (0..<60).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/")) }
            for client in clients { #expect(try client.readResponse().text == "GET / [] ") }
        }
    }

    @Test func survivesResetsInTheMiddleOfAnswers() throws {
        let large = Response(status: .ok, fields: [], body: [UInt8](repeating: 1, count: 8_000_000))
        let handler = TestHandler { $0.head.path == "/" ? .send(.text("small")) : .send(large) }
        try withServer(handler) { server in
            for _ in 1...20 {
                let client = try RawSocket(port: server.port)
                try client.send(get("/large"))
                client.reset()
            }
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            #expect(try client.readResponse().text == "small")
        }
    }
}

@Suite struct DrainTests {
    /// Stops in the background; the semaphore tells when that is done.
    private func stop(_ server: Server, graceSeconds: Int) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            server.stop(graceSeconds: graceSeconds)
            done.signal()
        }
        return done
    }

    private func waitUntilNobodyListens(on port: UInt16) {
        while let client = try? RawSocket(port: port) { client.close() }
    }

    @Test func cutsNoRequestInFlight() throws {
        let waiting = Waiting()
        let server = try Server(.test, handler: waiting.handler)
        let clients = try (0..<200).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send(get("/")) }
        let all = waiting.take(clients.count)
        let done = stop(server, graceSeconds: 60)
        waitUntilNobodyListens(on: server.port)
        for one in all { one.resumption.resume(with: .text("finished")) }
        for client in clients {
            let response = try client.readResponse()
            #expect(response.text == "finished")
            #expect(response["Connection"] == "close")
            #expect(try client.isClosedByServer())
        }
        done.wait()
    }

    /// Sent before the stop, and not even read when it comes.
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

    /// Nothing refers to anything in a circle, whatever was going on.
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

/// Answers whether it is asked inside of a turn.
private final class TurnHandler: RequestHandler {
    let isInside = Locked(false)

    func turn(_ serve: () -> Void) {
        isInside.withLock { $0 = true }
        serve()
        isInside.withLock { $0 = false }
    }

    func admit(_ head: RequestHead) -> Admission { .accept(bodyBytesMax: 0) }

    func respond(to request: Request) -> Answer { .send(.text(isInside.withLock { $0 } ? "inside" : "outside")) }

    func refusal(_ refusal: Refusal, head: RequestHead?) -> Response { .text("\(refusal)", status: refusal.status) }
}
