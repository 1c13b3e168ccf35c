internal import Glibc

/// Keeps the value of `Authorization` from the engine, whose pool has no room for both a long target and a long token.
///
/// The engine gets the name and the end of the line:
///
///     sent     Authorization: Bearer eyJhbGciOi…\r\n
///     engine   Authorization:\r\n
///
/// So the bytes of the name can be passed on as they come. Only when the name is complete, the value is held back.
struct Credentials {
    private enum Place {
        case elsewhere
        /// This many bytes of the line agree with the name.
        case name(Int)
        case value
        /// Behind the CR that ends the value.
        case end
    }

    private static let name: StaticString = "authorization:"
    private var place = Place.elsewhere
    /// The bytes behind the colon of the first such line, as far as they are here; nil if there was none.
    private(set) var value: [UInt8]?

    /// A line begins.
    mutating func beginLine() {
        place = .name(0)
    }

    /// Reads the next bytes of a line, takes out those of the value, and closes the gap.
    ///
    /// - Parameters:
    ///   - index: The index of the first byte that has not been looked at.
    ///   - count: The number of bytes; reduced by those that are taken out.
    ///   - most: The most bytes that a value may have.
    /// - Returns: The fault of the byte at `index`, if there is one.
    mutating func read(
        _ bytes: UnsafeMutablePointer<UInt8>, _ index: inout Int, _ count: inout Int, most: Int
    ) -> HeadReader.Fault? {
        if case .name(let known) = place { readName(bytes, &index, count, known) }
        if case .value = place, let fault = takeValue(bytes, index, &count, most) { return fault }
        if case .value = place, index < count {
            index += 1
            place = .end
        }
        // The reader of the lines reports a CR that does not end a line.
        if case .end = place, index < count { place = .elsewhere }
        return nil
    }

    private mutating func readName(
        _ bytes: UnsafeMutablePointer<UInt8>, _ index: inout Int, _ count: Int, _ known: Int
    ) {
        var known = known
        while index < count, known < Self.name.utf8CodeUnitCount {
            let byte = bytes[index]
            let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            guard (isUpper ? byte | 0x20 : byte) == Self.name.utf8Start[known] else {
                place = .elsewhere
                return
            }
            known += 1
            index += 1
        }
        place = .name(known)
        guard known == Self.name.utf8CodeUnitCount else { return }
        place = value == nil ? .value : .elsewhere
        value = value ?? []
    }

    /// Takes the value up to the CR, or up to the end of the bytes if there is none.
    private mutating func takeValue(
        _ bytes: UnsafeMutablePointer<UInt8>, _ index: Int, _ count: inout Int, _ most: Int
    ) -> HeadReader.Fault? {
        let end = (index..<count).first { Self.ends.contains(bytes[$0]) } ?? count
        value?.append(contentsOf: UnsafeBufferPointer(start: bytes + index, count: end - index))
        (bytes + index).update(from: bytes + end, count: count - end)
        count -= end - index
        if (value?.count ?? 0) > most { return .longHead }
        return index < count && bytes[index] != 0x0D ? (bytes[index] == 0 ? .nul : .bareLineFeed) : nil
    }

    private static let ends: [UInt8] = [0x0D, 0x0A, 0]
}

extension HeadReader {
    /// Hands over the credentials of a whole head; nil if the engine has got all of the head.
    mutating func giveCredentials() -> [UInt8]? {
        guard let value = credentials.value else { return nil }
        credentials = Credentials()
        return value
    }

    /// Takes credentials out of what has been received of a head.
    ///
    /// - Parameter count: The number of bytes. Then the number of those that are left, up to the first one that must
    ///   not reach the engine.
    /// - Returns: The fault of the byte behind them, if there is one.
    mutating func takeCredentials(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ count: inout Int) -> Fault? {
        var (index, isRequestLine) = (start, isRequestLine)
        var length = column
        while index < count {
            let lineStart = index
            if length == 0 && !isRequestLine { credentials.beginLine() }
            if let fault = credentials.read(bytes, &index, &count, most: limits.headBytesMax) {
                count = index
                return fault
            }
            guard index < count, let feed = memchr(bytes + index, 0x0A, count - index) else { return nil }
            index = UnsafeRawPointer(feed) - UnsafeRawPointer(bytes) + 1
            length += index - lineStart
            let isEmpty = length <= 2
            if isEmpty && !isRequestLine { return nil }
            isRequestLine = isRequestLine && isEmpty
            length = 0
        }
        return nil
    }
}
