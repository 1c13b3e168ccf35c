import HTTPTypes
import TestSupport
import Testing
import Threads

@testable import Microhttpd

/// What a server counts of itself.
@Suite struct FiguresTests {
    struct Bucket: Sendable {
        let microseconds: UInt64
        let index: Int
    }

    @Test(arguments: [
        Bucket(microseconds: 0, index: 0), Bucket(microseconds: 1, index: 0), Bucket(microseconds: 2, index: 1),
        Bucket(microseconds: 3, index: 2), Bucket(microseconds: 4, index: 2), Bucket(microseconds: 5, index: 3),
        Bucket(microseconds: 1 << 24, index: 24), Bucket(microseconds: 1 << 24 + 1, index: 25),
        Bucket(microseconds: .max, index: 25),
    ])
    func bucket(_ row: Bucket) {
        #expect(Server.Figures.Times.bucket(of: row.microseconds) == row.index)
        let bounds = Server.Figures.Times.bounds
        #expect(row.index == bounds.count || row.microseconds <= bounds[row.index])
        #expect(row.index == 0 || row.microseconds > bounds[row.index - 1])
    }

    /// Each status has a place of its own, or that of all others.
    @Test func statusesAreToldApart() {
        let tally = Tally()
        for status in 0..<700 { tally.noteAnswer(1, status: status, bytes: 0) }
        let known = Array(200..<208) + Array(300..<309) + Array(400..<432) + Array(500..<512)
        var expected = Dictionary(uniqueKeysWithValues: known.map { ($0, 1) })
        expected[0] = 700 - known.count
        #expect(Dictionary(uniqueKeysWithValues: tally.answers(of: 1).map { ($0.status, $0.count) }) == expected)
        #expect(tally.answers(of: 0).isEmpty && tally.answers(of: 2).isEmpty)
    }

    @Test func requestsAreCountedByRouteAndStatus() throws {
        let handler = TestHandler { request in
            let route = Int(request.head.path.dropping(prefix: "/").flatMap { Int($0.string) } ?? 0)
            request.head.note(route: route)
            return .send(.text("12345", status: route == 63 ? .created : .ok))
        }
        try withServer(handler, .test.with(\.loopCount, 2)) { server in
            for path in ["/1", "/1", "/63", "/64", "/x"] {
                _ = try HTTPClient(port: server.port).send("GET", path)
            }
            _ = try HTTPClient(port: server.port).send("HEAD", "/1")
            let figures = server.figures
            #expect(figures.routes.map(\.number) == [0, 1, 63])
            #expect(figures.routes.map(\.answers) == [[200: 2], [200: 3], [201: 1]])
            #expect(figures.sentBytes == 5 * 5)
        }
    }

    /// The client has its answer before the turn ends in which its time is counted, so this waits for the next answer.
    @Test func timesAreThoseOfTheirRoute() throws {
        let gate = Gate()
        let slow = gate.handler
        let handler = TestHandler { request in
            request.head.note(route: request.head.path == "/gate" ? 1 : 2)
            return slow.answer(request)
        }
        try withServer(handler) { server in
            let answer = try answerLater { _ = try HTTPClient(port: server.port).send("GET", "/gate") }
            gate.waitUntilEntered()
            let entered = WakeGroup.now
            while WakeGroup.now < entered + 3_000 {}
            gate.open()
            answer.wait(until: { $0 }) { _ in }
            for _ in 0..<2 { _ = try HTTPClient(port: server.port).send("GET", "/quick") }
            let routes = server.figures.routes
            let times = try #require(routes.first { $0.number == 1 }).times
            #expect(times.counts.reduce(0, +) == 1)
            #expect(times.microseconds >= 3_000)
            #expect(times.counts[..<12].allSatisfy { $0 == 0 }, "none was at most 2,048 µs")
        }
    }

    /// A refusal before the handler is asked belongs to no route.
    @Test func refusalsAreCountedToo() throws {
        try withServer(TestHandler { _ in .send(.text("")) }) { server in
            let socket = try RawSocket(port: server.port)
            try socket.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
            #expect(try socket.readResponse().status == 400)
            #expect(server.figures.routes.map(\.answers) == [[400: 1]])
        }
    }

