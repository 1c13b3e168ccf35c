internal import Microhttpd
internal import Texts

extension Problem {
    /// The problem of a request that the HTTP server refuses.
    ///
    /// - Parameters:
    ///   - path: The path as it was sent; empty if the head could not be read.
    ///   - limitName: The name of the limit on bodies that holds for this resource.
    init(_ refusal: Refusal, path: ByteText, limitName: String) {
        switch refusal {
        case .stopping:
            self = Problem(.stopping, "Nothing was done. Another server, or the next one here, may take it.")
                .retrying(afterSeconds: Self.retrySeconds)
        case .tooManyConnections(let limit):
            self = .exceeded(.tooManyConnections, Limit(name: "connectionsMax", value: limit))
                .retrying(afterSeconds: Self.retrySeconds)
        case .tooManyConnectionsOfAddress(let limit):
            self = .exceeded(
                .tooManyConnectionsOfAddress, Limit(name: "connectionsPerAddressMax", value: limit)
            ).retrying(afterSeconds: Self.retrySeconds)
        case .overloaded: self = .overloaded
        case .badFraming(let fault): self.init(.badRequest, Self.detail(fault))
        case .unsupportedTransferCoding:
            self.init(
                .notImplemented,
                "The request has a Transfer-Encoding other than chunked, which is the only one that is supported.")
        case .badField:
            self.init(
                .badRequest,
                "A header has a name with characters that are not allowed, or a control character in its value.")
        case .missingHost: self.init(.badRequest, "The header Host is missing or empty.")
        case .repeatedHost: self.init(.badRequest, "The header Host occurs more than once: send it once.")
        case .repeatedAuthorization:
            self.init(.badRequest, "The header Authorization occurs more than once: send it once.")
        case .methodNotImplemented:
            self.init(
                .notImplemented,
                "The method is not supported. Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.")
        case .badTarget:
            let general =
                "Begin the path with /, and percent-encode ids: write a space as %20, % as %25, and 🦊 as %F0%9F%A6%8A."
            self.init(.badPath, Self.encoded(path).map { "Percent-encode the id: \($0)" } ?? general)
        case .expectationFailed:
            self.init(.expectationFailed, "Expect asks for something other than 100-continue: leave it out.")
        case .targetTooLong: self.init(.targetTooLong, "The request line is too long: shorten the query.")
        case .headTooLarge:
            self.init(
                .headTooLarge, "The request line and the headers together are too long: send fewer or shorter headers.")
        case .bodyTooLarge(let limit):
            self = .exceeded(.bodyTooLarge, Limit(name: limitName, value: limit))
        }
    }

    static var overloaded: Problem {
        Problem(
            .overloaded,
            "The server has no memory left for this request, or for its answer. Nothing was done; a short one may pass."
        ).retrying(afterSeconds: retrySeconds)
    }

    /// The seconds after which a client may try again. They are a guess, because nobody knows when a connection becomes
    /// free or a server comes back. They are enough for asking again to cost little.
    static let retrySeconds = 5

    /// The path with every byte percent-encoded that must not stand in a path; nil if there is none, or if the path is
    /// long.
    private static func encoded(_ path: ByteText) -> ByteText? {
        let bytes = Array(path.utf8)
        guard bytes.count <= 200, bytes.first == UInt8(ascii: "/") else { return nil }
        let (digits, lower) = (Array("0123456789ABCDEF".utf8), Array("abcdef".utf8))
        let isDigit = { (index: Int) in index < bytes.count && (digits + lower).contains(bytes[index]) }
        let encoded = bytes.indices.flatMap { index -> [UInt8] in
            let byte = bytes[index]
            let isEncoding = byte == UInt8(ascii: "%") && isDigit(index + 1) && isDigit(index + 2)
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            if isEncoding || isPlain { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        }
        return encoded == bytes ? nil : ByteText(decoding: encoded)
    }

    private static func detail(_ fault: Refusal.FramingFault) -> String {
        switch fault {
        case .lengthAndCoding: "The request has both Content-Length and Transfer-Encoding: send one of them."
        case .repeatedLength: "Content-Length occurs more than once: send it once."
        case .badLength: "The value of Content-Length is not a number."
        case .repeatedCoding: "Transfer-Encoding occurs more than once: send it once."
        case .codingInHTTP10: "The request is HTTP/1.0, which has no Transfer-Encoding."
        case .bareLineFeed: "A line of the request ends in LF without CR."
        case .foldedField: "The line of a header begins with a space or a tab."
        case .nul: "There is a NUL byte in the headers, or in the frame of a chunked body."
        case .emptyName: "A header has no name."
        case .badChunk: "The data of a chunk does not end in CR LF, or the line of its size has a CR without LF."
        case .unclearEnd: "It is not clear where the headers end."
        }
    }
}
