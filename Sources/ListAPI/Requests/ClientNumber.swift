internal import Access
internal import HTTPTypes
internal import ListStore
internal import Microhttpd
internal import SHA256
internal import Texts

extension Call {
    /// `Client-Sequence`: the client's own number of a write, in the sequence of `Client`; nil if there is none.
    ///
    /// - Throws: `bad_client_sequence` unless both are as docs/contract.md section 11 says.
    func writeNumber() throws(Problem) -> WriteNumber? {
        let (clients, values) = (head.fields(.client), head.fields(.clientSequence))
        guard !clients.isEmpty || !values.isEmpty else { return nil }
        guard clients.count == 1, let client = StructuredField.name(clients[0]) else {
            throw Problem(
                .badClientSequence,
                #"""
                With Client-Sequence comes Client: one name of 1 to 64 ASCII characters in double quotes, such as \#
                Client: "8f0e2c6a-tablet". A client makes it once, at random, and keeps it with its numbers.
                """#)
        }
        guard let value = values.first else { return nil }
        guard values.count == 1, let number = StructuredField.integer(value), number > 0 else {
            throw Problem(
                .badClientSequence,
                "Client-Sequence is one integer from 1 to 999999999999999, without a sign or quotes.")
        }
        guard head.fields(.idempotencyKey).isEmpty else {
            throw Problem(
                .badClientSequence, "A write has a Client-Sequence or an Idempotency-Key, not both. Leave one out.")
        }
        let isNamed =
            switch caller.kind {
            case .token, .foreign: true
            case .everybody, .anonymous: false
            }
        return WriteNumber(
            client: sha256(parts: [caller.actor, client].map { Array($0.utf8) }), owner: isNamed ? caller.actor : "",
            number: number,
            request: sha256(parts: [ByteText(head.method.rawValue), head.path].map { Array($0.utf8) } + requestParts))
    }
}

/// Values of structured fields (RFC 9651), without parameters.
private enum StructuredField {
    /// The most characters of a name.
    private static let nameMax = 64

    /// An integer that has no sign (section 3.3.1).
    static func integer(_ value: ByteText) -> Int? {
        let digits = value.trimmed.utf8
        guard (1...15).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// A string or a token of 1 to 64 characters (sections 3.3.3 and 3.3.4). Both forms of a name are the same name.
    static func name(_ value: ByteText) -> ByteText? {
        let value = value.trimmed
        guard let name = value.hasPrefix("\"") ? string(value) : token(value) else { return nil }
        return (1...nameMax).contains(name.utf8.count) ? name : nil
    }

    private static func string(_ value: ByteText) -> ByteText? {
        guard let quoted = value.dropping(prefix: "\"")?.dropping(suffix: "\"") else { return nil }
        var (bytes, isEscaped): ([UInt8], Bool) = ([], false)
        for byte in quoted.utf8 {
            let isSpecial = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            guard (0x20...0x7E).contains(byte), isSpecial || !isEscaped else { return nil }
            guard isEscaped || byte != UInt8(ascii: "\"") else { return nil }
            isEscaped = isSpecial && !isEscaped
            if !isEscaped { bytes.append(byte) }
        }
        return isEscaped ? nil : ByteText(decoding: bytes)
    }

    private static func token(_ value: ByteText) -> ByteText? {
        guard let first = value.utf8.first, isLetter(first) || first == UInt8(ascii: "*") else { return nil }
        return value.utf8.allSatisfy { isLetter($0) || others.contains($0) } ? value : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static let others = Set("0123456789!#$%&'*+-.^_`|~:/".utf8)
}
