internal import Threads
public import Texts

/// Makes ids for items and lists that come without one. The ids are UUIDs of version 7, and each sorts behind the one
/// before.
///
/// Source: RFC 9562, sections 5.7 and 6.2 (method 2: within a millisecond the random bits are a counter).
public final class IdentifierMaker: Sendable {
    fileprivate struct Last: Sendable {
        /// The time in milliseconds since 1970.
        var time: UInt64 = 0
        /// The first 12 random bits.
        var high: UInt64 = 0
        /// The other 62 random bits.
        var low: UInt64 = 0
    }

    private let last = Locked(Last())
    private let milliseconds: @Sendable () -> UInt64
    private let random: @Sendable () -> UInt64

    /// - Parameters:
    ///   - milliseconds: Returns the milliseconds since 1970. The clock may go back.
    ///   - random: Returns 64 random bits.
    public init(milliseconds: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64) {
        self.milliseconds = milliseconds
        self.random = random
    }

    /// An id in lower case, such as `019b2c5e-7a10-7c3f-8e21-5d0f6a4b9c88`.
    public func next() -> ByteText {
        let (now, bits) = (milliseconds(), random())
        return text(last.withLock { $0.advance(to: now, bits, random) })
    }

    private func text(_ id: (UInt64, UInt64)) -> ByteText {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (part, word) in [id.0, id.1].enumerated() {
            for digit in 0..<16 {
                let place = 16 * part + digit
                if place == 8 || place == 12 || place == 16 || place == 20 { text.append(UInt8(ascii: "-")) }
                let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * digit)) & 0xF
                text.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
            }
        }
        return ByteText(decoding: text)
    }
}

extension IdentifierMaker.Last {
    private static let lowMask = UInt64.max >> 2
    private static let timeMask = UInt64.max >> 16

    /// - Returns: The two halves of an id.
    fileprivate mutating func advance(
        to now: UInt64, _ bits: UInt64, _ random: () -> UInt64
    ) -> (UInt64, UInt64) {
        if now & Self.timeMask > time {
            time = now & Self.timeMask
            // One of the 12 bits stays 0, which leaves half of the range for later ids of the same millisecond.
            high = random() & 0x7FF
            low = bits & Self.lowMask
        } else {
            low += 1 + bits >> 32
            if low > Self.lowMask {
                low &= Self.lowMask
                high += 1
            }
            if high > 0xFFF {
                high = 0
                time += 1
            }
        }
        return (time << 16 | 0x7000 | high, 0b10 << 62 | low)
    }
}
