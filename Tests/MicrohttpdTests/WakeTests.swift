import Threads
import Microhttpd
import TestSupport
import Testing

/// A handler that runs a closure at the end of each turn.
private struct TurnHandler: RequestHandler {
    let inner: TestHandler
    let atEndOfTurn: @Sendable () -> Void

    func admit(_ head: RequestHead) -> Admission { inner.admit(head) }
    func respond(to request: Request) -> Answer { inner.respond(to: request) }
    func refusal(_ refusal: Refusal, head: RequestHead?) -> Response { inner.refusal(refusal, head: head) }

    func turn(_ serve: () -> Void) {
        serve()
        atEndOfTurn()
    }
}

/// Groups that are woken again before all of their members have been asked.
@Suite struct WakeTests {
    /// These are more members than a loop asks in one turn.
    private static let membersMany = 1500

    private func streams(of lines: [String: Lines], silence: UInt64 = 600_000) -> TestHandler {
        TestHandler { request in
            guard let lines = lines[request.head.path.string] else { return .send(.text("other")) }
            return .stream(
                ContentStream(
                    head: .text(""), lines.source(), in: [lines.group], silenceMilliseconds: silence))
        }
    }

    private func serve(_ handler: TurnHandler, _ body: (Server) throws -> Void) throws {
        let configuration = Server.Configuration.test.with(\.connectionsMax, 9000)
            .with(\.connectionsPerAddressMax, 9000)
        let server = try Server(configuration, handler: handler)
        defer { server.stop(graceSeconds: 0) }
        try body(server)
    }

    private func open(_ count: Int, _ path: String, on server: Server) throws -> [RawSocket] {
        let clients = try (0..<count).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send(get(path)) }
        for client in clients { _ = try client.readHead() }
        return clients
    }

    @Test func allMembersAreAskedOfAGroupThatIsWokenInEveryTurn() throws {
        let (lines, isRestless) = (Lines(), Locked(false))
        let handler = TurnHandler(inner: streams(of: ["/": lines])) {
            if isRestless.withLock({ $0 }) { lines.group.wake() }
        }
        try serve(handler) { server in
            let clients = try open(Self.membersMany, "/", on: server)
            isRestless.change { $0 = true }
            lines.publish()
            for client in clients { #expect(try client.readChunk() == "1\n") }
            isRestless.change { $0 = false }
        }
    }

    @Test func aBusyGroupDoesNotHoldUpAnother() throws {
        let (small, large, isRestless) = (Lines(), Lines(), Locked(false))
        let hasBegun = Locked(false)
        let handler = TurnHandler(inner: streams(of: ["/small": small, "/large": large])) {
            guard isRestless.withLock({ $0 }) else { return }
            let isFirst = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return !hasBegun
            }
            if isFirst { small.publish() }
            large.group.wake()
        }
        try serve(handler) { server in
            let clients = try open(Self.membersMany, "/large", on: server)
            let client = try open(1, "/small", on: server)[0]
            isRestless.change { $0 = true }
            large.publish()
            #expect(try client.readChunk() == "1\n")
            for client in clients { #expect(try client.readChunk() == "1\n") }
            isRestless.change { $0 = false }
        }
    }

    /// All streams become due at the same time.
    @Test func whoIsDueAtOnceIsNotAskedInOneTurn() throws {
        let most = Locked(0)
        let lines = Lines()
        let handler = TurnHandler(inner: streams(of: ["/": lines], silence: 1)) {
            let count = lines.takeDueCount()
            most.change { $0 = max($0, count) }
        }
        try serve(handler) { server in
            let clients = try open(3 * Self.membersMany, "/", on: server)
            for _ in 1...2 {
                for client in clients { #expect(try client.readChunk() == "still here\n") }
            }
        }
        #expect(most.withLock { $0 } <= 1024)
    }
}

/// A server that has stopped leaves nothing behind.
@Suite struct ServerLifetimeTests {
    private final class Token: Sendable {}
    private struct Weak {
        weak var token: Token?
    }

    /// Wakes its group when it is freed. Others of the group may be about to be freed too.
    private final class Source: ContentSource, AnswerSource {
        private let lines: Lines
        private let counted: Lines.Source

        init(_ lines: Lines) {
            self.lines = lines
            counted = lines.source()
        }

        deinit { lines.group.wake() }

        func next(_ occasion: Occasion) -> ContentStep { .wait }
        func answer(_ occasion: Occasion) -> Response? { nil }
    }

    @Test(arguments: [true, false]) func aServerThatStopsWhileItIsWokenGoes(isStream: Bool) throws {
        #expect(try oneLife(isStream: isStream).token == nil)
    }

    private func oneLife(isStream: Bool) throws -> Weak {
        let (token, lines) = (Token(), Lines())
        let handler = TestHandler { [token] _ in
            withExtendedLifetime(token) {
                let source = Source(lines)
                guard isStream else {
                    return .wait(AnswerWait(for: source, in: [lines.group], milliseconds: 600_000, silenceSeconds: 15))
                }
                return .stream(
                    ContentStream(head: .text(""), source, in: [lines.group], silenceMilliseconds: 600_000))
            }
        }
        let server = try Server(.test, handler: handler)
        let clients = try (0..<3).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send(get("/")) }
        lines.waitUntilOpen(clients.count)
        server.stop(graceSeconds: 0)
        #expect(lines.group.isEmpty)
        return Weak(token: token)
    }
}

