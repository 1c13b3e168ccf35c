internal import HTTPTypes
internal import Microhttpd

extension Problem {
    /// What the server below us refuses.
    ///
    /// - Parameter limitName: The flag of the limit that bodies of this resource have.
    init(_ refusal: Refusal, limitName: String) {
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
        case .badFraming(let fault): self.init(.badRequest, Self.detail(fault))
        case .unsupportedTransferCoding:
            self.init(.notImplemented, "The only transfer coding here is chunked.")
        case .badField:
            self.init(.badRequest, "A field has a name that is no token, or a control character in its value.")
        case .missingHost: self.init(.badRequest, "Host is missing or empty.")
        case .repeatedHost: self.init(.badRequest, "More than one Host.")
        case .methodNotImplemented:
            self.init(
                .notImplemented,
                "No resource has such a method: there are GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS.")
        case .badTarget:
            self.init(
                .badPath,
                "The target must be a path from the root in percent-encoding: a space is %20, % itself %25, and 🦊 %F0%9F%A6%8A."
            )
        case .expectationFailed: self.init(.expectationFailed, "The only expectation here is 100-continue.")
        case .targetTooLong: self.init(.targetTooLong, "The request line alone is longer than a head may be.")
        case .headTooLarge: self.init(.headTooLarge, "Target and fields together are too large.")
        case .bodyTooLarge(let limit):
            self = .exceeded(.bodyTooLarge, Limit(name: limitName, value: limit))
        }
    }

    /// Nobody knows when somebody will leave, or a server be back; long enough that asking again costs little.
    private static let retrySeconds = 5

    private static func detail(_ fault: Refusal.FramingFault) -> String {
        switch fault {
        case .lengthAndCoding: "Content-Length together with Transfer-Encoding."
        case .repeatedLength: "More than one Content-Length."
        case .badLength: "Content-Length is no number."
        case .repeatedCoding: "More than one Transfer-Encoding."
        case .codingInHTTP10: "Transfer-Encoding in HTTP/1.0."
        case .bareLineFeed: "A line ends in LF without CR."
        case .foldedField: "The line of a field begins with a space or a tab."
        case .nul: "A NUL byte in the head, or in the frame of a chunked body."
        case .emptyName: "A field without a name."
        case .badChunk: "The data of a chunk does not end in CR LF, or a CR stands alone in the line of its size."
        case .unclearEnd: "The end of the head is not clear."
        }
    }
}
