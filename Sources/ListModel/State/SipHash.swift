internal import Texts

/// SipHash-1-3, the hash that Swift's `Hasher` computes. It takes all bytes in one call and keeps nothing between
/// calls, so it costs half as much.
///
/// Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF" (2012).
struct SipHash {
    struct Key: Sendable {
        var low: UInt64
        var high: UInt64

        /// A random key for each process, so that a client cannot know which bytes have the same hash.
        static let ofProcess = Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))
    }

    private var (v0, v1, v2, v3): (UInt64, UInt64, UInt64, UInt64)

    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, _ key: Key = .ofProcess) -> UInt64 {
        var hash = SipHash(key)
        var index = 0
        while index &+ 8 <= bytes.count {
            hash.add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index &+= 8
        }
        // The last bytes, with the number of all bytes in the highest byte.
        var last = UInt64(truncatingIfNeeded: bytes.count) &<< 56
        for place in index..<bytes.count { last |= UInt64(bytes[place]) &<< UInt64(8 &* (place &- index)) }
        hash.add(last)
        return hash.finish()
    }

    @inline(__always)
    private init(_ key: Key) {
        v0 = key.low ^ 0x736F_6D65_7073_6575
        v1 = key.high ^ 0x646F_7261_6E64_6F6D
        v2 = key.low ^ 0x6C79_6765_6E65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    private mutating func add(_ word: UInt64) {
        v3 ^= word
        mix()
        v0 ^= word
    }

    @inline(__always)
    private mutating func finish() -> UInt64 {
        v2 ^= 0xFF
        for _ in 0..<3 { mix() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func mix() {
        v0 &+= v1
        v1 = v1.rotated(13) ^ v0
        v0 = v0.rotated(32)
        v2 &+= v3
        v3 = v3.rotated(16) ^ v2
        v0 &+= v3
        v3 = v3.rotated(21) ^ v0
        v2 &+= v1
        v1 = v1.rotated(17) ^ v2
        v2 = v2.rotated(32)
    }
}

extension UInt64 {
    fileprivate func rotated(_ bits: UInt64) -> UInt64 { self &<< bits | self &>> (64 &- bits) }
}

extension Identifier {
    /// The hash by which a `HandleTable` finds the identifier.
    var tableHash: UInt32 { UInt32(truncatingIfNeeded: rawValue.utf8.span.withUnsafeBytes { SipHash.hash($0) }) }
}
