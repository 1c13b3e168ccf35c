public import Texts

/// A point in the life of a list: `"<epoch>-<revision>"` on the wire.
///
/// The revision grows by one with each transaction that changes something. Versions of two epochs cannot be compared.
public struct Version: Sendable, Hashable, CustomStringConvertible {
    /// A random token, `[a-z0-9]{1,32}`.
    public let epoch: ByteText
    /// The number of the version in its epoch, from 1 to 2^53 − 1.
    public let revision: Int

    public init(epoch: ByteText, revision: Int) {
        self.epoch = epoch
        self.revision = revision
    }

    /// Reads the wire form.
    ///
    /// - Returns: Nil if `text` is not `[a-z0-9]{1,32}-` followed by a decimal without leading zeros up to 2^53 − 1.
    public init?(_ text: ByteText) {
        guard let version = text.withSpan(Self.read) else { return nil }
        self = version
    }

    private static func read(_ bytes: Span<UInt8>) -> Version? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        var end = 0
        while end < bytes.count, digits.contains(bytes[end]) || letters.contains(bytes[end]) { end += 1 }
        guard (1...32).contains(end), end < bytes.count, bytes[end] == UInt8(ascii: "-") else { return nil }
        let start = end + 1
        let count = bytes.count - start
        guard (1...16).contains(count), count == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        var revision = 0
        for index in start..<bytes.count {
            guard digits.contains(bytes[index]) else { return nil }
            revision = revision * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        guard revision < 1 << 53 else { return nil }
        return Version(epoch: ByteText(decoding: bytes.extracting(0..<end)), revision: revision)
    }

    public var description: String { "\(epoch)-\(revision)" }
}
