import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

/// Numbered lines that a test publishes. Each source knows how many it has sent.
final class Lines: Sendable {
    let group = WakeGroup()
    private let state = Locked((published: 0, isOver: false, open: 0, due: 0))
    /// The text before each line's number.
    let padding: String

    init(padding: String = "") { self.padding = padding }

    func publish(_ count: Int = 1) {
        state.withLock { $0.published += count }
        group.wake()
    }

    func end() {
        state.withLock { $0.isOver = true }
        group.wake()
    }

    /// Waits until this number of sources is in use.
    func waitUntilOpen(_ count: Int) { state.wait(until: { $0.open == count }) { _ in } }

    var openCount: Int { state.withLock { $0.open } }

    /// The number of sources that were asked because they were due, since the last call.
    func takeDueCount() -> Int {
        state.withLock { state in
            defer { state.due = 0 }
            return state.due
        }
    }

    func source() -> Source { Source(self) }

    final class Source: ContentSource, AnswerSource {
        private let lines: Lines
        private var sent = 0

        init(_ lines: Lines) {
            self.lines = lines
            lines.state.change { $0.open += 1 }
        }

        deinit { lines.state.change { $0.open -= 1 } }

        func next(_ occasion: Occasion) -> ContentStep {
            let state = lines.state.withLock { $0 }
            if occasion == .stopping { return farewell() }
            if sent < state.published {
                sent += 1
                return .send(Array("\(lines.padding)\(sent)\n".utf8))
            }
            if state.isOver { return .end }
            if occasion == .due { lines.state.withLock { $0.due += 1 } }
            return occasion == .due ? .send(Array("still here\n".utf8)) : .wait
        }

        private var hasLeft = false

        private func farewell() -> ContentStep {
            defer { hasLeft = true }
            return hasLeft ? .end : .send(Array("bye\n".utf8))
        }

        func answer(_ occasion: Occasion) -> Response? {
            let published = lines.state.withLock { $0.published }
            if published > 0 { return .text("published \(published)") }
            return occasion == .ordinary ? nil : .text("\(occasion)")
        }
    }

    var streams: TestHandler { streams(silence: 60_000) }

    func streams(silence: UInt64) -> TestHandler {
        TestHandler { [self] request in
            guard request.head.path != "/other" else { return .send(.text("other")) }
            return .stream(
                ContentStream(
                    head: .text("", fields: [.eTag: "x"]), source(), in: [group], silenceMilliseconds: silence))
        }
    }

    func waits(milliseconds: UInt64) -> TestHandler {
        TestHandler { [self] _ in
            .wait(AnswerWait(for: source(), in: [group], milliseconds: milliseconds, silenceSeconds: 15))
        }
    }
}