    private func answerLater(_ body: @escaping @Sendable () throws -> Void) throws -> Locked<Bool> {
        let isDone = Locked(false)
        try Thread {
            try? body()
            isDone.change { $0 = true }
        }.detach()
        return isDone
    }
}

/// Streams and polls are counted while they are open, and news is timed up to the last of them.
@Suite struct FollowerFiguresTests {
    /// Sends a byte after each wake.
    private final class Ticker: ContentSource {
        let ticks: Locked<Int>
        private var sent = 0

        init(_ ticks: Locked<Int>) { self.ticks = ticks }

        func next(_ occasion: Occasion) -> ContentStep {
            guard sent < ticks.withLock({ $0 }) else { return .wait }
            sent += 1
            return .send([UInt8(ascii: "t")])
        }
    }

    private final class Poll: AnswerSource {
        let ticks: Locked<Int>

        init(_ ticks: Locked<Int>) { self.ticks = ticks }

        func answer(_ occasion: Occasion) -> Response? {
            ticks.withLock { $0 } > 0 ? .text("now") : nil
        }
    }

    private static func handler(_ ticks: Locked<Int>, _ group: WakeGroup) -> TestHandler {
        TestHandler { request in
            switch request.head.path {
            case "/stream":
                .stream(
                    ContentStream(
                        head: .text(""), Ticker(ticks), in: [group], silenceMilliseconds: 60_000))
            case "/poll":
                .wait(AnswerWait(for: Poll(ticks), in: [group], milliseconds: 60_000, silenceSeconds: 60))
            default: .send(.text(""))
            }
        }
    }

    /// Asks until the condition holds: a connection that is closed is noticed some turns later.
    private static func wait(for server: Server, until condition: (Server.Figures) -> Bool) throws {
        while !condition(server.figures) { _ = try HTTPClient(port: server.port).send("GET", "/") }
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func streamsAndPollsAreCountedWhileTheyAreOpen() throws {
        let (ticks, group) = (Locked(0), WakeGroup())
        try withServer(Self.handler(ticks, group)) { server in
            var sockets: [RawSocket] = []
            for path in ["/stream", "/stream", "/poll"] {
                let socket = try RawSocket(port: server.port)
                try socket.send(get(path))
                sockets.append(socket)
            }
            try Self.wait(for: server) { $0.streams == 2 && $0.polls == 1 }
            sockets.removeFirst()
            try Self.wait(for: server) { $0.streams == 1 && $0.polls == 1 }
            ticks.withLock { $0 = 1 }
            group.wake()
            try Self.wait(for: server) { $0.streams == 1 && $0.polls == 0 }
            sockets.removeAll()
            try Self.wait(for: server) { $0.streams == 0 && $0.polls == 0 }
            // A poll is no request that took long.
            let times = try #require(server.figures.routes.first).times
            #expect(times.counts.reduce(0, +) < server.figures.routes[0].answers.values.reduce(0, +))
        }
    }

    /// One lag for each wake and loop, whatever the number of streams.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func newsIsTimedUpToTheLastStream() throws {
        let (ticks, group, untimed) = (Locked(0), WakeGroup.timed, WakeGroup())
        try withServer(Self.handler(ticks, group)) { server in
            let sockets = try (0..<3).map { _ in
                let socket = try RawSocket(port: server.port)
                try socket.send(get("/stream"))
                return socket
            }
            try Self.wait(for: server) { $0.streams == 3 }
            untimed.wake()
            group.wake()  // There is no news, so nobody gets any.
            for _ in 0..<2 { _ = try HTTPClient(port: server.port).send("GET", "/") }
            #expect(server.figures.lag.counts.reduce(0, +) == 0)
            ticks.withLock { $0 = 1 }
            group.wake(since: WakeGroup.now - 5_000)
            try Self.wait(for: server) { $0.lag.counts.reduce(0, +) > 0 }
            #expect(server.figures.lag.counts.reduce(0, +) == 1)
            #expect(server.figures.lag.microseconds >= 5_000)
            withExtendedLifetime(sockets) {}
        }
    }
}
