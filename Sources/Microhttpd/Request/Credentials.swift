internal import CReading
internal import Glibc

/// Keeps the value of `Authorization` from the engine, whose pool has no room for both a long target and a long token.
///
/// The engine gets the name and the end of the line:
///
///     sent     Authorization: Bearer eyJhbGciOi…\r\n
///     engine   Authorization:\r\n
///
/// So the bytes of the name can be passed on as they come. Only when the name is complete, the value is held back. Of a
/// head that comes as a whole, the engine does not even get the line.
///
/// Most requests of a connection have the same credentials. Then nobody has to look at them again.
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
    /// The bytes behind the colon of the first such line of the newest head, as far as they are here; nil if there is
    /// none, or if they are those of `present`.
    private var coming: [UInt8]?
    private var areRepeated = false
    /// Whether the engine does not get the line of those that are coming.
    private var areCut = false
    /// Those of the request that is being answered, or of the last one.
    private(set) var present: [UInt8]?
    /// Whether the engine has a line of the present ones.
    private(set) var hasLine = false

    /// A head begins.
    mutating func begin() {
        place = .elsewhere
        coming = nil
        areRepeated = false
        areCut = false
    }

    /// Takes the value of a head that is here as a whole, and whose line the engine does not get.
    ///
    /// - Parameter isBetweenRequests: Whether `present` stays until the head is whole for the engine as well. If the value
    ///   is the same then, which it mostly is, nothing is copied.
    mutating func take(_ value: UnsafeBufferPointer<UInt8>, isBetweenRequests: Bool) {
        areRepeated = isBetweenRequests && areSame(value)
        coming = areRepeated ? nil : Array(value)
        areCut = true
    }

    /// The head is whole, and its request begins.
    ///
    /// - Parameter inEngine: The first value that the engine has; nil if it has none.
    /// - Returns: Whether the credentials are those of the request before.
    mutating func settle(inEngine: UnsafeBufferPointer<UInt8>?) -> Bool {
        hasLine = !areCut
        guard !areRepeated else { return true }
        guard present != nil || coming != nil || inEngine != nil else { return true }
        guard let value = coming ?? inEngine.map({ Array($0) }) else {
            defer { present = nil }
            return present == nil
        }
        coming = nil
        let areSame = value.withUnsafeBufferPointer { self.areSame($0) }
        present = value
        return areSame
    }

    /// Nobody asks for the credentials of the present request any more.
    mutating func forget() { present = nil }

    /// Forgets present credentials that are long. Returns whether they were.
    mutating func forgetLong() -> Bool {
        guard let present, present.count > Self.longBytes else { return false }
        self.present = nil
        return true
    }

    private static let longBytes = 2_048

    private func areSame(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        let areSame = present?.withUnsafeBufferPointer { present in
            guard present.count == value.count else { return false }
            guard let start = present.baseAddress, let other = value.baseAddress else { return true }
            return reading_same_secret(start, other, present.count)
        }
        return areSame ?? false
    }

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
        place = coming == nil ? .value : .elsewhere
        coming = coming ?? []
    }

    /// Takes the value up to the CR, or up to the end of the bytes if there is none.
    private mutating func takeValue(
        _ bytes: UnsafeMutablePointer<UInt8>, _ index: Int, _ count: inout Int, _ most: Int
    ) -> HeadReader.Fault? {
        let end = (index..<count).first { Self.ends.contains(bytes[$0]) } ?? count
        coming?.append(contentsOf: UnsafeBufferPointer(start: bytes + index, count: end - index))
        (bytes + index).update(from: bytes + end, count: count - end)
        count -= end - index
        if (coming?.count ?? 0) > most { return .longHead }
        return index < count && bytes[index] != 0x0D ? (bytes[index] == 0 ? .nul : .bareLineFeed) : nil
    }

    private static let ends: [UInt8] = [0x0D, 0x0A, 0]
}

extension HeadReader {
    /// Takes the line of the credentials out of a head that is here as a whole.
    ///
    /// - Parameter count: The number of bytes that begin with the head.
    /// - Returns: The number of bytes that were taken out.
    mutating func takeCredentials(
        of head: reading_head, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ taking: Taking
    ) -> Int {
        let (line, value, end) = (head.credentials_line, head.credentials_value, head.credentials_end)
        let text = UnsafeBufferPointer(start: bytes + value, count: end - 2 - value)
        credentials.take(text, isBetweenRequests: taking == .out)
        (bytes + line).update(from: bytes + end, count: count - end)
        return end - line
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
