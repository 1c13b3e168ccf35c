public import JSONValue
public import Texts

/// An entry of the audit log: a change of rights, or the refusal of a request whose sender lacks one. It never has a
/// secret.
public enum AccessEvent: Sendable, Hashable {
    case tokenMade(ByteText, Grants, expires: Int?)
    case tokenRotated(ByteText)
    case tokenRevoked(ByteText)
    case groupChanged(AccessBook.Group, Grants)
    case refused(RefusedRequest)

    /// A request that its sender may not make.
    public struct RefusedRequest: Sendable, Hashable {
        public let method: ByteText
        /// The beginning of the path, without a query and without anything that looks like a token.
        public let path: ByteText
        public let status: Int
        /// The address from which it came; nil if it is unknown.
        public let address: ByteText?

        private static let pathBytesMax = 256

        public init(method: ByteText, path: ByteText, status: Int, address: ByteText?) {
            self.method = method
            self.path = Self.shown(path)
            self.status = status
            self.address = address
        }

        /// Somebody may have put a token into a path by mistake.
        private static func shown(_ path: ByteText) -> ByteText {
            let bytes = Array(path.utf8.prefix(pathBytesMax))
            guard let end = endOfBeginning(bytes) else { return ByteText(decoding: bytes) }
            return ByteText(decoding: bytes[..<end] + Array("…".utf8))
        }

        /// The index behind the beginning of what looks like a secret, also if that is percent-encoded.
        private static func endOfBeginning(_ path: [UInt8]) -> Int? {
            var decoded: [UInt8] = []
            // The indexes behind the bytes.
            var ends: [Int] = []
            var index = 0
            while index < path.count {
                var byte = path[index]
                if byte == UInt8(ascii: "%"), index + 2 < path.count, let high = path[index + 1].hexDigitValue,
                    let low = path[index + 2].hexDigitValue
                {
                    (byte, index) = (high << 4 | low, index + 2)
                }
                index += 1
                decoded.append(byte)
                ends.append(index)
            }
            let found = Secret.beginnings.compactMap { decoded.firstRange(of: Array($0.utf8))?.upperBound }
            return found.min().map { ends[$0 - 1] }
        }
    }

    /// Whether rights have changed.
    public var isChange: Bool {
        switch self {
        case .tokenMade, .tokenRotated, .tokenRevoked, .groupChanged: true
        case .refused: false
        }
    }

    /// The event for a person who reads a log of the server; nil for one that is too frequent for that.
    public var sentence: String? {
        switch self {
        case .tokenMade(let name, _, _): "The token \(name) was made."
        case .tokenRotated(let name): "The token \(name) has a new secret."
        case .tokenRevoked(let name): "The token \(name) was revoked."
        case .groupChanged(let group, _): "The rights of \(group.rawValue) were changed."
        case .refused: nil
        }
    }

    /// The members of a line of the audit log that say what has happened.
    ///
    /// - Parameter time: Turns seconds since 1970 into a text.
    public func members(time: (Int) -> ByteText) -> [JSONObject.Member] {
        switch self {
        case .tokenMade(let name, let grants, let expires):
            [("event", "tokenMade"), ("token", .string(name)), ("grants", grants.json)]
                + (expires.map { [("expires", .string(time($0)))] } ?? [])
        case .tokenRotated(let name): [("event", "tokenRotated"), ("token", .string(name))]
        case .tokenRevoked(let name): [("event", "tokenRevoked"), ("token", .string(name))]
        case .groupChanged(let group, let grants):
            [("event", "groupChanged"), ("group", .string(ByteText(group.rawValue))), ("grants", grants.json)]
        case .refused(let request):
            [
                ("event", "refused"), ("method", .string(request.method)), ("path", .string(request.path)),
                ("status", .integer(request.status)),
            ] + (request.address.map { [("address", .string($0))] } ?? [])
        }
    }
}
