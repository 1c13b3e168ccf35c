internal import CGnuTLS

/// A public key of libgnutls, which must be loaded.
///
/// - Safety: `@unchecked` is sound because the pointer is a constant, and libgnutls only reads what is behind it.
///   `deinit` frees it, when nobody has a reference any more.
final class PublicKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Loads libgnutls, if that has not been done.
    ///
    /// - Returns: False if it is not there.
    static func loadLibrary() -> Bool { liststate_gnutls_load() != 0 }

    /// Each makes a key of its numbers, which are big-endian. It is nil if the library refuses them.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        let key = liststate_key_rsa(modulus, modulus.count, exponent, exponent.count)
        guard let key else { return nil }
        self.key = key
    }

    /// - Parameter y: As long as `x`.
    init?(curve: liststate_curve, x: [UInt8], y: [UInt8]) {
        guard let key = liststate_key_ec(curve, x, y, x.count) else { return nil }
        self.key = key
    }

    /// - Parameter x: 32 bytes.
    init?(ed25519 x: [UInt8]) {
        guard let key = liststate_key_ed25519(x) else { return nil }
        self.key = key
    }

    deinit { liststate_key_free(key) }

    /// Whether `signature` was made of `data` with the private half of this key.
    ///
    /// The type of the key must be that of the algorithm.
    func verifies(_ signature: [UInt8], of data: ArraySlice<UInt8>, by algorithm: Algorithm) -> Bool {
        data.withUnsafeBytes { data in
            liststate_key_verify(
                key, algorithm.row.name, data.baseAddress, data.count, signature, signature.count) != 0
        }
    }
}
