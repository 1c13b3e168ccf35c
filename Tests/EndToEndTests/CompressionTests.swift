import Foundation
import TestSupport
import Testing

/// gzip through the real binary, as tools ask for it.
@Suite struct CompressionTests {
    @Test func curlReadsWhatItAskedFor() throws {
        let server = try ServerProcess(["--memory", "--samples"])
        for target in ["/v1/lists/emoji-explorer", "/v1/lists/emoji-explorer?view=visible", "/openapi.yaml"] {
            let plain = try server.client.send("GET", target)
            #expect(plain["Content-Encoding"] == nil)
            #expect(try curl(["--compressed"], server.port, target) == Data(plain.body), "\(target)")
            // The second answer is made already.
            for _ in 0..<2 {
                let coded = try server.client.send("GET", target, [("Accept-Encoding", "br, gzip")])
                #expect(coded["Content-Encoding"] == "gzip")
                #expect(coded.body.count < plain.body.count / 2)
                #expect(try gunzipped(coded.body) == plain.body)
                let head = try server.client.send("HEAD", target, [("accept-encoding", "gzip")])
                #expect(head["Content-Encoding"] == "gzip")
                #expect(head["Content-Length"] == "\(coded.body.count)")
                #expect(head["ETag"] == coded["ETag"])
            }
        }
        #expect(server.stop() == 0)
    }

    @Test func notModifiedHasTheTagOfItsAnswer() throws {
        let server = try ServerProcess(["--memory", "--samples"])
        let target = "/v1/lists/emoji-explorer"
        let plain = try #require(try server.client.send("GET", target)["ETag"])
        let coded = try #require(try server.client.send("GET", target, [("Accept-Encoding", "gzip")])["ETag"])
        #expect(coded == plain.dropLast() + "+gzip\"")
        for known in [plain, coded] {
            let again = try server.client.send("GET", target, [("If-None-Match", known), ("Accept-Encoding", "gzip")])
            #expect(again.status == 304)
            #expect(again["ETag"] == coded)
            // Several lines of one field are one list.
            let fields = [("If-None-Match", known), ("Accept-Encoding", "gzip"), ("Accept-Encoding", "identity;q=0.5")]
            #expect(try server.client.send("GET", target, fields)["ETag"] == coded)
            let other = try server.client.send("GET", target, [("If-None-Match", known)])
            #expect(other.status == 304)
            #expect(other["ETag"] == plain)
        }
        #expect(server.stop() == 0)
    }

    private func curl(_ options: [String], _ port: UInt16, _ target: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl", "--silent", "--fail"] + options + ["http://127.0.0.1:\(port)\(target)"]
        let output = Pipe()
        process.standardOutput = output
        try process.runAlone()
        let body = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return body
    }
}
