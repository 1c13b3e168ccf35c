internal import HTTPTypes
internal import ListStore
internal import Microhttpd
internal import SHA256
internal import Texts

extension Call {
    /// `Idempotency-Key` in its scope, with a digest of the request.
    ///
    /// - Throws: `bad_idempotency_key` unless it is 1 to 255 visible ASCII characters, in quotes or not.
    func receiptKey(caller: ByteText) throws(Problem) -> ReceiptKey? {
        let values = head.fields(.idempotencyKey)
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = Self.unquoted(value) else {
            throw Problem(
                .badIdempotencyKey,
                """
                Idempotency-Key is one key of 1 to 255 ASCII characters, in double quotes or without: a new one for \
                each request, and the same if that request is sent again.
                """)
        }
        let scope = [caller, ByteText(head.method.rawValue), head.path, key].map { Array($0.utf8) }
        return ReceiptKey(scope: sha256(parts: scope), request: sha256(parts: requestParts))
    }

    /// The parts of a request in which a retry is like the first one.
    var requestParts: [[UInt8]] {
        let query: [ByteText] = head.query.flatMap { [$0.name, $0.value ?? ""] }
        let conditions: [ByteText] = [head.fields(.ifMatch), head.fields(.ifNoneMatch)].map {
            $0.joined(separator: ",")
        }
        return [body.bytes] + (conditions + query).map { Array($0.utf8) }
    }

    private static let keyBytesMax = 255

    private static func unquoted(_ value: ByteText) -> ByteText? {
        let isQuoted = value.hasPrefix("\"") || value.hasSuffix("\"")
        guard let key = isQuoted ? value.dropping(prefix: "\"")?.dropping(suffix: "\"") : value else { return nil }
        guard (1...keyBytesMax).contains(key.utf8.count) else { return nil }
        return key.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? key : nil
    }
}
