import Foundation
import HTTPTypes
import JSONValue
import Microhttpd
import Testing
import Threads

@testable import JSONWebTokens

@Suite struct KeySourceTests {
    private let unknown = tokensOfAllAlgorithms[8].token

    @Test func aFileIsReadAgain() throws {
        let file = try KeyFileHere(Keys.set(Keys.rsa))
        #expect(try file.source.look() == .newKeys(1))
        #expect(try file.source.look() == .nothingNew)
        #expect(file.source.current.number == 1)
        try file.write(Keys.set(Keys.rsa, Keys.p256))
        #expect(try file.source.look() == .newKeys(2))
        #expect(file.source.current.number == 2)
    }

    @Test func aFileThatIsWrongChangesNothing() throws {
        let file = try KeyFileHere(Keys.all)
        #expect(try file.source.look() == .newKeys(4))
        let wrong: [([UInt8], KeySourceError)] = [
            ([], .keys(.notJSON(JSONError(reason: .empty, offset: 0)))),
            (Keys.set(Keys.weak), .keys(.weak(bits: 1024, ofKey: 0))),
            ([UInt8](repeating: 0x20, count: 262_145), .tooLong),
        ]
        for (bytes, error) in wrong {
            try file.write(bytes)
            #expect(throws: error) { try file.source.look() }
        }
        try FileManager.default.removeItem(atPath: file.path)
        #expect(throws: KeySourceError.file(errno: ENOENT)) { try file.source.look() }
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: KeySourceError.file(errno: EISDIR)) { try file.source.look() }
        #expect(file.source.current.keys.count == 4)
        #expect(file.source.current.number == 1)
    }

    @Test func aURLIsFetched() throws {
        let issuer = try Issuer(.ok, Keys.all)
        let source = issuer.source()
        #expect(try source.look() == .newKeys(4))
        #expect(try source.look() == .nothingNew)
        #expect(issuer.paths == ["/keys", "/keys"])
    }

    @Test func aFetchThatFailsChangesNothing() throws {
        let issuer = try Issuer(.ok, Keys.all)
        let source = issuer.source()
        #expect(try source.look() == .newKeys(4))
        let longest = Keys.all + [UInt8](repeating: 0x20, count: 262_144 - Keys.all.count)
        let wrong: [(Issuer.Reply, KeySourceError)] = [
            (.send(.notFound, Keys.all), .status(404)), (.send(.internalServerError, []), .status(500)),
            (.send(.found, Keys.all), .status(302)), (.send(.noContent, []), .status(204)),
            (.send(.ok, []), .keys(.notJSON(JSONError(reason: .empty, offset: 0)))),
            (.send(.ok, longest + [0x20]), .tooLong),
        ]
        for (reply, error) in wrong {
            issuer.reply(reply)
            #expect(throws: error) { try source.look() }
        }
        // The redirect was not followed.
        #expect(issuer.paths == Array(repeating: "/keys", count: 7))
        issuer.server.stop(graceSeconds: 0)
        #expect(throws: KeySourceError.self) { try source.look() }
        #expect(source.current.keys.count == 4)
        #expect(source.current.number == 1)
    }

    @Test func theLongestDocumentIsTaken() throws {
        let issuer = try Issuer(.ok, Keys.all + [UInt8](repeating: 0x20, count: 262_144 - Keys.all.count))
        #expect(try issuer.source().look() == .newKeys(4))
    }

    @Test(
        "Other schemes are not fetched",
        arguments: ["file:///etc/hostname", "ftp://127.0.0.1:1/", "gopher://127.0.0.1:1/"])
    func schemes(_ url: String) throws {
        let fetcher = try #require(KeyFetcher())
        #expect(code { try fetcher.get(url, deadlineMilliseconds: 5_000) } == 1)  // CURLE_UNSUPPORTED_PROTOCOL
    }

    @Test func aFetchHasADeadline() throws {
        let issuer = try Issuer(.silence)
        let fetcher = try #require(KeyFetcher())
        #expect(code { try fetcher.get(issuer.url, deadlineMilliseconds: 50) } == 28)  // CURLE_OPERATION_TIMEDOUT
    }

    @Test func theThreadLooksWhenAKeyIsUnknown() throws {
        let issuer = try Issuer(.ok, Keys.set(Keys.rsa))
        let time = Locked(100)
        let heard = Locked([Result<KeySource.Found, KeySourceError>]())
        let source = KeySource(.url(issuer.url), everySeconds: 3_600, clock: { time.withLock { $0 } }) { result in
            heard.change { $0.append(result) }
        }
        #expect(try source.look() == .newKeys(1))
        try source.start()
        defer { source.stop() }
        let verifier = TokenVerifier(
            source: source, issuer: "https://a.example", audience: "lists", leewaySeconds: 30, cachedMax: 10
        ) { token throws(WebTokenError) in token }
        issuer.reply(.send(.ok, Keys.all))

        // Too early.
        time.withLock { $0 = 129 }
        #expect(throws: WebTokenError.unknownKey("ed")) { try verifier.verify(unknown, now: 1000) }
        #expect(!source.ask())
        // Another fault than an unknown key is no reason to look.
        time.withLock { $0 = 130 }
        #expect(throws: WebTokenError.notThreeParts) { try verifier.verify("", now: 1000) }
        #expect(issuer.paths.count == 1)

        #expect(throws: WebTokenError.unknownKey("ed")) { try verifier.verify(unknown, now: 1000) }
        heard.wait(until: { !$0.isEmpty }) { #expect($0 == [.success(.newKeys(4))]) }
        #expect(try verifier.verify(unknown, now: 1000).subject == "ada")
        #expect(issuer.paths.count == 2)
        #expect(!source.ask())
    }

    @Test func theThreadLooksFromTimeToTime() throws {
        let file = try KeyFileHere(Keys.all)
        let heard = Locked([Result<KeySource.Found, KeySourceError>]())
        let source = KeySource(.file(file.path), everySeconds: 1, clock: { 0 }) { result in
            heard.change { $0.append(result) }
        }
        try source.start()
        heard.wait(until: { $0.count >= 2 }) { #expect($0[0...1] == [.success(.newKeys(4)), .success(.nothingNew)]) }
        source.stop()
    }

    /// The fetch ends because it is stopped, and not because its time is over.
    @Test func aFetchIsStopped() throws {
        let issuer = try Issuer(.silence)
        let heard = Locked([Result<KeySource.Found, KeySourceError>]())
        let source = KeySource(.url(issuer.url), everySeconds: 3_600, clock: { 0 }) { result in
            heard.change { $0.append(result) }
        }
        try source.start()
        source.ask()
        issuer.waitForRequest()
        source.stop()
        let code = heard.withLock { heard in heard.first.flatMap { result in self.code { try result.get() } } }
        #expect(code == 42)  // CURLE_ABORTED_BY_CALLBACK
    }

    /// The code with which a fetch fails; nil if it does not fail so.
    private func code(_ body: () throws -> Any) -> Int32? {
        do { _ = try body() } catch KeySourceError.fetch(let code, _) { return code } catch {}
        return nil
    }
}
