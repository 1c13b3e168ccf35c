import JSONValue
package import ListModel
package import Texts

/// Puts JSON together from pieces, in one array of bytes.
///
/// `key(_:)` writes the comma before a member, and `separate()` the comma before an element. The caller must make sure
/// that brackets match.
package struct JSONSplicer: ~Copyable {
    /// The bytes that have left the room.
    private var flushed: [UInt8] = []
    /// The room in which pieces are gathered. It is raw memory, because an array would check at each piece whether it
    /// is shared.
    private let room: UnsafeMutableRawPointer
    /// The number of bytes in the room.
    private var count = 0

    /// The size of the room. Most answers to writes fit in it.
    private static let roomBytes = 960
    /// The digits of the longest integer.
    private static let digitsMax = 20

    /// - Parameter capacity: The approximate number of bytes to come.
    package init(capacity: Int) {
        room = .allocate(byteCount: Self.roomBytes, alignment: 1)
        if capacity > Self.roomBytes { flushed.reserveCapacity(capacity) }
    }

    deinit { room.deallocate() }

    /// All bytes that have been written.
    package var bytes: [UInt8] {
        mutating get {
            guard !flushed.isEmpty else { return Array(UnsafeRawBufferPointer(start: room, count: count)) }
            flush()
            return flushed
        }
    }

    package mutating func beginObject() { write(UInt8(ascii: "{")) }
    package mutating func endObject() { write(UInt8(ascii: "}")) }
    package mutating func beginArray() { write(UInt8(ascii: "[")) }
    package mutating func endArray() { write(UInt8(ascii: "]")) }

    /// Writes the comma before an element of an array, unless the element is the first.
    package mutating func separate() {
        // No value ends in an opening bracket, so such a bracket shows that no element stands before.
        guard let last, last != UInt8(ascii: "["), last != UInt8(ascii: "{") else { return }
        write(UInt8(ascii: ","))
    }

    /// Begins a member of an object.
    ///
    /// - Parameter key: The name with its quotes and the colon.
    package mutating func key(_ key: StaticString) {
        separate()
        raw(key)
    }

    /// Writes text as it is. The caller makes sure that it fits.
    package mutating func raw(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    mutating func raw(_ name: OperationName) {
        var text = name.rawValue
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }
    mutating func json(_ text: JSONText) { text.bytes.withUnsafeBytes { write($0) } }
    package mutating func json(_ minified: [UInt8]) { minified.withUnsafeBytes { write($0) } }

    /// Writes the members `id`, `kind` and `content` of an item.
    mutating func json(_ item: ItemJSON) {
        if case .sealed(let json) = item { return json.withAll { write($0) } }
        json(upToContentOf: item)
        json(contentOf: item)
    }

    mutating func json(upToContentOf item: ItemJSON) {
        switch item {
        case .sealed(let json): json.withMembersUpToContent { write($0) }
        case .pieces(let item):
            member("\"id\":", item.id)
            member(",\"kind\":", item.kind)
        }
    }

    mutating func json(contentOf item: ItemJSON) {
        switch item {
        case .sealed(let json): json.withContentMember { write($0) }
        case .pieces(let item):
            raw(SealedJSON.contentKey)
            json(item.content)
        }
    }

    package mutating func string(_ string: ByteText) {
        guard string.withSpan({ $0.withUnsafeBufferPointer(isPlainJSON) }) else {
            var escaped: [UInt8] = []
            escaped.appendJSON(string: string)
            return json(escaped)
        }
        quote(string)
    }
    package mutating func id<Namespace>(_ id: Identifier<Namespace>) { string(id.rawValue) }

    package mutating func integer(_ integer: Int) {
        if integer < 0 { write(UInt8(ascii: "-")) }
        if count + Self.digitsMax > Self.roomBytes { flush() }
        var rest = integer.magnitude
        // The digits are stored from the last to the first.
        count += Self.digitCount(rest)
        var place = count
        repeat {
            place -= 1
            let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            room.storeBytes(of: digit, toByteOffset: place, as: UInt8.self)
            rest /= 10
        } while rest > 0
    }

    private static func digitCount(_ number: UInt) -> Int {
        var count = 1
        var bound: UInt = 10
        // The bound is not used for 20 digits, because 10^20 would overflow.
        while number >= bound, count < digitsMax {
            count += 1
            bound = bound.multipliedReportingOverflow(by: 10).partialValue
        }
        return count
    }

    /// Writes a text that has nothing to escape as a string.
    mutating func quote(_ plain: ByteText) {
        write(UInt8(ascii: "\""))
        self.plain(plain)
        write(UInt8(ascii: "\""))
    }

    /// Writes one of the program's own words as a string.
    mutating func quote(_ word: String) { quote(ByteText(word)) }

    private mutating func plain(_ text: ByteText) {
        text.withSpan { $0.withUnsafeBytes { write($0) } }
    }
}

// MARK: - Members and arrays

// `opening` is the name of a member with its quotes and the colon, and the comma, brace or bracket beside it.
extension JSONSplicer {
    @inline(__always) package mutating func member(_ opening: StaticString, _ text: ByteText) {
        raw(opening)
        string(text)
    }
    @inline(__always)
    package mutating func member<Namespace>(_ opening: StaticString, _ id: Identifier<Namespace>) {
        member(opening, id.rawValue)
    }
    /// The id of a list is ASCII and has nothing to escape.
    @inline(__always) package mutating func member(_ opening: StaticString, _ list: ListID) {
        raw(opening)
        quote(list.rawValue)
    }
    @inline(__always) package mutating func member(_ opening: StaticString, _ version: Version) {
        raw(opening)
        write(UInt8(ascii: "\""))
        plain(version.epoch)
        write(UInt8(ascii: "-"))
        integer(version.revision)
        write(UInt8(ascii: "\""))
    }
    @inline(__always) mutating func member(_ opening: StaticString, _ version: VersionText) {
        raw(opening)
        json(version.quoted)
    }
    @inline(__always) package mutating func member(_ opening: StaticString, _ integer: Int) {
        raw(opening)
        self.integer(integer)
    }
    @inline(__always) mutating func member(_ opening: StaticString, _ text: JSONText) {
        raw(opening)
        json(text)
    }
    mutating func member<Namespace>(_ opening: StaticString, _ ids: [Identifier<Namespace>]) {
        raw(opening)
        beginArray()
        for id in ids {
            separate()
            self.id(id)
        }
        endArray()
    }

    /// Writes an array of objects, from `opening` to the closing bracket.
    ///
    /// - Parameter members: Writes the members of an element.
    package mutating func objects<Element>(
        _ opening: StaticString, _ elements: some Collection<Element>,
        _ members: (inout JSONSplicer, Element) -> Void
    ) {
        raw(opening)
        for element in elements {
            separate()
            beginObject()
            members(&self, element)
            endObject()
        }
        endArray()
    }

    /// The bytes of an object.
    ///
    /// - Parameters:
    ///   - capacity: As for `init(capacity:)`.
    ///   - members: Writes the members.
    package static func object(capacity: Int, _ members: (inout JSONSplicer) -> Void) -> [UInt8] {
        var splicer = JSONSplicer(capacity: capacity)
        splicer.beginObject()
        members(&splicer)
        splicer.endObject()
        return splicer.bytes
    }
}

// MARK: - The room

extension JSONSplicer {
    private var last: UInt8? {
        count > 0 ? room.load(fromByteOffset: count - 1, as: UInt8.self) : flushed.last
    }

    private mutating func write(_ piece: UnsafeRawBufferPointer) {
        guard let start = piece.baseAddress else { return }
        if piece.count > Self.roomBytes - count {
            flush()
            guard piece.count <= Self.roomBytes else { return flushed.append(contentsOf: piece) }
        }
        (room + count).copyMemory(from: start, byteCount: piece.count)
        count += piece.count
    }

    private mutating func write(_ byte: UInt8) {
        if count == Self.roomBytes { flush() }
        put(byte)
    }

    /// - Precondition: The room has space for the byte.
    private mutating func put(_ byte: UInt8) {
        room.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    private mutating func flush() {
        flushed.append(contentsOf: UnsafeRawBufferPointer(start: room, count: count))
        count = 0
    }
}
