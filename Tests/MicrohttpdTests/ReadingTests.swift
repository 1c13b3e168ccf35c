import Glibc
import TestSupport
import Testing
import Threads

@testable import Microhttpd

/// Whether a client reads too slowly. It must read 1,000 bytes a second over 8 seconds.
@Suite struct ReadingTests {
    private static let readers = LoopMemory.Readers(bytesPerSecondMin: 1_000, interval: 8_000)

    /// Rows of what a client has read after each second, and the second at which it is cut; nil if it is not. Something
    /// always waits in the system for the client, but where the bytes are negative.
    static let clients: [(name: String, read: [Int], cut: Int?)] = [
        ("nothing", Array(repeating: 0, count: 20), 9),
        ("just enough", (0..<60).map { 1_000 * $0 }, nil),
        ("a little less", (0..<60).map { 990 * $0 }, 9),
        ("what its system takes at first", [0] + (1..<60).map { 8_500 + 400 * $0 }, 9),
        ("a part of it at first", [0] + (1..<60).map { 6_000 + 400 * $0 }, 9),
        ("a lot once", [0, 1_000_000] + Array(repeating: 1_000_000, count: 20), 9),
        ("everything from time to time", [0, 0, 0, 0, 0, 0, 0, -10, 10, 10, 10, 10, 10, 10, 10, -20, 20, 20], nil),
        ("in bursts", (0..<60).map { 8_000 * ($0 / 7) }, nil),
    ]

    @Test(arguments: clients.indices)
    func theIntervalBeginsAnewWithEachReading(_ index: Int) {
        let row = Self.clients[index]
        var reading: Reading?
        var cut: Int?
        for (second, bytes) in row.read.enumerated() where cut == nil {
            let now = UInt64(second) * 1_000
            if let reading, now < reading.nextLook { continue }
            let next = Reading(
                after: reading, Self.readers, acknowledged: UInt64(abs(bytes)), isBehind: bytes >= 0, now: now)
            if now >= next.since + Self.readers.interval { cut = second }
            reading = next
        }
        #expect(cut == row.cut, "\(row.name)")
    }

    /// The system does not take megabytes for a client that does not read.
    @Test func theSystemTakesLittleThatIsNotSent() throws {
        let listener = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 1, isShared: false)
        defer { listener.close() }
        let client = try RawSocket(port: listener.port)
        var polled = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, -1)
        let accepted = accept(listener.descriptor, nil, nil)
        defer { close(accepted) }
        let piece = [UInt8](repeating: 0, count: 1 << 16)
        var taken = 0
        while case let count = send(accepted, piece, piece.count, Int32(MSG_DONTWAIT)), count > 0 { taken += count }
        // What the client's system has room for is on its way.
        #expect(taken >= 256 << 10 && taken <= 1 << 20)
        withExtendedLifetime(client) {}
    }

    /// A connection that the engine closes is kept by the system until the client has taken what is sent.
    @Test(arguments: [0, 1_024], [1, 5, 60])
    func theEngineClosesNobodyBeforeTheLoopHasLooked(_ bytesPerSecondMin: Int, _ idle: Int) {
        var configuration = Server.Configuration.test
        configuration.idleTimeoutSeconds = idle
        configuration.readBytesPerSecondMin = bytesPerSecondMin
        let silence = configuration.engineOptions.silenceSeconds
        #expect(silence == (bytesPerSecondMin == 0 ? idle + 2 : 2 * idle + 2))
    }
}
