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
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...32).contains(parts[0].count), (1...16).contains(parts[1].count) else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard parts[0].allSatisfy({ digits.contains($0) || letters.contains($0) }) else { return nil }
        guard parts[1].allSatisfy(digits.contains) else { return nil }
        guard parts[1].count == 1 || parts[1].first != UInt8(ascii: "0") else { return nil }
        guard let revision = Int(ByteText(parts[1])), revision < 1 << 53 else { return nil }
        self.init(epoch: ByteText(parts[0]), revision: revision)
    }

    public var description: String { "\(epoch)-\(revision)" }
}
