internal import Glibc
internal import HTTPTypes

/// The fields that tell the end of a request's body.
struct Framing: Equatable {
    /// The value of `Content-Length`, if there is one.
    var length: UInt64?
    var isChunked = false

    var hasBody: Bool { isChunked || (length ?? 0) > 0 }
}

/// Checks the fields of a head. It notes one field after another.
///
/// Nothing is decided before all fields are known; see `refusal`.
struct HeadGuard {
    private var hostCount = 0
    private var hostIsEmpty = false
    /// Whether the host is a name that a stranger's name server can lead to this machine; see `HostField`.
    private(set) var hasForeignHost = false
    private var lengthCount = 0
    private var length: UInt64?
    private var codingCount = 0
    private var codingIsChunked = false
    private var expectsMore = false
    private var expectsOther = false
    private var hasBadField = false
    private(set) var names = FieldNames()
    /// The value of the first `Authorization` as the engine has it; nil if it has none.
    private(set) var credentials: UnsafeBufferPointer<UInt8>?
    private var credentialsCount = 0

    var framing: Framing { Framing(length: length, isChunked: codingCount > 0) }

    mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if !isToken(name) || hasControl(value) { hasBadField = true }
        names.insert(name)
        // The length is compared first, because nearly all fields are none of these.
        switch name.count {
        case 4 where equalIgnoringCase(name, "host"):
            hostCount += 1
            let host = trimmed(value)
            hostIsEmpty = host.isEmpty
            hasForeignHost = HostField.isForeignName(host)
        case 6 where equalIgnoringCase(name, "expect"):
            if equalIgnoringCase(value, "100-continue") { expectsMore = true } else { expectsOther = true }
        case 13 where equalIgnoringCase(name, "authorization"):
            credentialsCount += 1
            credentials = credentials ?? value.assumingMemoryBound(to: UInt8.self)
        case 14 where equalIgnoringCase(name, "content-length"):
            lengthCount += 1
            length = decimal(value)
        case 17 where equalIgnoringCase(name, "transfer-encoding"):
            codingCount += 1
            codingIsChunked = equalIgnoringCase(value, "chunked")
        default:
            break
        }
    }

    /// Notes the value of `Authorization` that the engine has not got.
    mutating func note(credentials: UnsafeRawBufferPointer) {
        if hasControl(credentials) { hasBadField = true }
    }

    /// Notes a line of `Authorization` that the engine has not got.
    mutating func noteCutCredentials() { credentialsCount += 1 }

    /// The first fault of the head, in the order of the cases of `Refusal`; nil if it has none.
    func refusal(method: HTTPRequest.Method?, targetIsValid: Bool, isHTTP10: Bool) -> Refusal? {
        if let fault = framingFault(isHTTP10: isHTTP10) { return .badFraming(fault) }
        if codingCount > 0 && !codingIsChunked { return .unsupportedTransferCoding }
        if hasBadField { return .badField }
        if hostCount > 1 { return .repeatedHost }
        if credentialsCount > 1 { return .repeatedAuthorization }
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
func method(named name: UnsafePointer<CChar>) -> HTTPRequest.Method? {
    // Names are compared in place, the likeliest first, because this runs twice for every request.
    if strcmp(name, "GET") == 0 { return .get }
    if strcmp(name, "POST") == 0 { return .post }
    if strcmp(name, "PUT") == 0 { return .put }
    if strcmp(name, "PATCH") == 0 { return .patch }
    if strcmp(name, "DELETE") == 0 { return .delete }
    if strcmp(name, "HEAD") == 0 { return .head }
    if strcmp(name, "OPTIONS") == 0 { return .options }
    return nil
}

/// The number of a text of digits; nil if there is any other byte, or if the number is 2^64 or more.
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

/// Whether there is a control character other than a tab.
func hasControl(_ value: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    // Eight bytes at a time; a word with a suspect is looked at again, byte by byte.
    while index + 8 <= value.count {
        let word = value.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if mayHoldControl(word) && value[index..<index + 8].contains(where: isControl) { return true }
        index += 8
    }
    return value[index...].contains(where: isControl)
}

private func isControl(_ byte: UInt8) -> Bool {
    (byte < 0x20 && byte != 0x09) || byte == 0x7F
}

/// Whether a byte of the word is below 0x20 or is 0x7F. Sometimes true although none is.
private func mayHoldControl(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high = ones &* 0x80
    let below20 = (word &- ones &* 0x20) & ~word & high
    let notDEL = word ^ (ones &* 0x7F)
    let isDEL = (notDEL &- ones) & ~notDEL & high
    return below20 | isDEL != 0
}

/// RFC 9110, section 5.6.2.
private func isToken(_ name: UnsafeRawBufferPointer) -> Bool {
    guard !name.isEmpty else { return false }
    for byte in name {
        // Nearly all are letters.
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        guard letter < 26 || isTokenCharacter(byte) else { return false }
    }
    return true
}

private func isTokenCharacter(_ byte: UInt8) -> Bool {
    // One bit for each ASCII character: ! # $ % & ' * + - . ^ _ ` | ~, digits, letters.
    byte < 64
        ? (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(byte) & 1 == 1
        : byte < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(byte - 64) & 1 == 1
}
