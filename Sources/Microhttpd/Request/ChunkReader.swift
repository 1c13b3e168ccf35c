internal import Texts

/// Reads the frame of a chunked body, to find bytes that the engine reads in another way than other readers do.
///
/// Changes nothing: the request is refused when the engine has read it to its end, and its connection then closes.
/// The engine itself refuses a size that is no number.
struct ChunkReader {
    private enum Place {
        case size(UInt64)
        /// Within a chunk extension, behind a size that is still needed.
        case chunkExtension(UInt64)
        case data(left: UInt64)
        case dataEnd
        /// A line behind the last chunk.
        case trailer(isEmpty: Bool)
        case over
    }

    private var place = Place.size(0)
    private var endsInCR = false

    /// - Returns: The fault of the frame, if there is one. Nothing is looked at after a fault.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> HeadReader.Fault? {
        var index = 0
        while index < bytes.count {
            switch place {
            case .over:
                return nil
            case .data(let left):
                let skipped = min(left, UInt64(bytes.count - index))
                place = skipped == left ? .dataEnd : .data(left: left - skipped)
                index += Int(skipped)
            case .size, .chunkExtension, .dataEnd, .trailer:
                if let fault = read(bytes[index]) {
                    place = .over
                    return fault
                }
                index += 1
            }
        }
        return nil
    }

    private mutating func read(_ byte: UInt8) -> HeadReader.Fault? {
        defer { endsInCR = byte == 0x0D }
        switch byte {
        case 0x0A where endsInCR:
            endLine()
            return nil
        case 0x0A: return .bareLineFeed
        case _ where endsInCR: return .badChunk
        case 0x0D: return nil
        case 0: return .nul
        default: return readVisible(byte)
        }
    }

    private mutating func readVisible(_ byte: UInt8) -> HeadReader.Fault? {
        switch place {
        case .size(let size):
            readSize(byte, size)
            return nil
        case .trailer(isEmpty: true):
            if byte == 0x20 || byte == 0x09 { return .foldedField }
            if byte == UInt8(ascii: ":") { return .emptyName }
            place = .trailer(isEmpty: false)
            return nil
        case .dataEnd: return .badChunk
        case .chunkExtension, .trailer, .data, .over: return nil
        }
    }

    private mutating func readSize(_ byte: UInt8, _ size: UInt64) {
        if byte == UInt8(ascii: ";") { return place = .chunkExtension(size) }
        guard let digit = byte.hexDigitValue, size >> 60 == 0 else { return place = .over }
        place = .size(size << 4 | UInt64(digit))
    }

    private mutating func endLine() {
        switch place {
        case .size(let size), .chunkExtension(let size): place = size == 0 ? .trailer(isEmpty: true) : .data(left: size)
        case .dataEnd: place = .size(0)
        case .trailer(let isEmpty): place = isEmpty ? .over : .trailer(isEmpty: true)
        case .data, .over: break
        }
    }
}
