/// Puts short texts into a buffer that they share, as the texts of a list that is read from a disk do.
///
/// The texts are finished together: while the buffer grows, each of them has a place only.
package struct SharedTexts {
    /// A text that was added.
    package enum Added {
        /// The text is in the buffer, behind its byte count at this index.
        case shared(at: Int32)
        /// The text is long, and has a buffer of its own.
        case alone(JSONText)
    }

    /// The bytes after which a buffer is finished. It stays in memory for as long as one of its texts is in use.
    private static let bufferBytes = 48 << 10
    /// The bytes of the longest text that shares a buffer. It is no longer than the record of its item, which stays in
    /// memory when the item goes: so a buffer with few texts in use costs little more than those records.
    private static let sharedBytesMax = 255

    private var buffer: [UInt8] = []

    package init() {}

    /// Whether the buffer is to be finished before it gets another text.
    package var isFull: Bool { buffer.count >= Self.bufferBytes }

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - bytesMax: The most bytes that the text may have.
    ///   - write: Appends the text as minified JSON. If it throws, these texts must not be used any more.
    /// - Returns: Nil if the text is too long.
    package mutating func add<Failure: Error>(
        bytesMax: Int, _ write: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Added? {
        let place = buffer.count
        // Most texts are so short that their count has one byte.
        buffer.append(0)
        try write(&buffer)
        let count = buffer.count - place - 1
        guard count <= bytesMax else { return nil }
        guard count <= Self.sharedBytesMax else {
            defer { buffer.removeSubrange(place...) }
            return .alone(JSONText(unchecked: Array(buffer[(place + 1)...])))
        }
        buffer[place] = UInt8(count & 0x7F)
        if count >= 0x80 {
            buffer[place] |= 0x80
            buffer.insert(UInt8(count >> 7), at: place + 1)
        }
        return .shared(at: Int32(place))
    }

    /// The buffer, for `JSONText.init(in:countedAt:)`. The next text goes into another one.
    package mutating func finish() -> [UInt8] {
        defer { buffer.removeAll(keepingCapacity: true) }
        // The copy has no room to spare, and the room of the buffer is used again.
        var texts: [UInt8] = []
        texts.reserveCapacity(buffer.count)
        texts += buffer
        return texts
    }
}
