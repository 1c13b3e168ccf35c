import Dispatch
import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

@Suite struct ServerTests {
    /// A handler can begin work at the start of a turn and end it after all requests of the turn.
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

/// Answers whether it is called inside of a turn.
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
