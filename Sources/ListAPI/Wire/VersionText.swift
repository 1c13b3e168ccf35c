import ListModel

/// A version as an answer says it more than once, written once.
struct VersionText: Sendable {
    /// `"k3v9-42"`: the entity tag, and the string in JSON.
    let quoted: String
    /// `k3v9-42`
    let plain: String
    /// `"k3v9-42+gzip"`: the entity tag of a coded answer.
    var coded: String { "\"\(plain)+gzip\"" }

    init(_ version: Version) {
        var splicer = JSONSplicer(capacity: 64)
        splicer.version(version)
        (quoted, plain) = splicer.withBytes { bytes in
            (
                String(decoding: bytes, as: UTF8.self),
                String(decoding: UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]), as: UTF8.self)
            )
        }
    }
}
