import JSONValue
import Testing
import Threads

@testable import JSONWebTokens

@Suite struct TokenVerifierTests {
    private let token = tokensOfAllAlgorithms[8].token
    private let right = WebToken(subject: "ada", expiry: 2000, claims: [:], signer: [])

    @Test func aRightTokenIsRemembered() throws {
        let file = try KeyFileHere(Keys.all)
        let verifier = try file.verifier()
        #expect(verifier.known(token, now: 1000) == nil)
        #expect(try verifier.verify(token, now: 1000).subject == "ada")
        #expect(verifier.known(token, now: 1000)?.subject == "ada")
        #expect(verifier.cache.count == 1)
        #expect(try verifier.verify(token, now: 2029).expiry == 2000)
        #expect(verifier.cache.count == 1)
    }

    @Test func itIsForgottenWhenItEnds() throws {
        let file = try KeyFileHere(Keys.all)
        let verifier = try file.verifier()
        _ = try verifier.verify(token, now: 1000)
        #expect(throws: WebTokenError.expired(at: 2000)) { try verifier.verify(token, now: 2030) }
        #expect(verifier.cache.count == 0)
    }

    @Test("A token ends in either generation", arguments: [2, 10])
    func ends(countMax: Int) {
        let cache = TokenCache<WebToken>(countMax: countMax)
        cache.add(right, for: "a", keys: 0, until: 2000)
        #expect(cache.find("a", keys: 0, now: 1999) == right)
        #expect(cache.find("a", keys: 0, now: 2000) == nil)
        #expect(cache.count == 0)
    }

    @Test("A wrong token is not remembered", arguments: refusedForTheirHeader + refusedForTheirClaims)
    func wrong(_ row: Refusal) throws {
        let file = try KeyFileHere(Keys.all)
        let verifier = try file.verifier()
        for _ in 0..<2 { #expect(throws: row.error) { try verifier.verify(row.token, now: 1000) } }
        #expect(verifier.cache.count == 0)
    }

    @Test func aTokenThatDiffersInOneByteIsAnotherOne() throws {
        let file = try KeyFileHere(Keys.all)
        let verifier = try file.verifier()
        _ = try verifier.verify(token, now: 1000)
        let parts = token.string.split(separator: ".")
        let other = ByteText("\(parts[0]).\(base64URL(usualClaims.replacing("ada", with: "bob"))).\(parts[2])")
        #expect(throws: WebTokenError.signature) { try verifier.verify(other, now: 1000) }
    }

    @Test func whatReadsATokenMayRefuseIt() throws {
        let file = try KeyFileHere(Keys.all)
        _ = try file.source.look()
        let verifier = TokenVerifier(
            source: file.source, issuer: "https://a.example", audience: "lists", leewaySeconds: 30, cachedMax: 100
        ) { _ throws(WebTokenError) -> Int in throw .badMember("scope") }
        #expect(throws: WebTokenError.badMember("scope")) { try verifier.verify(token, now: 1000) }
        #expect(verifier.cache.count == 0)
    }

    @Test func aKeyIsKnownAgainByItsNumbers() throws {
        let file = try KeyFileHere(Keys.all)
        let signer = try file.verifier().verify(token, now: 1000).signer
        try file.write(Keys.set(Keys.rsa, Keys.ed25519.replacing("\"ed\"", with: "\"other\"")))
        #expect(try file.source.look() == .newKeys(2))
        #expect(file.source.current.keys.has(signer))
        try file.write(Keys.set(Keys.rsa))
        #expect(try file.source.look() == .newKeys(1))
        #expect(!file.source.current.keys.has(signer))
    }

    @Test func newKeysForgetAllTokens() throws {
        let file = try KeyFileHere(Keys.all)
        let verifier = try file.verifier()
        _ = try verifier.verify(token, now: 1000)
        try file.write(Keys.set(Keys.rsa))
        #expect(try file.source.look() == .newKeys(1))
        #expect(throws: WebTokenError.unknownKey("ed")) { try verifier.verify(token, now: 1000) }
        let other = tokensOfAllAlgorithms[0].token
        _ = try verifier.verify(other, now: 1000)
        #expect(verifier.cache.count == 1)
    }

    @Test func aTokenOfOldKeysComesTooLate() {
        let cache = TokenCache<WebToken>(countMax: 10)
        cache.add(right, for: "a", keys: 2, until: 2000)
        cache.add(right, for: "b", keys: 1, until: 2000)
        #expect(cache.find("a", keys: 2, now: 1000) == right)
        #expect(cache.find("b", keys: 2, now: 1000) == nil)
        #expect(cache.find("b", keys: 1, now: 1000) == nil)
        #expect(cache.find("a", keys: 3, now: 1000) == nil)
        cache.add(right, for: "c", keys: 3, until: 2000)
        #expect(cache.count == 1)
    }

    @Test func thereAreNeverTooMany() {
        let cache = TokenCache<WebToken>(countMax: 10)
        cache.add(right, for: "used", keys: 1, until: 2000)
        for number in 0..<1000 {
            cache.add(right, for: "\(number)", keys: 1, until: 2000)
            #expect(cache.count <= 10)
            #expect(cache.find("used", keys: 1, now: 1000) == right)
        }
        #expect(cache.find("999", keys: 1, now: 1000) == right)
        #expect(cache.find("900", keys: 1, now: 1000) == nil)
    }

    @Test func threadsShareIt() throws {
        let file = try KeyFileHere(Keys.all)
        let verifier = try file.verifier()
        let wrong = Locked(0)
        let threads = try (0..<4).map { index in
            try Thread {
                for round in 0..<200 {
                    let row = (tokensOfAllAlgorithms + tokensOfOtherForms)[(index + round) % 18]
                    let subject = try? verifier.verify(row.token, now: 1000).subject
                    if subject != row.subject { wrong.withLock { $0 += 1 } }
                    if round % 50 == 0 {
                        try? file.write(Keys.all + Array(repeating: 0x20, count: index * 200 + round))
                        _ = try? file.source.look()
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == 0)
    }
}
