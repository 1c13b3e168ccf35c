internal import CNettle
internal import ListModel
internal import ListStore
internal import SHA256

/// A row of the log that goes with a hint. Only one who knows the token of the row before can read it or make it.
///
/// Whoever may use the database hears all hints, and can send some. So the row is encrypted (RFC 8439,
/// AEAD_CHACHA20_POLY1305) with a key of the list's life and that token. Both are random, and stand in the tables. The tag
/// covers the place behind which the row belongs, too.
///
///     nonce, 12 bytes │ encrypted: token, checksum, count of entries, 8 bytes each; the entries │ tag, 16 bytes
struct SealedRow: Sendable, Equatable {
    let bytes: [UInt8]

    private static let nonceCount = Int(CHACHA_POLY1305_NONCE_SIZE)
    private static let tagCount = Int(CHACHA_POLY1305_DIGEST_SIZE)
    private static let numberCount = 3
    /// A longer row is read from the tables. What is told to all servers takes room in the database's server until each has
    /// heard it.
    static let entryBytesMax = 1_000

    /// As it was heard.
    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameters:
    ///   - token: That of the row.
    ///   - place: The end of the log before the row.
    ///   - random: Returns random numbers.
    /// - Returns: Nil if the row is long, or if nobody knows the token before it.
    init?(_ row: LogRow, token: Int, after place: LogPlace, random: () -> UInt64) {
        let nonce = Self.bytes([Int(truncatingIfNeeded: random()), Int(truncatingIfNeeded: random())])
            .prefix(Self.nonceCount)
        guard row.bytes.count <= Self.entryBytesMax, var cipher = Cipher(place, nonce: Array(nonce)) else { return nil }
        bytes = nonce + cipher.encrypt(Self.bytes([token, row.checksum, row.count]) + row.bytes)
    }

    /// The entries of the row; nil if it is not the next one behind the place, or if no server has made it.
    func opened(after one: ListPlace) -> Tail? {
        guard bytes.count >= Self.nonceCount + Self.numberCount * 8 + Self.tagCount,
            var cipher = Cipher(one.place, nonce: Array(bytes.prefix(Self.nonceCount))),
            let plain = cipher.decrypt(Array(bytes.dropFirst(Self.nonceCount)))
        else { return nil }
        let numbers = (0..<Self.numberCount).map { index in
            plain[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | Int($1) }
        }
        let row = LogRow(
            first: one.place.position, count: numbers[2], checksum: numbers[1],
            bytes: Array(plain.dropFirst(Self.numberCount * 8)), of: one.place.life)
        guard let row, let entries = row.entries(of: one.list) else { return nil }
        var end = one.place
        (end.position, end.token) = (row.end, numbers[0])
        return Tail(entries, end: end)
    }

    private static func bytes(_ numbers: [Int]) -> [UInt8] {
        numbers.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
    }

    /// The cipher of the row behind a place.
    private struct Cipher {
        private var state = chacha_poly1305_ctx()

        /// Nil if nobody knows the token before the place.
        init?(_ place: LogPlace, nonce: [UInt8]) {
            guard let token = place.token else { return nil }
            let key = sha256(parts: [Array("row of the log".utf8), SealedRow.bytes([place.life, token])])
            nettle_chacha_poly1305_set_key(&state, key)
            nettle_chacha_poly1305_set_nonce(&state, nonce)
            let rest = SealedRow.bytes([place.position, place.generation])
            nettle_chacha_poly1305_update(&state, rest.count, rest)
        }

        /// - Returns: As many bytes, and the tag.
        mutating func encrypt(_ plain: [UInt8]) -> [UInt8] {
            var secret = [UInt8](repeating: 0, count: plain.count)
            nettle_chacha_poly1305_encrypt(&state, plain.count, &secret, plain)
            return secret + tag()
        }

        /// - Returns: Nil if the tag is another one.
        mutating func decrypt(_ sealed: [UInt8]) -> [UInt8]? {
            var plain = [UInt8](repeating: 0, count: sealed.count - SealedRow.tagCount)
            nettle_chacha_poly1305_decrypt(&state, plain.count, &plain, sealed)
            let tag = tag()
            return sealed.suffix(tag.count).withUnsafeBytes { found in
                tag.withUnsafeBytes { nettle_memeql_sec($0.baseAddress, found.baseAddress, $0.count) != 0 }
            } ? plain : nil
        }

        private mutating func tag() -> [UInt8] {
            var tag = [UInt8](repeating: 0, count: SealedRow.tagCount)
            nettle_chacha_poly1305_digest(&state, tag.count, &tag)
            return tag
        }
    }
}
