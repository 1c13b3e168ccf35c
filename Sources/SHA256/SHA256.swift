internal import CNettle

/// The SHA-256 (FIPS 180-4) of the parts.
///
/// The length of each part is hashed before it, in 8 bytes, so two different lists of parts never give the same input.
/// A digest can stand for a request, because nobody can make another request with the same digest.
///
/// - Returns: 32 bytes.
public func sha256(parts: [[UInt8]]) -> [UInt8] {
    var state = sha256_ctx()
    nettle_sha256_init(&state)
    for part in parts {
        withUnsafeBytes(of: UInt64(part.count).bigEndian) { update(&state, $0) }
        part.withUnsafeBytes { update(&state, $0) }
    }
    return [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { digest, count in
        nettle_sha256_digest(&state, digest.count, digest.baseAddress)
        count = digest.count
    }
}

private func update(_ state: inout sha256_ctx, _ bytes: UnsafeRawBufferPointer) {
    nettle_sha256_update(&state, bytes.count, bytes.bindMemory(to: UInt8.self).baseAddress)
}
