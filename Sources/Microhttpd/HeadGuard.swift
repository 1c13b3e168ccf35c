internal import HTTPTypes

/// How the end of a request's body is told.
struct Framing: Equatable {
    /// The value of `Content-Length`, if there is one.
    var length: UInt64?
    var isChunked = false

    var hasBody: Bool { isChunked || (length ?? 0) > 0 }
}

/// What the fields of a head say about it, noted one field after another.
///
/// Takes no decision before all of them are known; see `refusal`.
struct HeadGuard {
    private var hostCount = 0
    private var hostIsEmpty = false
    private var lengthCount = 0
    private var length: UInt64?
    private var codingCount = 0
    private var codingIsChunked = false
    private var expectsMore = false
    private var expectsOther = false
    private var hasBadField = false

    var framing: Framing { Framing(length: length, isChunked: codingCount > 0) }

    mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if !isToken(name) || hasControl(value) { hasBadField = true }
        // By length first, because nearly all fields are none of these.
        switch name.count {
        case 4 where equalIgnoringCase(name, "host".utf8):
            hostCount += 1
            hostIsEmpty = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        case 6 where equalIgnoringCase(name, "expect".utf8):
            if equalIgnoringCase(value, "100-continue".utf8) { expectsMore = true } else { expectsOther = true }
        case 14 where equalIgnoringCase(name, "content-length".utf8):
            lengthCount += 1
            length = decimal(value)
        case 17 where equalIgnoringCase(name, "transfer-encoding".utf8):
            codingCount += 1
            codingIsChunked = equalIgnoringCase(value, "chunked".utf8)
        default:
            break
        }
    }

    /// The first fault of the head, in the order of the cases of `Refusal`; nil if it has none.
    func refusal(method: HTTPRequest.Method?, targetIsValid: Bool, isHTTP10: Bool) -> Refusal? {
        if let fault = framingFault(isHTTP10: isHTTP10) { return .badFraming(fault) }
        if codingCount > 0 && !codingIsChunked { return .unsupportedTransferCoding }
        if hasBadField { return .badField }
        if hostCount > 1 { return .repeatedHost }
        if !isHTTP10 && hostCount == 0 || hostIsEmpty { return .missingHost }
        if method == nil { return .methodNotImplemented }
        if !targetIsValid { return .badTarget }
        if expectsOther && !isHTTP10 { return .expectationFailed }
        return nil
    }

    private func framingFault(isHTTP10: Bool) -> Refusal.FramingFault? {
        if codingCount > 0 && lengthCount > 0 { return .lengthAndCoding }
        if lengthCount > 1 { return .repeatedLength }
        if lengthCount == 1 && length == nil { return .badLength }
        if codingCount > 1 { return .repeatedCoding }
        if codingCount > 0 && isHTTP10 { return .codingInHTTP10 }
        return nil
    }
}

/// The methods this server knows.
func method(named name: UnsafeRawBufferPointer) -> HTTPRequest.Method? {
    // By length first: this runs twice for every request.
    switch name.count {
    case 3 where name.elementsEqual("GET".utf8): .get
    case 3 where name.elementsEqual("PUT".utf8): .put
    case 4 where name.elementsEqual("POST".utf8): .post
    case 4 where name.elementsEqual("HEAD".utf8): .head
    case 5 where name.elementsEqual("PATCH".utf8): .patch
    case 6 where name.elementsEqual("DELETE".utf8): .delete
    case 7 where name.elementsEqual("OPTIONS".utf8): .options
    default: nil
    }
}

/// Digits and nothing else, as a number below 2^64.
private func decimal(_ digits: UnsafeRawBufferPointer) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for digit in digits {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        let (tens, tooManyTens) = number.multipliedReportingOverflow(by: 10)
        let (sum, tooLarge) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
        guard !tooManyTens, !tooLarge else { return nil }
        number = sum
    }
    return number
}

private func hasControl(_ value: UnsafeRawBufferPointer) -> Bool {
    // Without an early exit the compiler makes vectors of this.
    var found = false
    for byte in value { found = found || (byte < 0x20 && byte != 0x09) || byte == 0x7F }
    return found
}

/// RFC 9110, section 5.6.2.
private func isToken(_ name: UnsafeRawBufferPointer) -> Bool {
    guard !name.isEmpty else { return false }
    return name.allSatisfy { byte in
        // One bit for each ASCII character: ! # $ % & ' * + - . ^ _ ` | ~, digits, letters.
        byte < 64
            ? (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(byte) & 1 == 1
            : byte < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(byte - 64) & 1 == 1
    }
}
