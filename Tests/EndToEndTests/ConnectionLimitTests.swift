import Foundation
import TestSupport
import Testing

/// Too many connections and too few descriptors, tested on the real binary.
@Suite struct ServedConnectionLimitTests {
    private func expectRefusal(_ response: RawResponse, _ status: Int, _ code: String, limit: String) {
        #expect(response.status == status)
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(response["Retry-After"] == "5")
        #expect(response["Connection"] == "close")
        #expect(response.text.contains("\"code\":\"\(code)\""))
        #expect(response.text.contains("\"limit\":\(limit)"))
    }

    /// Opens connections and waits until each has been served.
    private func connect(_ count: Int, to port: UInt16) throws -> [HTTPClient] {
        try (0..<count).map { _ in
            let client = HTTPClient(port: port)
            let response = try client.send("GET", "/readyz")
            #expect(response.status == 200)
            return client
        }
    }

    /// Connects anew until it is served. The server may learn later than its next client that another has left.
    private func connectOnceThereIsRoom(to port: UInt16) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let status = try HTTPClient(port: port).send("GET", "/readyz").status
            if status == 200 { return }
            try #require(status == 503 && ContinuousClock.now < deadline, "still refused with \(status)")
        }
    }

    @Test func refusalsAreProblems() throws {
        let rows = [
            ("--connections-max", 503, "too_many_connections", #"{"name":"connectionsMax","value":3}"#),
            (
                "--connections-per-address-max", 429, "too_many_connections_of_address",
                #"{"name":"connectionsPerAddressMax","value":3}"#
            ),
        ]
        for (flag, status, code, limit) in rows {
            let server = try ServerProcess(["--memory", flag, "3"])
            let clients = try connect(3, to: server.port)
            try expectRefusal(server.client.send("GET", "/v1/lists"), status, code, limit: limit)
            for client in clients { #expect(try client.send("GET", "/readyz").status == 200) }
            #expect(server.stop() == 0)
            #expect(!server.log.contains(" error "))
        }
    }

    /// The beginning of a command that limits the number of open files. It drops the privilege to raise the limit.
    private static func limited(to files: Int) -> [String] {
        let drop = getuid() == 0 ? "setpriv --bounding-set -sys_resource " : ""
        return ["sh", "-c", "ulimit -n \(files); exec \(drop)\"$@\"", "sh"]
    }

    /// More clients than open files: the server says at its start how many fit, serves these and refuses the others.
    /// When they have left, it serves everybody again.
    @Test(arguments: [64, 200])
    func saysHowManyFit(files: Int) throws {
        let server = try ServerProcess(["--memory"], under: Self.limited(to: files))
        var clients = try (0..<files + 100).map { _ in try RawSocket(port: server.port) }
        for client in clients { try client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        let statuses = try clients.map { try $0.readResponse().status }
        let served = statuses.filter { $0 == 200 }.count
        #expect(statuses.filter { $0 == 503 }.count == clients.count - served)
        clients = []
        for _ in 1...2 * files { try connectOnceThereIsRoom(to: server.port) }
        #expect(server.stop() == 0)
        let log = server.log
        #expect(log.contains("Only \(served) of 16384 connections fit: this process may open \(files) files"), "\(log)")
    }

    private static let mayRaiseLimits: Bool = {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "ulimit -n 200; ulimit -n 201 2>/dev/null"]
        guard (try? shell.runAlone()) != nil else { return false }
        shell.waitUntilExit()
        return shell.terminationStatus == 0
    }()

    @Test(.enabled(if: mayRaiseLimits, "raising the limit of open files takes privileges"))
    func raisesTheLimitWhereItMay() throws {
        let shell = ["sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"]
        let server = try ServerProcess(["--memory", "--connections-max", "600"], under: shell)
        let clients = try connect(600, to: server.port)
        #expect(try server.client.send("GET", "/readyz").status == 503)
        let limits = try String(contentsOfFile: "/proc/\(server.processIdentifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers.allSatisfy { (856...1_000).contains($0) }, "\(line)")
        #expect(clients.count == 600)
        #expect(server.stop() == 0)
        #expect(!server.log.contains("connections fit"))
    }
}
