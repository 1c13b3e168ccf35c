import JSONValue
import Testing

@testable import JSONWebTokens

@Suite struct WebTokenTests {
    @Test("A right token is taken", arguments: tokensOfAllAlgorithms + tokensOfOtherForms)
    func accepted(_ row: Acceptance) throws {
        let token = try WebToken.verifyHere(row.token, WebKeys(parsing: Keys.all))
        #expect(token == WebToken(subject: row.subject, expiry: row.expiry, claims: [:], signer: token.signer))
    }

    @Test("A wrong token is refused", arguments: refusedForTheirHeader + refusedForTheirClaims)
    func refused(_ row: Refusal) throws {
        let keys = try WebKeys(parsing: Keys.all)
        #expect(throws: row.error) { try WebToken.verifyHere(row.token, keys) }
    }

    @Test("A token of a standard has the right signature, and no other one", arguments: publishedTokens)
    func published(_ row: Published) throws {
        let keys = try WebKeys(parsing: Keys.set(row.key))
        let check = { (token: String) throws(WebTokenError) in
            try WebToken.verify(
                ByteText(token), keys: keys, issuer: "joe", audience: "lists", now: 1_300_819_379, leewaySeconds: 0)
        }
        #expect(throws: row.error) { try check(row.token) }
        let dot = try #require(row.token.lastIndex(of: "."))
        let changed = row.token.index(dot, offsetBy: 5)
        let other = row.token[changed] == "A" ? "B" : "A"
        let wrong = row.token[..<changed] + other + row.token[row.token.index(after: changed)...]
        #expect(throws: WebTokenError.signature) { try check(String(wrong)) }
    }

    /// Tokens that are made of a right one by changing its text.
    static let malformed: [Refusal] = {
        let token = tokensOfAllAlgorithms[8].token.string
        let parts = token.split(separator: ".").map(String.init)
        func with(_ header: String? = nil, _ claims: String? = nil, _ signature: String? = nil) -> String {
            [header ?? parts[0], claims ?? parts[1], signature ?? parts[2]].joined(separator: ".")
        }
        // The last digit of 64 bytes has four bits too many, and these must be 0.
        let spelled = parts[2].dropLast() + (parts[2].hasSuffix("A") ? "B" : parts[2].hasSuffix("Q") ? "R" : "h")
        return [
            Refusal("empty", .notThreeParts, token: ""),
            Refusal("one part", .notThreeParts, token: parts[0]),
            Refusal("two parts", .notThreeParts, token: "\(parts[0]).\(parts[1])"),
            Refusal("four parts", .notThreeParts, token: token + "."),
            Refusal("JSON form", .notThreeParts, token: #"{"payload":"","signature":""}"#),
            Refusal("only dots", .notJSON(.header, JSONError(reason: .empty, offset: 0)), token: ".."),
            Refusal("padded header", .notBase64URL(.header), token: with(parts[0] + "=")),
            Refusal("padded signature", .notBase64URL(.signature), token: token + "=="),
            Refusal("space before", .notBase64URL(.header), token: " " + token),
            Refusal("line end behind", .notBase64URL(.signature), token: token + "\n"),
            Refusal("NUL behind", .notBase64URL(.signature), token: token + "\0"),
            Refusal("plus of base64", .notBase64URL(.signature), token: with(nil, nil, "+" + parts[2].dropFirst())),
            Refusal("slash of base64", .notBase64URL(.signature), token: with(nil, nil, "/" + parts[2].dropFirst())),
            Refusal("beyond ASCII", .notBase64URL(.signature), token: with(nil, nil, "ä" + parts[2].dropFirst())),
            Refusal("another spelling", .notBase64URL(.signature), token: with(nil, nil, String(spelled))),
            Refusal("a digit too many", .notBase64URL(.signature), token: with(nil, nil, parts[2] + "AAA")),
            Refusal("truncated", .signature, token: String(token.dropLast(2))),
            Refusal("without a signature", .signature, token: with(nil, nil, "")),
            Refusal("lengthened", .signature, token: with(nil, nil, String(parts[2].dropLast(2)) + "AAAA")),
            Refusal("other claims", .signature, token: with(nil, base64URL(usualClaims + " "))),
            Refusal("claims in other digits", .signature, token: with(nil, parts[1] + "=")),
            Refusal("too long", .tooLong, token: token + String(repeating: "A", count: 8193 - token.utf8.count)),
            Refusal(
                "not UTF-8", .notJSON(.claims, JSONError(reason: .invalidUTF8, offset: 8, expected: .stringEnd)),
                token: Keys.tokenBeyondUTF8),
        ]
    }()

    @Test("A malformed token is refused", arguments: malformed)
    func refusedForItsForm(_ row: Refusal) throws {
        let keys = try WebKeys(parsing: Keys.all)
        #expect(throws: row.error) { try WebToken.verifyHere(row.token, keys) }
    }

    @Test func otherClaimsAreHandedOn() throws {
        let claims = try Claims(#require(JSONObject(text: #"{"sub":"ada","rights":["read"],"exp":1,"a":{"b":1}}"#)))
        #expect(claims.others == ["rights": ["read"], "a": ["b": 1]])
    }

    @Test func aKeyOfOneAlgorithmIsForNoOther() throws {
        let keys = try WebKeys(parsing: Keys.set(Keys.rsa.dropLast() + #","alg":"RS384"}"#))
        #expect(try WebToken.verifyHere(tokensOfAllAlgorithms[1].token, keys).subject == "ada")
        for other in [0, 2, 3, 4, 5] {
            #expect(throws: WebTokenError.noFittingKey) {
                try WebToken.verifyHere(tokensOfAllAlgorithms[other].token, keys)
            }
        }
    }

    /// The key is behind seven or eight others, and the token does not name it.
    @Test func eightKeysAreTried() throws {
        let token = tokensOfOtherForms[0].token
        let stranger = publishedTokens[2].key
        let eighth = try WebKeys(parsing: set(Array(repeating: stranger, count: 7) + [Keys.ed25519]))
        #expect(try WebToken.verifyHere(token, eighth).subject == "ada")
        let ninth = try WebKeys(parsing: set(Array(repeating: stranger, count: 8) + [Keys.ed25519]))
        #expect(throws: WebTokenError.signature) { try WebToken.verifyHere(token, ninth) }
    }

    @Test func withoutKeysNothingIsRight() {
        #expect(throws: WebTokenError.unknownKey("ed")) {
            try WebToken.verifyHere(tokensOfAllAlgorithms[8].token, WebKeys())
        }
        #expect(throws: WebTokenError.noFittingKey) {
            try WebToken.verifyHere(tokensOfOtherForms[0].token, WebKeys())
        }
    }

    private func set(_ keys: [String]) -> [UInt8] { Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8) }
}

extension JSONObject {
    fileprivate init?(text: String) {
        guard case .object(let object)? = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        self = object
    }
}
