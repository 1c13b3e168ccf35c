internal import Glibc
internal import Texts

/// The target of a request line, as it was sent.
enum Target {
    /// Whether every byte of the target is one this server takes: visible ASCII but `#`, with
    /// whole percent-encodings, none of them of NUL.
    ///
    /// The form is checked as well: a path from the root, or `*` alone.
    static func isValid(_ target: UnsafeRawBufferPointer) -> Bool {
        guard let first = target.first else { return false }
        guard first == UInt8(ascii: "/") else { return first == UInt8(ascii: "*") && target.count == 1 }
        guard !isPlain(target) else { return true }
        var index = 1
        while index < target.count {
            let byte = target[index]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return false }
            index += 1
            guard byte == UInt8(ascii: "%") else { continue }
            guard index + 1 < target.count,
                let high = target[index].hexDigitValue, let low = target[index + 1].hexDigitValue,
                high | low != 0
            else { return false }
            index += 2
        }
        return true
    }

    /// Whether every byte stands for itself. The loop has no exit, so that the compiler vectorises it.
    private static func isPlain(_ target: UnsafeRawBufferPointer) -> Bool {
        var special: UInt8 = 0
        for byte in target { special |= byte <= UInt8(ascii: "%") || byte >= 0x7F ? 1 : 0 }
        return special == 0
    }

    /// The text behind the first `?`; nil if there is none.
    static func query(of target: UnsafeRawBufferPointer) -> ByteText? {
        guard let start = target.baseAddress, let mark = memchr(start, 0x3F, target.count) else { return nil }
        let index = UnsafeRawPointer(mark) - start
        return ByteText(decoding: target[(index + 1)...])
    }
}
