internal import CCRC32C

/// The CRC-32C checksum of bytes, and of the numbers that say where they belong.
enum Checksum {
    static func of(_ numbers: [Int], _ bytes: [UInt8]) -> Int {
        var state: UInt32 = ~0
        for number in numbers {
            state = withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) {
                liststate_crc32c(state, $0.baseAddress, $0.count)
            }
        }
        state = bytes.withUnsafeBytes { liststate_crc32c(state, $0.baseAddress, $0.count) }
        return Int(~state)
    }

    /// The checksum of a receipt.
    static func of(receipt key: [UInt8], _ time: Int, _ bytes: [UInt8]) -> Int {
        of([key.count, time], key + bytes)
    }
}
