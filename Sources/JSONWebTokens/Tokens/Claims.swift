internal import JSONValue

/// The claims of a token whose signature is right (RFC 7519 section 4.1).
struct Claims {
    private static let checked: Set<ByteText> = ["iss", "aud", "sub", "exp", "nbf", "iat"]
    /// Times beyond this are no times, because not every reader has them exactly.
    private static let timeMax = Double(JSONNumber.integerMax)

    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// The claims that nobody has checked.
    var others: JSONObject { JSONObject(members.members.filter { !Self.checked.contains($0.key) }) }

    func check(issuer: ByteText, audience: ByteText) throws(WebTokenError) {
        guard let text = try members.text("iss") else { throw .missing("iss") }
        guard text == issuer else { throw .issuer }
        switch members["aud"] {
        case nil: throw .missing("aud")
        case .string(let text): guard text == audience else { throw .audience }
        case .array(let texts): guard texts.contains(.string(audience)) else { throw .audience }
        case .null, .bool, .number, .object: throw .badMember("aud")
        }
    }

    /// - Returns: The time of `exp`, in whole seconds.
    func checkTimes(now: Double, leeway: Double) throws(WebTokenError) -> Int {
        guard let expiry = try time("exp") else { throw .missing("exp") }
        guard now < expiry + leeway else { throw .expired(at: Int(expiry)) }
        for name: ByteText in ["nbf", "iat"] {
            guard let start = try time(name), start > now + leeway else { continue }
            throw .notYet(until: Int(start))
        }
        return Int(expiry.rounded(.down))
    }

    func subject() throws(WebTokenError) -> ByteText {
        guard let subject = try members.text("sub") else { throw .missing("sub") }
        guard (1...WebToken.subjectBytesMax).contains(subject.utf8.count), !Self.hasControls(subject)
        else { throw .subject }
        return subject
    }

    /// A time, which need not be a whole number; nil if it is missing.
    private func time(_ name: ByteText) throws(WebTokenError) -> Double? {
        switch members[name] {
        case nil: return nil
        case .number(let number):
            guard let time = number.double, abs(time) <= Self.timeMax else { throw .badMember(name) }
            return time
        case .null, .bool, .string, .array, .object: throw .badMember(name)
        }
    }

    /// Whether the text has a character of the Unicode category Cc: U+0000 to U+001F, and U+007F to U+009F.
    private static func hasControls(_ text: ByteText) -> Bool {
        var before: UInt8 = 0
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || before == 0xC2 && byte < 0xA0 { return true }
            before = byte
        }
        return false
    }
}
