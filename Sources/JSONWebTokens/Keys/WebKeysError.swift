public import JSONValue

/// The reason why a document is refused as a set of keys. The index of a key is its place in `keys`, from 0.
public enum WebKeysError: Error, Sendable, Equatable {
    /// The document has more bytes than `WebKeys.bytesMax`.
    case tooLong
    case notJSON(JSONError)
    /// The document is no object with an array `keys`.
    case noKeys
    /// There are more keys than `WebKeys.countMax`.
    case tooManyKeys
    /// The key is no object, or `member` is missing or wrong.
    case badMember(ByteText, ofKey: Int)
    /// The key has a shared secret, which does not belong into a set that is published.
    case sharedSecret(ofKey: Int)
    /// The modulus of the key has fewer bits than `WebKeys.modulusBitsMin`.
    case weak(bits: Int, ofKey: Int)
    /// The library refuses the numbers of the key.
    case badNumbers(ofKey: Int)
    /// The library of signatures, libgnutls, is not there.
    case noLibrary
}
