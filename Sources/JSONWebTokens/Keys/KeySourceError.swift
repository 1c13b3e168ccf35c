public import JSONValue

/// The reason why a source has no new keys. The keys that it had stay.
public enum KeySourceError: Error, Sendable, Equatable {
    /// The file cannot be read.
    case file(errno: Int32)
    /// The document has more bytes than `WebKeys.bytesMax`.
    case tooLong
    /// The server has answered with another status than 200. Redirects are not followed.
    case status(Int)
    /// There was no whole answer. The code and the reason are those of libcurl; the reason may be empty.
    case fetch(code: Int32, reason: ByteText)
    /// The library of transfers, libcurl, is not there.
    case noLibrary
    case keys(WebKeysError)
}
