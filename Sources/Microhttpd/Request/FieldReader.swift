/// Reads the lines of `Content-Length` and `Cookie`, byte by byte, because the engine does more than note these fields.
///
/// The engine answers a bad `Content-Length` by itself, twice in one answer. It copies a `Cookie`, which takes room
/// that an answer needs.
struct FieldReader {
    private enum Place {
        case elsewhere
        /// This many bytes of a name are here. Both names begin alike, and `length` stands for both until they differ.
        case length(Int)
        case cookie(Int)
        /// Behind the colon of `Content-Length`, with or without spaces.
        case start
        case digits(UInt64)
        /// Behind the CR that ends the digits.
        case lengthEnd
        /// In the value of `Cookie`.
        case cookies
    }

    private static let length: StaticString = "content-length:"
    private static let cookie: StaticString = "cookie:"
    private var place = Place.elsewhere
    /// The bytes that the engine needs for the cookies of this line.
    private(set) var noteBytes = 0

    /// Whether the rest of the line still matters.
    var isReading: Bool {
        if case .elsewhere = place { false } else { true }
    }

    /// The bytes that end the line and the head; nil if the line is not that of a length.
    var ending: StaticString? {
        switch place {
        case .start: "0\r\n\r\n"
        case .digits: "\r\n\r\n"
        case .lengthEnd: "\n\r\n"
        case .elsewhere, .length, .cookie, .cookies: nil
        }
    }

    /// Begins a line that may be one of the two.
    mutating func begin() {
        place = .length(0)
    }

    mutating func end() {
        place = .elsewhere
        noteBytes = 0
    }

    /// - Returns: The fault of the byte, if there is one.
    mutating func read(_ byte: UInt8) -> HeadReader.Fault? {
        switch place {
        case .elsewhere: return nil
        case .length(2) where byte | 0x20 == Self.cookie.utf8Start[2]: place = .cookie(3)
        case .length(let count): read(byte, of: Self.length, count, .length(count + 1), .start)
        case .cookie(let count): read(byte, of: Self.cookie, count, .cookie(count + 1), .cookies)
        case .cookies: readCookie(byte)
        case .start where byte == 0x20 || byte == 0x09: return nil
        case .start: return readDigit(byte, after: 0)
        case .digits where byte == 0x0D: place = .lengthEnd
        case .lengthEnd where byte == 0x0A: place = .elsewhere
        case .lengthEnd: return .badLength
        case .digits(let number): return readDigit(byte, after: number)
        }
        return nil
    }

    private mutating func read(_ byte: UInt8, of name: StaticString, _ count: Int, _ more: Place, _ whole: Place) {
        // The bit that makes a letter small is set in the hyphen and the colon already.
        guard byte | 0x20 == name.utf8Start[count] else { return place = .elsewhere }
        place = count + 1 == name.utf8CodeUnitCount ? whole : more
    }

    /// Counts the engine's copy of the value, and its note of each cookie.
    private mutating func readCookie(_ byte: UInt8) {
        switch byte {
        case 0x0D, 0x0A: place = .elsewhere
        case UInt8(ascii: ";"): noteBytes += EngineOptions.noteBytes
        default: noteBytes += 1
        }
    }

    private mutating func readDigit(_ byte: UInt8, after number: UInt64) -> HeadReader.Fault? {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return .badLength }
        let (tens, tooManyTens) = number.multipliedReportingOverflow(by: 10)
        let (sum, tooLarge) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
        guard !tooManyTens, !tooLarge else { return .longLength }
        place = .digits(sum)
        return nil
    }
}
