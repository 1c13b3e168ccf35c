public import Texts

/// A JSON value where it stands in the bytes of its document. It is decoded when somebody asks for it, and takes no
/// memory besides those bytes, which it keeps in use.
///
/// The values inside of an array or an object are found by walking over the bytes before them. So a look-up of a member
/// costs O(*n*), *n* = the bytes of the object.
public struct JSONSlice: Sendable {
    /// A checked document.
    let document: [UInt8]
    /// The index at which the value begins.
    let start: Int

    /// Checks a whole document by the strict rules of RFC 8259 and I-JSON.
    ///
    /// - Parameters:
    ///   - document: UTF-8 without a byte order mark, less than 4 GiB.
    ///   - levelsAround: As in `JSONValue(parsing:levelsAround:)`.
    /// - Throws: The first fault, with its offset in `document`; see `JSONError.Reason`.
    /// - Complexity: O(*n*), *n* = `document.count`. It takes at most 24 bytes of memory for each name of the objects
    ///   that are open at one place of the document, 128 bytes for each of these objects, and the bytes of one name.
    public init(checking document: [UInt8], levelsAround: Int = 0) throws(JSONError) {
        start = try document.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(bytes, depthMax: JSONValue.depthMax + levelsAround)
            return try reader.document()
        }
        self.document = document
    }

    /// - Precondition: A value that was checked begins at `start`.
    init(checked document: [UInt8], at start: Int) {
        (self.document, self.start) = (document, start)
    }

    /// The kind of a value, with the value. Strings and numbers are decoded, and the values inside of an array or an
    /// object are not.
    public enum Form: Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(ByteText)
        case array(Elements)
        case object(Members)
    }

    /// The value, with its type.
    public var form: Form {
        switch document[start] {
        case UInt8(ascii: "\""): .string(document.text(at: start))
        case UInt8(ascii: "["): .array(Elements(document: document, start: start))
        case UInt8(ascii: "{"): .object(Members(document: document, start: start))
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        case UInt8(ascii: "n"): .null
        default: .number(document.number(at: start))
        }
    }
}

extension JSONSlice {
    public var isNull: Bool { document[start] == UInt8(ascii: "n") }
}

// MARK: - Arrays and objects

extension JSONSlice {
    /// The elements of an array, in order.
    public struct Elements: Sequence, Sendable {
        fileprivate let document: [UInt8]
        fileprivate let start: Int

        /// The number of elements.
        ///
        /// - Complexity: O(*n*), *n* = the bytes of the array.
        public var count: Int { reduce(0) { count, _ in count + 1 } }

        /// A number of elements that the array cannot exceed, known at once.
        public var countMax: Int { (document.count - start) / 2 }

        public func makeIterator() -> Iterator { Iterator(document: document, behind: start + 1) }

        public struct Iterator: IteratorProtocol {
            private let document: [UInt8]
            /// The index behind the bracket or the element that came last.
            private var behind: Int
            /// The element that came last. It is walked over only if another one is asked for.
            private var last: Int?

            fileprivate init(document: [UInt8], behind: Int) { (self.document, self.behind) = (document, behind) }

            public mutating func next() -> JSONSlice? {
                if let last { behind = document.end(ofValueAt: last) }
                guard let start = document.nextStart(from: behind) else { return nil }
                last = start
                return JSONSlice(checked: document, at: start)
            }
        }
    }

    /// The members of an object, in order.
    public struct Members: Sequence, Sendable {
        fileprivate let document: [UInt8]
        fileprivate let start: Int

        /// The number of members.
        ///
        /// - Complexity: O(*n*), *n* = the bytes of the object.
        public var count: Int { reduce(0) { count, _ in count + 1 } }

        /// The value of the member named `key`; nil if there is none.
        public subscript(key: ByteText) -> JSONSlice? { first { $0.key == key }?.value }

        public func makeIterator() -> Iterator { Iterator(document: document, behind: start + 1) }

        public struct Iterator: IteratorProtocol {
            private let document: [UInt8]
            private var behind: Int
            private var last: Int?

            fileprivate init(document: [UInt8], behind: Int) { (self.document, self.behind) = (document, behind) }

            public mutating func next() -> (key: ByteText, value: JSONSlice)? {
                if let last { behind = document.end(ofValueAt: last) }
                guard let start = document.nextStart(from: behind) else { return nil }
                let end = document.end(ofStringAt: start)
                let value = document.skippingSpace(from: document.skippingSpace(from: end) + 1)
                last = value
                return (document.text(at: start, upTo: end), JSONSlice(checked: document, at: value))
            }
        }
    }
}

extension [UInt8] {
    /// The index behind the value that begins at `start`.
    fileprivate func end(ofValueAt start: Int) -> Int { withSpan { JSONScan.end(ofValueAt: start, in: $0) } }

