public import Texts

/// A name of lists in which `*` stands for any bytes, also for none: `team-a-*`. Any other byte stands for itself.
public struct ListPattern: Sendable, Hashable {
    public let text: ByteText

    /// The most bytes of a pattern, as many as an id of a list has.
    public static let bytesMax = 128
    /// All lists.
    public static let any = ListPattern(known: "*")

    /// The most stars of a pattern. Each costs another look through a name.
    public static let starsMax = 4

    /// - Returns: Nil if no list could match: the text is empty, too long, or has a byte that no id of a list has. Nil
    ///   also for more than `starsMax` stars.
    public init?(_ text: ByteText) {
        guard (1...Self.bytesMax).contains(text.utf8.count) else { return nil }
        guard text.utf8.allSatisfy({ $0 == star || Self.isOfID($0) }) else { return nil }
        guard text.utf8.lazy.filter({ $0 == star }).count <= Self.starsMax else { return nil }
        self.text = text
    }

    private init(known text: ByteText) { self.text = text }

    /// Whether a list of this name is meant.
    ///
    /// - Complexity: O(*n* · *m*), *n* and *m* the bytes of the name and of the pattern, which are at most 128. A star
    ///   takes as few bytes as it can, so only the last one that was met is ever tried again.
    public func matches(_ name: ByteText) -> Bool {
        text.withBytes { pattern in name.withBytes { Self.matches(pattern, $0) } }
    }

    /// Whether each list that `other` means is meant by this pattern as well. A star of `other` counts as a byte that
    /// only a star can stand for, so the answer may be false although it could be true, and never the other way round.
    public func includes(_ other: ListPattern) -> Bool { matches(other.text) }

    private static func matches(_ pattern: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer) -> Bool {
        var (at, index) = (0, 0)
        var retry: (at: Int, index: Int)?
        while index < name.count {
            if at < pattern.count, pattern[at] == star {
                at += 1
                retry = (at, index)
            } else if at < pattern.count, pattern[at] == name[index] {
                at += 1
                index += 1
            } else if let last = retry {
                retry = (last.at, last.index + 1)
                (at, index) = (last.at, last.index + 1)
            } else {
                return false
            }
        }
        while at < pattern.count, pattern[at] == star { at += 1 }
        return at == pattern.count
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

private let star = UInt8(ascii: "*")
