import JSONValue
import JSONWebTokens
import Testing

/// The claims of most tokens.
let usualClaims = #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":2000,"nbf":900,"iat":900}"#

/// A token that must be refused.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: WebTokenError
    let token: ByteText

    init(
        _ name: String, _ error: WebTokenError, header: String, claims: String = usualClaims, signature: String
    ) {
        testDescription = name
        self.error = error
        token = joined(header, claims, signature)
    }

    init(_ name: String, _ error: WebTokenError, token: String) {
        testDescription = name
        self.error = error
        self.token = ByteText(token)
    }
}

/// A token that must be taken.
struct Acceptance: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let subject: ByteText
    let expiry: Int
    let token: ByteText

    init(
        _ name: String, subject: ByteText = "ada", expiry: Int, header: String, claims: String = usualClaims,
        signature: String
    ) {
        testDescription = name
        self.subject = subject
        self.expiry = expiry
        token = joined(header, claims, signature)
    }
}

/// A token of a standard, with its key.
struct Published: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: String
    let token: String
    let error: WebTokenError

    init(_ name: String, key: String, token: String, _ error: WebTokenError) {
        testDescription = name
        self.key = key
        self.token = token
        self.error = error
    }
}

private func joined(_ header: String, _ claims: String, _ signature: String) -> ByteText {
    ByteText("\(base64URL(header)).\(base64URL(claims)).\(signature)")
}

func base64URL(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let bits = text.utf8.map { byte in
        let digits = String(byte, radix: 2)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
    return stride(from: 0, to: bits.count, by: 6).map { start in
        let part = bits.dropFirst(start).prefix(6)
        return String(digits[Int(part, radix: 2)! << (6 - part.count)])
    }.joined()
}

extension WebToken {
    /// Checks a token as most tests do, at 1000 seconds after 1970, with a leeway of 30 seconds.
    static func verifyHere(_ token: ByteText, _ keys: WebKeys, now: Int = 1000) throws(WebTokenError) -> WebToken {
        try verify(
            token, keys: keys, issuer: "https://a.example", audience: "lists", now: now, leewaySeconds: 30)
    }
}
