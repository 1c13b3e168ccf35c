internal import JSONValue

/// The public keys of an issuer.
public struct WebKeys: Sendable {
    /// The largest document.
    public static let bytesMax = 262_144
    /// The most keys of a document, also of those that are ignored.
    public static let countMax = 64
    /// The fewest bits of the modulus of an RSA key (RFC 7518 section 3.3).
    public static let modulusBitsMin = 2048
    /// The most bytes of a modulus and of an exponent. Larger ones would make each signature expensive.
    static let (modulusBytesMax, exponentBytesMax) = (1024, 4)

    let keys: [WebKey]
    private let thumbprints: Set<[UInt8]>

    /// The number of keys that signatures can be checked with.
    public var count: Int { keys.count }

    /// No keys at all.
    public init() { (keys, thumbprints) = ([], []) }

    /// Whether a key of this thumbprint is there.
    public func has(_ thumbprint: [UInt8]) -> Bool { thumbprints.contains(thumbprint) }

    /// Reads a set of keys, and loads libgnutls if that has not been done.
    ///
    /// Keys that are not for signatures, or of an unknown type, curve or algorithm, are ignored. So are the private
    /// parts of keys.
    ///
    /// - Throws: The first fault. A known key that is wrong is a fault, and so is a weak one or a shared secret.
    /// - Complexity: O(*n*), *n* = `bytes.count`.
    ///
    /// Source: RFC 7517 section 5; the members of RFC 7518 section 6 and RFC 8037 section 2.
    public init(parsing bytes: [UInt8]) throws(WebKeysError) {
        guard bytes.count <= Self.bytesMax else { throw .tooLong }
        guard PublicKey.loadLibrary() else { throw .noLibrary }
        guard case .object(let document) = try Self.value(bytes), case .array(let members)? = document["keys"]
        else { throw .noKeys }
        guard members.count <= Self.countMax else { throw .tooManyKeys }
        var keys: [WebKey] = []
        for (index, member) in members.enumerated() {
            if let key = try KeyReader(member, index: index).key() { keys.append(key) }
        }
        self.keys = keys
        thumbprints = Set(keys.map(\.thumbprint))
    }

    private static func value(_ bytes: [UInt8]) throws(WebKeysError) -> JSONValue {
        do throws(JSONError) { return try JSONValue(parsing: bytes) } catch { throw .notJSON(error) }
    }
}

/// A public key with what its document says of it.
struct WebKey: Sendable {
    /// The name by which tokens call the key; nil if it has none.
    let id: ByteText?
    /// The only algorithm that the key is for; nil if its type alone decides.
    let algorithm: Algorithm?
    let type: KeyType
    let key: PublicKey
    /// A digest of the numbers of the key, by which it is known again in another document.
    let thumbprint: [UInt8]

    /// Whether signatures by this algorithm can be checked with the key.
    func fits(_ other: Algorithm) -> Bool {
        type == other.row.type && (algorithm == nil || algorithm == other)
    }
}
