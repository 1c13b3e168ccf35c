import Dispatch
import Microhttpd
import TestSupport
import Testing

/// The engine's own loop stops for good when a multiple of 128 connections are ready at once.
@Suite(.serialized) struct StallTests {
    static let counts = [64, 127, 128, 129, 256, 512]

    /// The loop is held in a handler while all connections send.
    @Test(arguments: counts)
    func answersAllThatAreReadyAtOnce(count: Int) throws {
        let gate = Gate()
        try withServer(gate.handler) { server in
            let clients = try (0..<count).map { _ in try RawSocket(port: server.port) }
            for client in clients { try client.send(get("/accepted")) }
            for client in clients { #expect(try client.readResponse().text == "/accepted") }
            let holder = try RawSocket(port: server.port)
            try holder.send(get("/gate"))
            gate.waitUntilEntered()
            for client in clients { try client.send(get("/ready")) }
            gate.open()
            for client in clients { #expect(try client.readResponse().text == "/ready") }
            #expect(try holder.readResponse().text == "/gate")
        }
    }

    @Test(arguments: counts)
    func answersAllThatAreResumedAtOnce(count: Int) throws {
        let waiting = Waiting()
        try withServer(waiting.handler) { server in
            let clients = try (0..<count).map { _ in try RawSocket(port: server.port) }
            for _ in 1...2 {
                for client in clients { try client.send(get("/")) }
                let all = waiting.take(count)
                DispatchQueue.concurrentPerform(iterations: 4) { part in
                    for index in stride(from: part, to: count, by: 4) {
                        all[index].resumption.resume(with: .text("resumed"))
                    }
                }
                for client in clients { #expect(try client.readResponse().text == "resumed") }
            }
        }
    }
}
