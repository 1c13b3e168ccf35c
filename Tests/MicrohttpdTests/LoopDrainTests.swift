import Testing
import Threads

@testable import Microhttpd

@Suite struct LoopDrainTests {
    /// Nothing wakes a loop without connections, so it must not wait for connections to close.
    @Test func aLoopWithoutConnectionsIsDrainedAtOnce() throws {
        let configuration = Server.Configuration(
            host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 4, connectionsPerAddressMax: 4,
            requestDeadlineSeconds: 5, idleTimeoutSeconds: 5, listenBacklog: 4)
        let sockets = try configuration.listen()
        let loop = try EventLoop(
            sockets[0], configuration.engineOptions, Connections(configuration.connectionLimits, .unbounded),
            TestHandler { _ in .send(.text("served")) })
        defer { loop.close() }
        loop.beginDrain(graceSeconds: 10)
        #expect(loop.isDrained())
    }
}