    /// The index behind the string that begins at `start`.
    fileprivate func end(ofStringAt start: Int) -> Int { withSpan { JSONScan.end(ofStringAt: start, in: $0) } }

    fileprivate func skippingSpace(from start: Int) -> Int {
        var index = start
        while isJSONSpace(self[index]) { index += 1 }
        return index
    }

    /// The index of the next element or member of an array or an object; nil at its end.
    ///
    /// - Parameter start: The index behind the opening bracket or behind an element.
    fileprivate func nextStart(from start: Int) -> Int? {
        let index = skippingSpace(from: start)
        switch self[index] {
        case UInt8(ascii: ","): return skippingSpace(from: index + 1)
        case UInt8(ascii: "]"), UInt8(ascii: "}"): return nil
        default: return index
        }
    }

    fileprivate func number(at start: Int) -> JSONNumber {
        withUnsafeBufferPointer { bytes in
            JSONNumber(checked: UnsafeBufferPointer(rebasing: bytes[start..<end(ofValueAt: start)]))
        }
    }

    /// Decodes a string.
    fileprivate func text(at start: Int) -> ByteText {
        text(at: start, upTo: end(ofStringAt: start))
    }

    fileprivate func text(at start: Int, upTo end: Int) -> ByteText {
        withUnsafeBufferPointer { bytes in
            let text = bytes[(start + 1)..<end - 1]
            guard text.contains(UInt8(ascii: "\\")) else {
                return ByteText(decoding: UnsafeBufferPointer(rebasing: text))
            }
            var reader = JSONReader(bytes, from: start, depthMax: 0)
            return (try? reader.string()) ?? ""
        }
    }
}

// MARK: - As JSON

extension JSONSlice {
    /// The size of a value as JSON without white space.
    public struct Extent {
        /// The number of bytes, as `JSONValue.write(to:)` writes them.
        public fileprivate(set) var byteCount = 0
        /// The number of arrays and objects inside each other, counting the value itself.
        public fileprivate(set) var depth = 0
        /// The number of bytes in the document.
        fileprivate var length = 0
        fileprivate var hasEscapes = false
    }

    /// Measures the value as JSON.
    ///
    /// - Complexity: O(*n*), *n* = the bytes of the value. Nothing is kept.
    public var extent: Extent {
        var extent = Extent()
        var depth = 0
        let end = document.end(ofValueAt: start)
        var index = start
        while index < end {
            let byte = document[index]
            guard byte != UInt8(ascii: "\"") else {
                let stringEnd = document.end(ofStringAt: index)
                extent.add(document, index..<stringEnd)
                index = stringEnd
                continue
            }
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                extent.depth = Swift.max(extent.depth, depth)
            }
            if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            if !isJSONSpace(byte) { extent.byteCount += 1 }
            index += 1
        }
        extent.length = end - start
        return extent
    }

    /// Whether the value takes at most `bytesMax` bytes in its document.
    ///
    /// - Complexity: O(min(*n*, `bytesMax`)), *n* = the bytes of the value.
    public func isWithin(_ bytesMax: Int) -> Bool {
        let end = Swift.min(document.count, start + bytesMax + 1)
        return document.withSpan { JSONScan.end(ofValueAt: 0, in: $0.extracting(start..<end)) } <= bytesMax
    }

    /// Appends the value as JSON without white space, as `JSONValue.write(to:)` does.
    ///
    /// - Parameter extent: That of the value.
    public func write(to buffer: inout [UInt8], _ extent: Extent) {
        guard extent.length != extent.byteCount || extent.hasEscapes else {
            return buffer.append(contentsOf: document[start..<start + extent.length])
        }
        let end = start + extent.length
        var (run, index) = (start, start)
        while index < end {
            if document[index] == UInt8(ascii: "\"") {
                let stringEnd = document.end(ofStringAt: index)
                if document[index..<stringEnd].contains(UInt8(ascii: "\\")) {
                    buffer.append(contentsOf: document[run..<index])
                    buffer.appendJSON(string: document.text(at: index))
                    run = stringEnd
                }
                index = stringEnd
                continue
            }
            if isJSONSpace(document[index]) {
                buffer.append(contentsOf: document[run..<index])
                run = index + 1
            }
            index += 1
        }
        buffer.append(contentsOf: document[run..<end])
    }

    /// The value as JSON without white space, in memory of its own.
    ///
    /// - Parameter extent: That of the value.
    public func bytes(_ extent: Extent) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(extent.byteCount)
        write(to: &bytes, extent)
        return bytes
    }
}

extension JSONSlice.Extent {
    /// Adds a string.
    fileprivate mutating func add(_ document: [UInt8], _ range: Range<Int>) {
        guard document[range].contains(UInt8(ascii: "\\")) else { return byteCount += range.count }
        hasEscapes = true
        byteCount += document.text(at: range.lowerBound).byteCountInJSON
    }
}
