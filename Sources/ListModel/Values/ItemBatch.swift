internal import JSONValue

/// Items by where their parts are in some bytes, such as those of a snapshot, to be made together.
///
/// The JSON of neighbours is made in one buffer, which spares each a piece of memory of its own.
package struct ItemBatch {
    private struct Kind {
        let name: String
        /// What stands between the id and the content of its items.
        let json: [UInt8]
    }

    /// Nothing in here needs to be counted: there are hundreds at once.
    private struct Entry {
        let id: Range<Int32>
        let content: Range<Int32>
        /// An index of `kinds`.
        let kind: Int32
        let marks: RowMarks
        /// Bytes of its JSON before the content.
        let leading: UInt16
        /// Whether the id stands in JSON as it is.
        let isPlain: Bool

        var byteCount: Int { JSONTextFrame.byteCount + Int(leading) + content.count }
    }

    /// A buffer is closed when it has so many. While one of its items is in use it cannot be freed.
    private static let bufferBytes = 2048

    private var bytes: [UInt8] = []
    private var kinds: [Kind] = []
    private var entries: [Entry] = []

    package init() {}

    /// Begins anew, without items and kinds.
    ///
    /// - Parameter bytes: What ids and contents are ranges of; at most `Int32.max`.
    package mutating func start(_ bytes: [UInt8]) {
        self.bytes = bytes
        kinds.removeAll(keepingCapacity: true)
        removeItems()
    }

    package var kindCount: Int { kinds.count }
    var count: Int { entries.count }

    package mutating func addKind(_ name: String) {
        var json = Array(",\"kind\":".utf8)
        json.appendJSON(string: name)
        json.append(utf8: ItemJSON.contentKey)
        kinds.append(Kind(name: name, json: json))
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - kind: The number of a kind that was added before, from 0.
    ///   - content: Minified JSON.
    /// - Returns: False if the id is far longer than one can be.
    package mutating func append(id: Range<Int32>, kind: Int, content: Range<Int32>, _ marks: RowMarks) -> Bool {
        let isPlain = bytes.span.extracting(id.wide).withUnsafeBufferPointer(isPlainJSON)
        let idCount = isPlain ? id.count : escaped(id).count - 2
        guard let leading = UInt16(exactly: Self.framingCount + idCount + kinds[kind].json.count) else {
            return false
        }
        let kind = Int32(truncatingIfNeeded: kind)
        entries.append(
            Entry(id: id, content: content, kind: kind, marks: marks, leading: leading, isPlain: isPlain))
        return true
    }

    package mutating func removeItems() { entries.removeAll(keepingCapacity: true) }

    private static let idKey: StaticString = "\"id\":"
    /// Bytes of that and of the quotes around the id.
    private static let framingCount = 7

    private func escaped(_ id: Range<Int32>) -> [UInt8] {
        var json: [UInt8] = []
        json.appendJSON(string: String(decoding: bytes[id.wide], as: UTF8.self))
        return json
    }

    private static func text(_ bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }
}

extension Range<Int32> {
    fileprivate var wide: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}

// MARK: - Making the items

extension ItemBatch {
    /// Calls `body` with each item, its JSON made, and its level, until it returns false or an id is not UTF-8.
    ///
    /// - Returns: Whether it was called with all of them.
    @inline(__always)
    func forEachItem(_ body: (consuming Item, Int) -> Bool) -> Bool {
        var start = 0
        while start < entries.count {
            let (end, size) = extent(from: start)
            let buffer = buffer(of: entries[start..<end], size)
            var frame = 0
            for entry in entries[start..<end] {
                guard let id = Self.text(bytes.span.extracting(entry.id.wide)) else { return false }
                let item = Item(
                    sealed: JSONText(buffer, framedAt: frame), id: ItemID(unchecked: id),
                    kind: kinds[Int(entry.kind)].name, entry.marks)
                guard body(item, Int(entry.marks.level)) else { return false }
                frame += entry.byteCount
            }
            start = end
        }
        return true
    }

    /// Which entries share a buffer, and how long that is.
    private func extent(from start: Int) -> (end: Int, size: Int) {
        var (end, size) = (start, 0)
        repeat {
            size += entries[end].byteCount
            end += 1
        } while end < entries.count && size + entries[end].byteCount <= Self.bufferBytes
        return (end, size)
    }

    private func buffer(of entries: ArraySlice<Entry>, _ size: Int) -> [UInt8] {
        Array(unsafeUninitializedCapacity: size) { buffer, count in
            var output = Output(rest: UnsafeMutableRawBufferPointer(buffer))
            bytes.withUnsafeBytes { bytes in
                for entry in entries { put(entry, bytes, to: &output) }
            }
            count = size - output.rest.count
        }
    }

    @inline(__always)
    private func put(_ entry: Entry, _ bytes: UnsafeRawBufferPointer, to output: inout Output) {
        output.put(JSONTextFrame(leading: entry.leading, count: UInt32(truncatingIfNeeded: entry.content.count)))
        Self.idKey.withUTF8Buffer { output.put(UnsafeRawBufferPointer($0)) }
        if entry.isPlain {
            output.put(UInt8(ascii: "\""))
            output.put(bytes, entry.id)
            output.put(UInt8(ascii: "\""))
        } else {
            escaped(entry.id).withUnsafeBytes { output.put($0) }
        }
        kinds[Int(entry.kind)].json.withUnsafeBytes { output.put($0) }
        output.put(bytes, entry.content)
    }

    /// What is left of a buffer to be filled.
    private struct Output {
        var rest: UnsafeMutableRawBufferPointer

        mutating func put(_ bytes: UnsafeRawBufferPointer) {
            rest.copyMemory(from: bytes)
            drop(bytes.count)
        }

        mutating func put(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int32>) {
            put(UnsafeRawBufferPointer(rebasing: bytes[range.wide]))
        }

        mutating func put(_ byte: UInt8) {
            rest[0] = byte
            drop(1)
        }

        mutating func put(_ frame: JSONTextFrame) {
            rest.storeBytes(of: frame.leading, as: UInt16.self)
            rest.storeBytes(of: frame.count, toByteOffset: 2, as: UInt32.self)
            drop(JSONTextFrame.byteCount)
        }

        private mutating func drop(_ count: Int) { rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...]) }
    }
}
