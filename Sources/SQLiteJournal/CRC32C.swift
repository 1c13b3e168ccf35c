/// The checksum of RFC 3720 (Castagnoli polynomial), eight bytes at a step.
struct CRC32C: Sendable {
    private var state: UInt32 = ~0

    /// The checksum of all that was added so far.
    var value: UInt32 { ~state }

    /// Table *k* (256 entries from 256·k) advances a byte over *k* more zero bytes.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = []
        for byte in UInt32(0)..<256 {
            var crc = byte
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            tables.append(crc)
        }
        for index in 256..<2048 {
            let previous = tables[index - 256]
            tables.append((previous >> 8) ^ tables[Int(previous & 0xFF)])
        }
        return tables
    }()

    mutating func add(_ bytes: [UInt8]) {
        let tables = Self.tables.span
        let bytes = bytes.span
        var crc = state
        var index = 0
        while index + 8 <= bytes.count {
            crc = Self.advance(crc, word(bytes, at: index), word(bytes, at: index + 4), tables)
            index += 8
        }
        while index < bytes.count {
            crc = (crc >> 8) ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
            index += 1
        }
        state = crc
    }

    /// Adds the eight bytes of `number`, the lowest first.
    mutating func add(_ number: Int) {
        let low = UInt32(truncatingIfNeeded: number)
        let high = UInt32(truncatingIfNeeded: number >> 32)
        state = Self.advance(state, low, high, Self.tables.span)
    }

    /// The state after eight more bytes, given as two numbers with the lowest byte first.
    private static func advance(_ state: UInt32, _ low: UInt32, _ high: UInt32, _ tables: Span<UInt32>) -> UInt32 {
        let low = state ^ low
        var crc = tables[1792 + Int(low & 0xFF)] ^ tables[1536 + Int(low >> 8 & 0xFF)]
        crc ^= tables[1280 + Int(low >> 16 & 0xFF)] ^ tables[1024 + Int(low >> 24)]
        crc ^= tables[768 + Int(high & 0xFF)] ^ tables[512 + Int(high >> 8 & 0xFF)]
        return crc ^ tables[256 + Int(high >> 16 & 0xFF)] ^ tables[Int(high >> 24)]
    }

    private func word(_ bytes: Span<UInt8>, at index: Int) -> UInt32 {
        UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
            | UInt32(bytes[index + 3]) << 24
    }
}
