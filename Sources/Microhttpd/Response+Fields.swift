internal import Glibc
public import Texts

extension Response {
    /// A field whose name is known when the program is built.
    public struct Field: Sendable {
        public let name: StaticString
        public let value: ByteText

        public init(_ name: StaticString, _ value: ByteText) {
            self.name = name
            self.value = value
        }
    }

    /// The fields of an answer, in the form in which the engine takes them: names and values one behind the other, each
    /// with a NUL behind it. An array with a text for each value took three times as long.
    public struct Fields: Sendable, ExpressibleByArrayLiteral {
        /// The names and values, and then only NULs, so that no NUL has to be written.
        private var room = Self.nuls
        /// The number of bytes of the names and values, with their NULs.
        private var count = 0

        private static let nuls = [UInt8](repeating: 0, count: 256)

        public init(arrayLiteral fields: Field...) {
            for field in fields { append(field) }
        }

        public mutating func append(_ field: Field) { append(field.name, field.value) }

        public mutating func append(_ name: StaticString, _ value: ByteText) {
            value.withBytes { append(name, $0) }
        }

        public mutating func append(_ name: StaticString, _ value: ArraySlice<UInt8>) {
            value.withUnsafeBytes { append(name, $0) }
        }

        /// Appends a field. The value ends at its first NUL, so no value can be read as a further field.
        private mutating func append(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
            append(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            count += 1
            if let start = value.baseAddress {
                let end = memchr(start, 0, value.count).map { UnsafeRawPointer($0) }
                append(UnsafeRawBufferPointer(start: start, count: end.map { $0 - start } ?? value.count))
            }
            count += 1
        }

        public mutating func append(contentsOf others: Self) {
            others.room.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[..<others.count])) }
        }

        /// Appends bytes, and keeps room for a NUL behind them.
        private mutating func append(_ piece: UnsafeRawBufferPointer) {
            while count + piece.count >= room.count { room += Self.nuls }
            room.withUnsafeMutableBytes { room in
                UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: piece)
            }
            count += piece.count
        }

        public static func + (left: Self, right: Self) -> Self {
            var sum = left
            sum.append(contentsOf: right)
            return sum
        }

        /// The same fields, with another value where the name is `name`. The order stays.
        public func replacing(_ name: StaticString, _ change: (ByteText) -> ByteText) -> Self {
            var changed: Self = []
            forEach { field, value in
                let isMeant = strcmp(field, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
                changed.append(UnsafeRawBufferPointer(start: field, count: strlen(field)))
                changed.count += 1
                if isMeant {
                    change(ByteText(cString: value)).withBytes { changed.append($0) }
                } else {
                    changed.append(UnsafeRawBufferPointer(start: value, count: strlen(value)))
                }
                changed.count += 1
            }
            return changed
        }

        /// Puts a text before, or behind, the value of the first field of this name.
        ///
        /// - Returns: False if there is no such field.
        public mutating func insert(_ text: StaticString, _ side: Side, valueOf name: StaticString) -> Bool {
            guard let value = range(of: name) else { return false }
            let (index, length) = (side == .before ? value.lowerBound : value.upperBound, text.utf8CodeUnitCount)
            while count + length >= room.count { room += Self.nuls }
            room.withUnsafeMutableBytes { room in
                guard let start = room.baseAddress else { return }
                memmove(start + index + length, start + index, count - index)
                memcpy(start + index, text.utf8Start, length)
            }
            count += length
            return true
        }

        /// Whether the value of the first field of this name has a text in it.
        public func has(_ text: StaticString, inValueOf name: StaticString) -> Bool {
            guard let value = range(of: name) else { return false }
            return room.withUnsafeBytes { room in
                guard let start = room.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
                let text = UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
                return strstr(start + value.lowerBound, text) != nil
            }
        }

        public enum Side { case before, behind }

        /// The place of the value of the first field of this name; nil if there is none.
        private func range(of name: StaticString) -> Range<Int>? {
            room.withUnsafeBytes { room in
                guard let start = room.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
                var place = 0
                while place < count {
                    let value = place + strlen(start + place) + 1
                    let end = value + strlen(start + value)
                    let isMeant = value - 1 - place == name.utf8CodeUnitCount
                    if isMeant, memcmp(start + place, name.utf8Start, value - 1 - place) == 0 { return value..<end }
                    place = end + 1
                }
                return nil
            }
        }

        /// Calls `body` with each name and value, in order.
        package func forEach(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void) {
            room.withUnsafeBytes { room in
                guard var place = room.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
                let end = place + count
                while place < end {
                    let value = place + strlen(place) + 1
                    body(place, value)
                    place = value + strlen(value) + 1
                }
            }
        }

        func value(of name: StaticString) -> ByteText? {
            var found: ByteText?
            forEach { field, value in
                let isMeant = strcmp(field, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
                if isMeant, found == nil { found = ByteText(cString: value) }
            }
            return found
        }

        /// The bytes of the lines.
        var lineBytes: Int {
            // Each NUL stands for two bytes: a colon and a space, or the end of a line.
            room[..<count].reduce(count) { $0 + ($1 == 0 ? 1 : 0) }
        }
    }
}
