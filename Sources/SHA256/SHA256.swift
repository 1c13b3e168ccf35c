internal import CNettle

/// SHA-256 (FIPS 180-4) of the parts, each with its length in 8 bytes before it, so that no two lists of parts read
/// the same: a fixed-size stand-in for a request, which nobody can forge another request for.
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
