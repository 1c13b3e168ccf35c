import JSONValue
import Testing

@testable import JSONWebTokens

@Suite struct WebKeysTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let document: [UInt8]
        let error: WebKeysError

        init(_ name: String, _ document: [UInt8], _ error: WebKeysError) {
            testDescription = name
            self.document = document
            self.error = error
        }

        init(_ name: String, _ document: String, _ error: WebKeysError) {
            self.init(name, Array(document.utf8), error)
        }
    }

    private static let modulus = String(repeating: "_", count: 341) + "w"
    private static let x = String(repeating: "A", count: 42)

    static let wrong = [
        Wrong("empty", "", .notJSON(JSONError(reason: .empty, offset: 0))),
        Wrong("an array", "[]", .noKeys),
        Wrong("one key", Keys.rsa, .noKeys),
        Wrong("keys is an object", #"{"keys":{}}"#, .noKeys),
        Wrong(
            "keys twice", #"{"keys":[],"keys":[]}"#,
            .notJSON(JSONError(reason: .duplicateKey("keys"), offset: 11))),
        Wrong("too long", Keys.set(Keys.rsa) + [UInt8](repeating: 0x20, count: 262_145), .tooLong),
        Wrong(
            "too many keys", #"{"keys":[{"kty":"x"}\#(String(repeating: #",{"kty":"x"}"#, count: 64))]}"#, .tooManyKeys),
        Wrong("a key is a string", Keys.set(#""""#), .badMember("keys", ofKey: 0)),
        Wrong("no type", Keys.set("{}"), .badMember("kty", ofKey: 0)),
        Wrong("type is a number", Keys.set(#"{"kty":1}"#), .badMember("kty", ofKey: 0)),
        Wrong("a shared secret", Keys.set(Keys.rsa, #"{"kty":"oct","k":"AAAA"}"#), .sharedSecret(ofKey: 1)),
        Wrong("a shared secret, to encrypt", Keys.set(#"{"kty":"oct","use":"enc"}"#), .sharedSecret(ofKey: 0)),
        Wrong("1,024 bits", Keys.set(Keys.weak), .weak(bits: 1024, ofKey: 0)),
        Wrong("1 bit with zeros before it", Keys.set(rsa("AAAB", "AQAB")), .weak(bits: 1, ofKey: 0)),
        Wrong("0 bits", Keys.set(rsa("", "AQAB")), .weak(bits: 0, ofKey: 0)),
        Wrong(
            "too many bits", Keys.set(rsa(String(repeating: "____", count: 342), "AQAB")),
            .badMember("n", ofKey: 0)),
        Wrong("an even modulus", Keys.set(rsa("\(modulus.dropLast())g", "AQAB")), .badMember("n", ofKey: 0)),
        Wrong("an exponent of 1", Keys.set(rsa(modulus, "AQ")), .badMember("e", ofKey: 0)),
        Wrong("an even exponent", Keys.set(rsa(modulus, "AQAC")), .badMember("e", ofKey: 0)),
        Wrong("no exponent", Keys.set(rsa(modulus, "")), .badMember("e", ofKey: 0)),
        Wrong("a long exponent", Keys.set(rsa(modulus, "AQAAAAE")), .badMember("e", ofKey: 0)),
        Wrong("no modulus", Keys.set(#"{"kty":"RSA","e":"AQAB"}"#), .badMember("n", ofKey: 0)),
        Wrong("a padded modulus", Keys.set(rsa(modulus + "==", "AQAB")), .badMember("n", ofKey: 0)),
        Wrong("no curve", Keys.set(#"{"kty":"EC","x":"AA","y":"AA"}"#), .badMember("crv", ofKey: 0)),
        Wrong("a short point", Keys.set(#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#), .badMember("x", ofKey: 0)),
        Wrong("no y", Keys.set(#"{"kty":"EC","crv":"P-256","x":"\#(x)A"}"#), .badMember("y", ofKey: 0)),
        Wrong("a short Ed25519", Keys.set(#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#), .badMember("x", ofKey: 0)),
        Wrong("kid is a number", Keys.set(with(#""kid":1"#)), .badMember("kid", ofKey: 0)),
        Wrong("use is a number", Keys.set(with(#""use":1"#)), .badMember("use", ofKey: 0)),
        Wrong("key_ops is a string", Keys.set(with(#""key_ops":"verify""#)), .badMember("key_ops", ofKey: 0)),
        Wrong("alg of another type", Keys.set(with(#""alg":"ES256""#)), .badMember("alg", ofKey: 0)),
    ]

    @Test("A wrong document is refused", arguments: wrong)
    func refused(_ row: Wrong) {
        #expect(throws: row.error) { try WebKeys(parsing: row.document) }
    }

    @Test(
        "A key for something else is ignored",
        arguments: [
            #"{"kty":"AKP","pub":"AA"}"#, #"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, with(#""use":"enc""#), with(#""use":"SIG""#),
            with(#""key_ops":["encrypt"]"#), with(#""key_ops":[]"#), with(#""alg":"RSA-OAEP""#),
            with(#""alg":"HS256""#), with(#""alg":"none""#),
        ])
    func ignored(_ key: String) throws {
        #expect(try WebKeys(parsing: Keys.set(key)).count == 0)
        #expect(try WebKeys(parsing: Keys.set(key, Keys.p256)).count == 1)
    }

    @Test(
        "A key to verify with is kept",
        arguments: [
            #""use":"sig""#, #""key_ops":["sign","verify"]"#, #""alg":"RS256""#, #""alg":"PS512""#,
            #""x5c":["AA"],"x5t":"AA""#, #""d":"not even a number","p":1"#,
        ])
    func kept(_ member: String) throws {
        #expect(try WebKeys(parsing: Keys.set(Self.with(member))).count == 1)
    }

    @Test func theSetMayBeEmptyAndHaveOtherMembers() throws {
        #expect(try WebKeys(parsing: Array(#"{"keys":[],"next":1}"#.utf8)).count == 0)
        #expect(try WebKeys(parsing: Keys.all).count == 4)
    }

    /// The library may take such a key, but then no signature is right.
    @Test func aPointBesideItsCurveVerifiesNothing() throws {
        let point = #"{"kty":"EC","crv":"P-256","kid":"p256","x":"\#(Self.x)A","y":"\#(Self.x)E"}"#
        let keys: WebKeys
        do throws(WebKeysError) { keys = try WebKeys(parsing: Keys.set(point)) } catch {
            #expect(error == .badNumbers(ofKey: 0))
            return
        }
        #expect(throws: WebTokenError.signature) { try WebToken.verifyHere(tokensOfAllAlgorithms[6].token, keys) }
    }

    @Test func base64URLHasOneSpelling() {
        for count in 0..<70 {
            let text = String("The quick brown fox ~~~ÿÿÿ jumps over the lazy dog, then over the cat".prefix(count))
            #expect(Base64URL.decode(base64URL(text).utf8) == Array(text.utf8))
        }
        for text in ["A", "AAAAA", "AB", "AAB", "A=", "AA==", "A A", "+A", "/A", "AA\n"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
    }

    private static func rsa(_ n: String, _ e: String) -> String { #"{"kty":"RSA","n":"\#(n)","e":"\#(e)"}"# }
    private static func with(_ member: String) -> String {
        let key = Keys.rsa.replacing(#","kid":"rsa""#, with: "").dropLast()
        return "\(key),\(member)}"
    }
}
