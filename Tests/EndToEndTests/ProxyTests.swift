import Foundation
import Glibc
import JSONValue
import TestSupport
import Testing

/// A stream through nginx. nginx compresses it, cuts it when it is silent, and may hold it back.
@Suite struct ProxyTests {
    @Test func aStreamThroughAProxyConverges() throws {
        // The heartbeat is longer than the silence that the proxy allows.
        let server = try ServerProcess(["--memory", "--samples", "--heartbeat-seconds", "600"])
        let proxy = try Proxy(to: server.port)
        var image: JSONList?
        var version = ""
        for round in 1...4 {
            let stream = try proxy.follow(Self.changes, lastEventID: version)
            try write(round, to: server)
            // The stream is read until the proxy cuts it.
            while let event = try stream.next() {
                #expect(event.name == (image == nil ? "reset" : "change"))
                if image != nil { #expect(event.json["from"]?.string == version) }
                image = try (image ?? JSONList(snapshot: .null)).applying(event.json)
                version = event.id
            }
            if round < 4 { try write(2, to: server) }
        }
        try expect(image, version, asServedBy: server)
        #expect(server.stop() == 0)
    }

    /// A proxy may hold streams back in spite of `X-Accel-Buffering`. An answer that ends gets through.
    @Test func whereStreamsDoNotPassLongPollsDo() throws {
        let server = try ServerProcess(["--memory", "--samples"])
        let proxy = try Proxy(to: server.port, setting: "proxy_ignore_headers X-Accel-Buffering;")
        let client = HTTPClient(port: proxy.port)
        var image: JSONList?
        var version = ""
        for round in 1...4 {
            let since = version.isEmpty ? "" : "&since=\(version)"
            let answer = try client.send("GET", Self.changes + "?wait=55" + since)
            let change = try JSONValue(parsing: answer.body)
            image = try (image ?? JSONList(snapshot: .null)).applying(change)
            version = change["to"]?.string ?? ""
            if round < 4 { try write(round, to: server) }
        }
        try expect(image, version, asServedBy: server)
    }

    private static let list = "/v1/lists/emoji-explorer"
    private static let changes = list + "/changes"

    /// Writes in such a way that no write cancels another one out.
    private func write(_ count: Int, to server: ServerProcess) throws {
        for _ in 0..<count {
            let version = try server.client.send("GET", Self.list)["List-Version"] ?? ""
            let answer = try server.client.send("PATCH", Self.list, json: #"{"title":"After \#(version)"}"#)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    private func expect(_ image: JSONList?, _ version: String, asServedBy server: ServerProcess) throws {
        let snapshot = try server.client.send("GET", Self.list)
        #expect(version == snapshot["List-Version"])
        #expect(try image == JSONList(snapshot: JSONValue(parsing: snapshot.body)))
    }
}

extension Proxy {
    fileprivate func follow(_ target: String, lastEventID: String) throws -> CurlStream {
        try CurlStream("http://127.0.0.1:\(port)\(target)", lastEventID: lastEventID)
    }
}

/// A stream that curl reads and decompresses.
private final class CurlStream {
    private let process = Process()
    private let output = Pipe()
    private var parser: EventParser

    init(_ url: String, lastEventID: String) throws {
        parser = EventParser(lastEventID: lastEventID)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl", "-sN", "--compressed", "-H", "Accept: text/event-stream", url]
        if !lastEventID.isEmpty {
            process.arguments?.insert(contentsOf: ["-H", "Last-Event-ID: \(lastEventID)"], at: 1)
        }
        process.standardOutput = output
        try process.runAlone()
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The next event; nil when the connection has ended. An event that is not complete then is dropped.
    func next() throws -> EventClient.Event? {
        while true {
            if let event = parser.next() { return event }
            guard let bytes = try output.fileHandleForReading.read(upToCount: 65_536), !bytes.isEmpty else {
                return nil
            }
            parser.push(Array(bytes))
        }
    }
}