/// Clients that are cut off from the network without a sign (RFC 9293, section 3.8.3).
@Suite struct VanishedClientTests {
    /// Serves `lines`, and beside them a stream that is always due. It ticks whenever the loop looks for due streams,
    /// which is four times a second.
    private func serve(
        _ lines: Lines, silence: UInt64, _ body: (Server, _ tick: () throws -> Void) throws -> Void
    ) throws {
        let ticks = Lines()
        let handler = TestHandler { request in
            let isTick = request.head.path == "/tick"
            let lines = isTick ? ticks : lines
            return .stream(
                ContentStream(
                    head: .text(""), lines.source(), in: [lines.group], silenceMilliseconds: isTick ? 1 : silence))
        }
        try withServer(handler) { server in
            let clock = try RawSocket(port: server.port)
            try clock.send(get("/tick"))
            _ = try clock.readHead()
            try body(server) { _ = try clock.readChunk() }
        }
    }

    /// A busy stream is never silent for the time that was set.
    @Test(arguments: [false, true]) func oneIsLetGoOf(isBusy: Bool) throws {
        let lines = Lines()
        try serve(lines, silence: 1000) { server, tick in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            _ = try client.readHead()
            lines.publish()
            _ = try client.readChunk()
            try client.vanish()
            // These bytes are far fewer than the system can buffer.
            for _ in 0..<40 where lines.openCount > 0 {
                if isBusy { lines.publish() }
                try tick()
            }
            #expect(lines.openCount == 0)
        }
    }

    /// Nothing is sent to the client before its answer, and the answer does not come.
    @Test func oneThatWaitsForItsAnswerIsLetGoOf() throws {
        let lines = Lines()
        let handler = TestHandler { _ in
            .wait(AnswerWait(for: lines.source(), in: [lines.group], milliseconds: 600_000, silenceSeconds: 1))
        }
        try withServer(handler) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            lines.waitUntilOpen(1)
            try client.vanish()
            lines.waitUntilOpen(0)
        }
    }

    @Test func oneThatDoesNotReadIsStillThere() throws {
        let lines = Lines(padding: String(repeating: "x", count: 1000))
        try serve(lines, silence: 500) { server, tick in
            let slow = try RawSocket(port: server.port)
            try slow.send(get("/"))
            _ = try slow.readHead()
            lines.publish(20_000)
            for _ in 0..<12 { try tick() }
            lines.end()
            var count = 0
            while case let chunk = try slow.readChunkBytes(), !chunk.isEmpty {
                count += chunk.count { $0 == UInt8(ascii: "\n") }
            }
            #expect(count == 20_000)
        }
    }
}