@Suite struct StreamTests {
    @Test func sendsWhatIsPublished() throws {
        let lines = Lines()
        try withServer(lines.streams) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            let head = try client.readHead()
            #expect(head.status == 200)
            #expect(head["ETag"] == "x")
            #expect(head["Transfer-Encoding"] == "chunked")
            for number in 1...3 {
                lines.publish()
                #expect(try client.readChunk() == "\(number)\n")
            }
            lines.end()
            #expect(try client.readChunk() == "")
            // The connection serves further requests.
            try client.send(get("/other"))
            #expect(try client.readResponse().text == "other")
        }
    }

    @Test func asksAgainAfterSilence() throws {
        let lines = Lines()
        try withServer(lines.streams(silence: 1)) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            _ = try client.readHead()
            for _ in 1...2 { #expect(try client.readChunk() == "still here\n") }
            lines.publish()
            while try client.readChunk() != "1\n" {}
        }
    }

    @Test func oneWakeReachesAllMembersOfAllLoops() throws {
        let lines = Lines()
        try withServer(
            lines.streams,
            .test.with(\.loopCount, 3).with(\.connectionsMax, 9000)
                .with(\.connectionsPerAddressMax, 9000)
        ) { server in
            // These are more streams than a loop asks in one turn.
            let clients = try (0..<3300).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/")) }
            for client in clients { _ = try client.readHead() }
            lines.waitUntilOpen(clients.count)
            lines.publish()
            for client in clients { #expect(try client.readChunk() == "1\n") }
            for client in clients.prefix(1650) { client.close() }
            lines.waitUntilOpen(1650)
            lines.publish()
            for client in clients.dropFirst(1650) { #expect(try client.readChunk() == "2\n") }
        }
    }

    @Test(arguments: [false, true]) func letsGoOfAClientThatHasGone(byReset: Bool) throws {
        let lines = Lines()
        for handler in [lines.streams, lines.waits(milliseconds: 600_000)] {
            try withServer(handler) { server in
                let client = try RawSocket(port: server.port)
                try client.send(get("/"))
                lines.waitUntilOpen(1)
                byReset ? client.reset() : client.close()
                // Nothing is published, and no silence ends.
                lines.waitUntilOpen(0)
            }
        }
    }

    /// A client that reads no further although more is published than the system buffers for it. Other clients are
    /// served.
    private func slowReader(of lines: Lines, _ server: Server) throws -> RawSocket {
        let slow = try RawSocket(port: server.port)
        try slow.send(get("/"))
        _ = try slow.readHead()
        lines.publish(20_000)
        let other = try RawSocket(port: server.port)
        try other.send(get("/other"))
        #expect(try other.readResponse().text == "other")
        return slow
    }

    @Test func aSlowReaderIsAskedWhenItReadsOn() throws {
        let lines = Lines(padding: String(repeating: "x", count: 1000))
        try withServer(lines.streams) { server in
            let slow = try slowReader(of: lines, server)
            lines.end()
            var text = ""
            while true {
                let chunk = try slow.readChunk()
                if chunk.isEmpty { break }
                text += chunk
            }
            let numbers = text.split(separator: "\n").map { Int($0.dropFirst(1000)) }
            #expect(numbers == (1...20_000).map { $0 })
        }
    }

    @Test func saysFarewellWhenTheServerStops() throws {
        let lines = Lines()
        try withServer(lines.streams) { server in
            let clients = try (0..<20).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/")) }
            for client in clients { _ = try client.readHead() }
            lines.publish()
            for client in clients { #expect(try client.readChunk() == "1\n") }
            server.stop(graceSeconds: 30)
            for client in clients {
                #expect(try client.readChunk() == "bye\n")
                #expect(try client.readChunk() == "")
                #expect(try client.isClosedByServer())
            }
        }
    }

    @Test func cutsWhoDoesNotReadTheFarewell() throws {
        let lines = Lines(padding: String(repeating: "x", count: 1000))
        try withServer(lines.streams) { server in
            let slow = try slowReader(of: lines, server)
            server.stop(graceSeconds: 0)
            lines.waitUntilOpen(0)
            slow.close()
        }
    }

    /// HTTP/1.0 has no chunks, so the content ends with the connection.
    @Test func endsWithTheConnectionInHTTP10() throws {
        let lines = Lines()
        lines.publish(2000)
        lines.end()
        try withServer(lines.streams) { server in
            let client = try RawSocket(port: server.port)
            try client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try client.readHead()["Transfer-Encoding"] == nil)
            let text = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(text.split(separator: "\n").map { Int($0) } == (1...2000).map { $0 })
        }
    }
}

@Suite struct AnswerWaitTests {
    @Test func answersWhenSomethingHappens() throws {
        let lines = Lines()
        try withServer(lines.waits(milliseconds: 600_000)) { server in
            let clients = try (0..<300).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/")) }
            lines.waitUntilOpen(clients.count)
            lines.group.wake()  // A wake without a reason.
            lines.publish(3)
            for client in clients { #expect(try client.readResponse().text == "published 3") }
            // A request that comes now need not wait.
            for client in clients {
                try client.send(get("/"))
                #expect(try client.readResponse().text == "published 3")
            }
            #expect(lines.group.isEmpty)
        }
    }

    @Test func answersWhenTheTimeHasCome() throws {
        let lines = Lines()
        try withServer(lines.waits(milliseconds: 1)) { server in
            let client = try RawSocket(port: server.port)
            for _ in 1...2 {
                try client.send(get("/"))
                #expect(try client.readResponse().text == "due")
            }
        }
    }

    @Test func answersWhenTheServerStops() throws {
        let lines = Lines()
        try withServer(lines.waits(milliseconds: 600_000)) { server in
            let client = try RawSocket(port: server.port)
            try client.send(get("/"))
            lines.waitUntilOpen(1)
            server.stop(graceSeconds: 30)
            #expect(try client.readResponse().text == "stopping")
            #expect(try client.isClosedByServer())
        }
    }
}
