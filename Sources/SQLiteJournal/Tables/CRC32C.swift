internal import CCRC32C

/// The CRC-32C checksum (RFC 3720, Castagnoli polynomial). It uses the processor's instruction if there is one.
struct CRC32C: Sendable {
    private var state: UInt32 = ~0

    /// The checksum of all bytes that were added so far.
    var value: UInt32 { ~state }

    mutating func add(_ bytes: [UInt8]) { add(bytes.span) }

    mutating func add(_ bytes: Span<UInt8>) {
        let before = state
        state = bytes.withUnsafeBytes { liststate_crc32c(before, $0.baseAddress, $0.count) }
    }

    /// Adds the eight bytes of `number`, little-endian.
    mutating func add(_ number: Int) {
        let before = state
        state = withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) {
            liststate_crc32c(before, $0.baseAddress, $0.count)
        }
    }

    /// Adds the numbers one after the other, each as eight bytes, little-endian.
    mutating func add(_ numbers: [5 of Int]) {
        #if _endian(little)
            let before = state
            state = numbers.span.withUnsafeBytes { liststate_crc32c(before, $0.baseAddress, $0.count) }
        #else
            for index in numbers.indices { add(numbers[index]) }
        #endif
    }
}
