/// The reason why the server itself refuses a request, before its handler responds or instead of it.
///
/// The engine below accepts all of these, so they are checked here, in the order of the cases.
/// After each of the first four the connection is closed, and trying again later may help.
public enum Refusal: Equatable, Sendable {
    /// The server has been told to stop, and the request began after that.
    case stopping
    /// All `limit` connections of the server are in use.
    case tooManyConnections(limit: Int)
    /// All `limit` connections of the client's address are in use.
    case tooManyConnectionsOfAddress(limit: Int)
    /// There is no memory left for the request, or for its answer.
    case overloaded
    /// The end of the message is uncertain (RFC 9112, section 6.3).
    case badFraming(FramingFault)
    /// A transfer coding other than exactly `chunked` (RFC 9112, section 6.1).
    case unsupportedTransferCoding
    /// A field name that is no token, or a control character in a value (RFC 9110, section 5).
    case badField
    /// HTTP/1.1 without a host, or with an empty one (RFC 9112, section 3.2).
    case missingHost
    /// More than one `Host`.
    case repeatedHost
    /// More than one `Authorization`: others could take another one of them for the sender's.
    case repeatedAuthorization
    /// A method this server does not know; names are compared with case (RFC 9110, section 9.1).
    case methodNotImplemented
    /// A target that is not a path from the root, or holds an invalid percent-encoding, an encoded or raw NUL, a
    /// space or a byte outside of ASCII.
    case badTarget
    /// An expectation other than `100-continue` (RFC 9110, section 10.1.1).
    case expectationFailed
    /// A request line longer than a head may be.
    case targetTooLong
    /// The head is too large, or leaves no room for the notes that the engine makes of its fields.
    case headTooLarge
    /// The content is, or is announced to be, larger than `limit` bytes.
    case bodyTooLarge(limit: Int)

    /// The reason why the end of a message is uncertain.
    public enum FramingFault: Equatable, Sendable {
        /// `Content-Length` together with `Transfer-Encoding`.
        case lengthAndCoding
        /// More than one `Content-Length`, even if they agree.
        case repeatedLength
        /// A `Content-Length` that is no number.
        case badLength
        /// More than one `Transfer-Encoding`.
        case repeatedCoding
        /// `Transfer-Encoding` in HTTP/1.0.
        case codingInHTTP10
        /// A line that ends in LF without CR.
        case bareLineFeed
        /// A field whose line begins with a space or a tab. Old HTTP took it for a continuation of the line before.
        case foldedField
        /// A NUL byte in a head, or in the frame of a chunked body.
        case nul
        /// A field whose line begins with the colon.
        case emptyName
        /// Bytes other than CR LF behind the data of a chunk, or a lone CR in the line of its size.
        case badChunk
        /// The engine found the end of the head at another byte.
        case unclearEnd
    }
}
