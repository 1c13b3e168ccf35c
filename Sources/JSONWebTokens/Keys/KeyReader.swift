internal import CGnuTLS
internal import JSONValue
internal import SHA256

/// Reads one key of a document.
struct KeyReader {
    private let members: JSONObject
    private let index: Int

    init(_ value: JSONValue, index: Int) throws(WebKeysError) {
        guard case .object(let members) = value else { throw .badMember("keys", ofKey: index) }
        self.members = members
        self.index = index
    }

    /// Reads the key; nil if it is to be ignored.
    func key() throws(WebKeysError) -> WebKey? {
        guard let type = try text("kty") else { throw .badMember("kty", ofKey: index) }
        guard type != "oct" else { throw .sharedSecret(ofKey: index) }
        guard try isForVerifying() else { return nil }
        let name = try text("alg")
        let algorithm = name.flatMap { Algorithm(rawText: $0) }
        guard name == nil || algorithm != nil, let (type, key) = try numbers(type) else { return nil }
        guard algorithm == nil || algorithm?.row.type == type else { throw .badMember("alg", ofKey: index) }
        return WebKey(
            id: try text("kid"), algorithm: algorithm, type: type, key: key, thumbprint: try thumbprint())
    }

    /// The digest of the members that RFC 7638 names, in an encoding of our own.
    private func thumbprint() throws(WebKeysError) -> [UInt8] {
        var parts: [[UInt8]] = []
        for name: ByteText in ["kty", "crv", "x", "y", "n", "e"] { parts.append(Array((try text(name) ?? "").utf8)) }
        return sha256(parts: parts)
    }

    private func isForVerifying() throws(WebKeysError) -> Bool {
        let use = try text("use")
        guard use == nil || use == "sig" else { return false }
        switch members["key_ops"] {
        case nil: return true
        case .array(let operations): return operations.contains("verify")
        case .null, .bool, .number, .string, .object: throw .badMember("key_ops", ofKey: index)
        }
    }

    private func numbers(_ type: ByteText) throws(WebKeysError) -> (KeyType, PublicKey)? {
        switch type {
        case "RSA": return (.rsa, try rsa())
        case "EC":
            switch try curve() {
            case "P-256": return (.p256, try point(LISTSTATE_P256, bytes: 32))
            case "P-384": return (.p384, try point(LISTSTATE_P384, bytes: 48))
            default: return nil
            }
        case "OKP":
            guard try curve() == "Ed25519" else { return nil }
            return (.ed25519, try made(PublicKey(ed25519: number("x", bytes: 32))))
        default: return nil
        }
    }

    private func curve() throws(WebKeysError) -> ByteText {
        guard let curve = try text("crv") else { throw .badMember("crv", ofKey: index) }
        return curve
    }

    private func rsa() throws(WebKeysError) -> PublicKey {
        let modulus = try number("n")
        let exponent = try number("e")
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bits >= WebKeys.modulusBitsMin else { throw .weak(bits: bits, ofKey: index) }
        // An even number is never one, and powers of 1 prove nothing.
        guard modulus.count <= WebKeys.modulusBytesMax, modulus.last.map({ $0 & 1 }) == 1
        else { throw .badMember("n", ofKey: index) }
        guard exponent.count <= WebKeys.exponentBytesMax, exponent.last.map({ $0 & 1 }) == 1, exponent != [1]
        else { throw .badMember("e", ofKey: index) }
        return try made(PublicKey(modulus: modulus, exponent: exponent))
    }

    private func point(_ curve: liststate_curve, bytes: Int) throws(WebKeysError) -> PublicKey {
        try made(PublicKey(curve: curve, x: number("x", bytes: bytes), y: number("y", bytes: bytes)))
    }

    private func made(_ key: PublicKey?) throws(WebKeysError) -> PublicKey {
        guard let key else { throw .badNumbers(ofKey: index) }
        return key
    }

    /// A number without zeros before it, because some issuers write them (RFC 7518 section 6.3.1.1).
    private func number(_ name: ByteText) throws(WebKeysError) -> [UInt8] {
        guard let text = try text(name), let bytes = Base64URL.decode(text.utf8)
        else { throw .badMember(name, ofKey: index) }
        return Array(bytes.drop { $0 == 0 })
    }

    /// A number of a fixed size, with all of its bytes.
    private func number(_ name: ByteText, bytes count: Int) throws(WebKeysError) -> [UInt8] {
        guard let text = try text(name), let bytes = Base64URL.decode(text.utf8), bytes.count == count
        else { throw .badMember(name, ofKey: index) }
        return bytes
    }

    /// A member that must be a string; nil if it is missing.
    private func text(_ name: ByteText) throws(WebKeysError) -> ByteText? {
        switch members[name] {
        case nil: return nil
        case .string(let text): return text
        case .null, .bool, .number, .array, .object: throw .badMember(name, ofKey: index)
        }
    }
}
