internal import Texts

/// The seconds in the directive `max-stale` of a `Cache-Control` (RFC 9111, section 5.2.1.2).
///
/// - Returns: At most `staleSecondsLimit`, which also stands for a directive without a number; nil if there is no such
///   directive, or if the first one is malformed: its argument is digits without quotes.
func staleSeconds(in value: ByteText) -> Int? {
    var rest = Array(value.utf8)[...]
    while !rest.isEmpty {
        let end = directiveEnd(rest)
        if let argument = argument(of: rest[..<end]) { return seconds(argument) }
        rest = rest[end...].dropFirst()
    }
    return nil
}

/// As many seconds as any answer may be stale.
let staleSecondsLimit = 1 << 31

/// The index of the comma behind the first directive, or of the end. A comma in quotes belongs to the directive.
private func directiveEnd(_ bytes: ArraySlice<UInt8>) -> Int {
    var (isQuoted, isEscaped) = (false, false)
    for index in bytes.indices {
        let byte = bytes[index]
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isQuoted.toggle()
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = isQuoted
        } else if byte == UInt8(ascii: ","), !isQuoted {
            return index
        }
    }
    return bytes.endIndex
}

/// The rest of a directive behind its name, without spaces; nil if it has another name.
private func argument(of directive: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var rest = directive.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    for byte in "max-stale".utf8 {
        guard let first = rest.popFirst(), first | 0x20 == byte else { return nil }
    }
    return rest.isEmpty || rest.first == UInt8(ascii: "=") ? rest : nil
}

/// - Parameter argument: Nothing, or what follows the name, with its `=`.
private func seconds(_ argument: ArraySlice<UInt8>) -> Int? {
    guard !argument.isEmpty else { return staleSecondsLimit }
    guard argument.count > 1 else { return nil }
    var seconds = 0
    for byte in argument.dropFirst() {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        seconds = min(10 * seconds + Int(byte - UInt8(ascii: "0")), staleSecondsLimit)
    }
    return seconds
}
