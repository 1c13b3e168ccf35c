import HTTPTypes
import Microhttpd
import TestSupport
import Testing
import Threads

/// `Server.Configuration.memory`: bodies count as they come, and answers until they are read.
@Suite struct MemoryTests {
    private static let mebibyte = 1 << 20
    private static let long = [UInt8](repeating: 0x61, count: 20 << 20)

    /// Answers `/long` with 20 MiB of its own, and other requests with the length of their body.
    private static let handler = TestHandler(bodyBytesMax: 8 << 20) { request in
        guard request.head.path == "/long" else { return .send(.text("\(request.body.bytes.count)")) }
        return .send(Response(status: .ok, fields: [], body: long.map { $0 }))
    }

    private func withServer(_ bytesMax: Int, _ body: (Server, MemoryBudget) throws -> Void) throws {
        let budget = MemoryBudget(bytesMax: bytesMax)
        try MicrohttpdTests.withServer(Self.handler, .test.with(\.memory, budget)) { try body($0, budget) }
    }

    private func announce(_ count: Int) -> String {
        "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: \(count)\r\n\r\n"
    }

    private func status(_ request: String, _ server: Server) throws -> Int {
        let client = try RawSocket(port: server.port)
        try client.send(request)
        return try client.readResponse().status
    }

    @Test func anAnnouncedBodyTakesNothing() throws {
        try withServer(8 * Self.mebibyte) { server, budget in
            // Each would take 6 MiB.
            let clients = try (0..<20).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(announce(3 << 19)) }
            #expect(try status(get("/"), server) == 200)
            #expect(budget.bytes(of: .bodies) == 0)
            try clients[0].send([UInt8](repeating: 0x61, count: 3 << 19))
            #expect(try clients[0].readResponse().text == "\(3 << 19)")
        }
    }

    @Test func aBodyThatHasNoRoomIsRefusedAtItsHead() throws {
        try withServer(8 * Self.mebibyte) { server, _ in
            let client = try RawSocket(port: server.port)
            try client.send(announce(2 << 20))  // It would take 8 MiB, and may have 7.
            let response = try client.readResponse()
            #expect(response.status == 503)
            #expect(response.text == "overloaded")
            #expect(try client.isClosedByServer())
        }
    }

    @Test func bodiesCountAsTheyComeUntilTheyAreAnswered() throws {
        try withServer(8 * Self.mebibyte) { server, budget in
            let (first, second) = (try RawSocket(port: server.port), try RawSocket(port: server.port))
            let part = [UInt8](repeating: 0x61, count: 1 << 20)
            for client in [first, second] { try client.send(announce(3 << 19)) }
            try first.send(part)
            while budget.bytes(of: .bodies) < 4 * Self.mebibyte - MemoryBudget.step {}
            // The second one has no room for its last piece, and is told when it has sent all.
            try second.send(part + part.prefix(1 << 19))
            #expect(try second.readResponse().status == 503)
            try first.send([UInt8](part.prefix(1 << 19)))
            #expect(try first.readResponse().text == "\(3 << 19)")
            #expect(try status(post("/", "short"), server) == 200)
            #expect(budget.bytes(of: .bodies) < MemoryBudget.step)
        }
    }

    @Test func anAnswerCountsUntilItIsRead() throws {
        try withServer(40 * Self.mebibyte) { server, budget in
            let slow = try RawSocket(port: server.port)
            try slow.send(get("/long"))
            while budget.bytes(of: .answers) == 0 {}
            #expect(budget.bytes(of: .answers) == 20 * Self.mebibyte)
            #expect(try status(get("/long"), server) == 503)
            #expect(try status(get("/"), server) == 200)
            #expect(try slow.readResponse().body.count == 20 * Self.mebibyte)
            #expect(try status(get("/long"), server) == 200)
        }
    }

    /// Answers to waits count as soon as they are there, and the same bytes for several clients once.
    @Test func sharedAnswersCountOnce() throws {
        let waits = Lines()
        let own = Locked(0)
        let budget = MemoryBudget(bytesMax: 200 * Self.mebibyte)
        let handler = TestHandler { request in
            let isShared = request.head.path == "/shared"
            let source = LongAnswer(of: waits) {
                own.withLock { $0 += 1 }
                return isShared ? Self.long : Self.long.map { $0 }
            }
            return .wait(AnswerWait(for: source, in: [waits.group], milliseconds: 600_000, silenceSeconds: 15))
        }
        try MicrohttpdTests.withServer(handler, .test.with(\.memory, budget)) { server in
            let clients = try ["/shared", "/shared", "/shared", "/own"].map { path in
                let client = try RawSocket(port: server.port)
                try client.send(get(path))
                return client
            }
            waits.waitUntilOpen(clients.count)
            waits.publish()
            while own.withLock({ $0 }) < clients.count || budget.bytes(of: .answers) < 40 * Self.mebibyte {}
            #expect(budget.bytes(of: .answers) == 40 * Self.mebibyte)
            for (read, left) in [(0, 40), (1, 40), (2, 20), (3, 0)] {
                #expect(try clients[read].readResponse().body.count == 20 * Self.mebibyte)
                while budget.bytes(of: .answers) > left * Self.mebibyte {}
                #expect(budget.bytes(of: .answers) == left * Self.mebibyte)
            }
        }
    }

    /// Answers with some bytes once the lines have begun.
    private final class LongAnswer: AnswerSource {
        private let lines: Lines.Source
        private let bytes: () -> [UInt8]

        init(of lines: Lines, _ bytes: @escaping () -> [UInt8]) {
            self.lines = lines.source()
            self.bytes = bytes
        }

        func answer(_ occasion: Occasion) -> Response? {
            lines.answer(occasion).map { _ in Response(status: .ok, fields: [], body: bytes()) }
        }
    }

    @Test func theAnswerThatIsReadTheSlowestMakesRoom() throws {
        try withServer(40 * Self.mebibyte) { server, budget in
            let slow = try RawSocket(port: server.port)
            try slow.send(get("/long"))
            while budget.bytes(of: .answers) == 0 {}
            budget.count(20 * Self.mebibyte, .lists)
            while budget.bytes(of: .answers) > 0 {}
            #expect(try slow.readToEnd().count < 20 * Self.mebibyte)
        }
    }

    @Test func withoutMemoryEvenShortRequestsAreRefused() throws {
        try withServer(8 * Self.mebibyte) { (server, budget) throws in
            budget.count(8 * Self.mebibyte, .lists)
            #expect(try status(get("/"), server) == 200)
            budget.count(1, .lists)
            #expect(try status(get("/"), server) == 503)
            budget.count(-1, .lists)
            #expect(try status(post("/", "short"), server) == 503)
            budget.count(-Self.mebibyte, .lists)
            #expect(try status(post("/", "short"), server) == 200)
        }
    }

    @Test func aConnectionCounts() throws {
        try withServer(8 * Self.mebibyte) { server, budget in
            let clients = try (0..<100).map { _ in try RawSocket(port: server.port) }
            for client in clients {
                try client.send(get("/"))
                #expect(try client.readResponse().status == 200)
            }
            let taken = budget.bytes(of: .connections)
            #expect(taken > 100 * 8_192 - MemoryBudget.step && taken < 100 * 16_384)
        }
    }
}
