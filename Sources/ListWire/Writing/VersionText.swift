package import ListModel
package import Texts

/// The texts of a version, which an answer needs several times.
package struct VersionText: Sendable {
    /// The version in quotes, `"k3v9-42"`: the entity tag, and the string in JSON.
    package let quoted: [UInt8]
    /// The version alone: `k3v9-42`.
    package var plain: ByteText { ByteText(decoding: quoted[1..<quoted.count - 1]) }
    /// The entity tag of a coded answer: `"k3v9-42+gzip"`.
    package var coded: ByteText { "\"\(plain)+gzip\"" }

    package init(_ version: Version) {
        let epoch = version.epoch.utf8
        quoted = withUnsafeTemporaryAllocation(byteCount: epoch.count + Self.otherBytesMax, alignment: 1) { text in
            text[0] = UInt8(ascii: "\"")
            version.epoch.withBytes { UnsafeMutableRawBufferPointer(rebasing: text[1...]).copyMemory(from: $0) }
            text[1 + epoch.count] = UInt8(ascii: "-")
            let end = Self.write(version.revision, to: text, at: 2 + epoch.count)
            text[end] = UInt8(ascii: "\"")
            return Array(UnsafeRawBufferPointer(rebasing: text[...end]))
        }
    }

    /// Two quotes, a hyphen, and the digits of the greatest number.
    private static let otherBytesMax = 23

    /// - Returns: The index behind the last digit.
    private static func write(_ revision: Int, to text: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var rest = revision.magnitude
        var count = 1
        while rest > 9 {
            rest /= 10
            count += 1
        }
        rest = revision.magnitude
        for index in (start..<start + count).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return start + count
    }
}
