import Foundation
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The files of the page as they are served.
@Suite struct WebPageTests {
    private static let assets = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/CAssets")

    /// Files of the page below `Sources/CAssets`, and their addresses.
    private static let files = [
        "page/index.html": "/", "page/icon.svg": "/page/icon.svg", "page.js": "/page/main.js",
        "page.css": "/page/style.css", "reference.css": "/page/reference.css", "reference.js": "/page/reference.js",
    ]

    /// The sources of the page, as paths below `Sources/CAssets/page`.
    private static let sources =
        (try? FileManager.default.subpathsOfDirectory(atPath: assets.appending(path: "page").path).sorted()) ?? []

    @Test func theProgramHasTheFilesThatAreServed() {
        let others = ["openapi.yaml", "reference.html", "client.js", "client.d.ts", "page/index.html"]
        let names = Self.files.values.filter { $0 != "/" }.map { String($0.dropFirst()) } + others
        #expect(Set(Asset.all.keys) == Set(names.map { ByteText($0) }))
    }

    @Test func theScriptsAndStylesAreMadeOfTheirSources() throws {
        let join = Process()
        join.executableURL = Self.assets.appending(path: "../../.ci/join")
        join.arguments = ["--check"]
        try join.run()
        join.waitUntilExit()
        #expect(join.terminationStatus == 0)
    }

    @Test(arguments: files)
    func isServedAsItIs(_ file: String, _ address: String) throws {
        let harness = try Harness(lists: [])
        let reply = try harness.ask("GET", address)
        #expect(reply.status == 200)
        #expect(try Data(reply.response.body) == Data(contentsOf: Self.assets.appending(path: file)))
        let types = ["html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"]
        let suffix = file.split(separator: ".").last.map(String.init) ?? ""
        let type = try #require(types[suffix])
        #expect(reply["Content-Type"]?.split(separator: ";").first.map(String.init) == type)
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply["Referrer-Policy"] == "no-referrer")
        #expect(reply["Cache-Control"] == "no-cache")
        let policy = try #require(reply["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
        #expect(!policy.contains("unsafe"))
    }

    @Test(arguments: files.values.sorted() + ["/openapi.yaml", "/docs", "/client.js", "/client.d.ts"])
    func isFetchedOnce(_ target: String) throws {
        let harness = try Harness(lists: [])
        for accepted in [[:], ["Accept-Encoding": "gzip"]] {
            let first = try harness.ask("GET", target, accepted)
            let tag = try #require(first["ETag"])
            let again = try harness.ask("GET", target, accepted.merging(["If-None-Match": tag]) { $1 })
            #expect(again.status == 304)
            #expect(again["ETag"] == tag)
            #expect(again["Content-Encoding"] == nil)
            #expect(again.response.body.isEmpty)
            #expect(try harness.ask("GET", target, ["If-None-Match": "\"other\""]).status == 200)
        }
    }

    @Test(arguments: [
        ("client.js", "text/javascript; charset=utf-8", "text/css"),
        ("client.d.ts", "text/plain; charset=utf-8", "text/javascript"),
    ])
    func theClientIsServedAsItIs(_ file: String, type: String, other: String) throws {
        let harness = try Harness(lists: [])
        let reply = try harness.ask("GET", "/\(file)")
        #expect(reply.status == 200)
        #expect(try Data(reply.response.body) == Data(contentsOf: Self.assets.appending(path: file)))
        #expect(reply["Content-Type"] == type)
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply["Cache-Control"] == "no-cache")
        #expect(reply["ETag"]?.count == 34)
        #expect(try harness.ask("GET", "/\(file)", ["Accept": other]).status == 406)
    }

    @Test func theReferenceIsGuardedAsThePageIs() throws {
        let harness = try Harness(lists: [])
        let (reference, page) = (try harness.ask("GET", "/docs"), try harness.ask("GET", "/"))
        #expect(try Data(reference.response.body) == Data(contentsOf: Self.assets.appending(path: "reference.html")))
        #expect(reference["Content-Type"] == "text/html; charset=utf-8")
        for name in ["Content-Security-Policy", "X-Content-Type-Options", "Cache-Control", "Referrer-Policy"] {
            #expect(reference[name] != nil && reference[name] == page[name], "\(name)")
        }
        let coded = try harness.ask("GET", "/docs", ["Accept-Encoding": "gzip"])
        #expect(coded["Content-Encoding"] == "gzip")
        #expect(coded.response.body.count <= 65_536)
        #expect(try harness.ask("GET", "/docs", ["Accept": "application/json"]).status == 406)
    }

    @Test func theClientIsSmall() throws {
        let coded = try Harness(lists: []).ask("GET", "/client.js", ["Accept-Encoding": "gzip"])
        #expect(coded["Content-Encoding"] == "gzip")
        #expect(coded.response.body.count <= 16_384)
    }

    @Test func largeFilesComeAsGzip() throws {
        let harness = try Harness(lists: [])
        let plain = try harness.ask("GET", "/page/main.js")
        let coded = try harness.ask("GET", "/page/main.js", ["Accept-Encoding": "gzip"])
        #expect(coded["Content-Encoding"] == "gzip")
        #expect(try gunzipped(coded.response.body) == plain.response.body)
        #expect(coded["ETag"] == plain["ETag"].map { "\($0.dropLast())+gzip\"" })
    }

    static let refusals: [(target: String, fields: [String: String], status: Int)] = [
        ("/page/index.html", [:], 404), ("/page/none.js", [:], 404), ("/page/", [:], 404), ("/page", [:], 404),
        ("/page/main", [:], 404), ("/page/..%2Fassets.js", [:], 404), ("/page/%2Fmain.js", [:], 404),
        ("/?list=l", [:], 422), ("/", ["Accept": "text/csv"], 406), ("/", ["Accept": "application/json"], 200),
        ("/page/main.js", ["Accept": "text/css"], 406), ("/page/style.css", ["Accept": "text/css"], 200),
    ]

    @Test(arguments: refusals)
    func otherwiseItIsRefused(_ row: (target: String, fields: [String: String], status: Int)) throws {
        #expect(try Harness(lists: []).ask("GET", row.target, row.fields).status == row.status)
    }

    /// The page has no scripts or styles within its HTML and no addresses of other servers, which its policy would
    /// block.
    @Test(arguments: sources.filter { $0.hasSuffix(".html") || $0.hasSuffix(".js") })
    func takesNothingFromElsewhere(_ file: String) throws {
        let text = try String(contentsOf: Self.assets.appending(path: "page/\(file)"), encoding: .utf8)
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "<style", "https://"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.replacing("http://www.w3.org/2000/svg", with: "").contains("http://") == false)
    }
}
