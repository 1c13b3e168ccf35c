import JSONValue
import ListModel

/// Writes JSON by hand, piece after piece, into one array of bytes.
///
/// A comma comes before a member or an element by itself, unless it is the first. The caller answers for brackets that
/// match.
struct JSONSplicer {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func beginObject() { bytes.append(UInt8(ascii: "{")) }
    mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    mutating func beginArray() { bytes.append(UInt8(ascii: "[")) }
    mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// The comma that is due before an element of an array.
    mutating func separate() {
        // Every value ends in another byte, so an opening bracket tells that nothing stands before.
        guard let last = bytes.last, last != UInt8(ascii: "["), last != UInt8(ascii: "{") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    /// Begins a member.
    ///
    /// - Parameter key: The name with its quotes and the colon.
    mutating func key(_ key: StaticString) {
        separate()
        bytes.append(utf8: key)
    }

    /// Pieces whose meaning the caller answers for.
    mutating func raw(_ text: StaticString) { bytes.append(utf8: text) }
    mutating func json(_ text: JSONText) { bytes.append(contentsOf: text.bytes) }
    mutating func json(_ minified: [UInt8]) { bytes.append(contentsOf: minified) }

    /// What was made when the item came in or changed: `id`, `kind` and `content`.
    mutating func json(_ item: ItemJSON) { item.append(to: &bytes) }
    mutating func json(upToContentOf item: ItemJSON) { item.appendUpToContent(to: &bytes) }
    mutating func json(contentOf item: ItemJSON) { item.appendContent(to: &bytes) }

    mutating func string(_ string: String) { bytes.appendJSON(string: string) }
    mutating func id<Namespace>(_ id: Identifier<Namespace>) { bytes.appendJSON(string: id.rawValue) }

    mutating func integer(_ integer: Int) {
        guard integer >= 0 else { return bytes.appendJSON(integer: integer) }
        var first = bytes.count
        var rest = integer
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // The last digit came first.
        var last = bytes.count - 1
        while first < last {
            bytes.swapAt(first, last)
            first += 1
            last -= 1
        }
    }

    /// The list's name is ASCII without anything to escape.
    mutating func list(_ list: ListID) {
        quote(list.rawValue)
    }

    mutating func version(_ version: Version) {
        bytes.append(UInt8(ascii: "\""))
        plain(version.epoch)
        bytes.append(UInt8(ascii: "-"))
        integer(version.revision)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func version(_ version: VersionText) { plain(version.quoted) }

    /// A string of the program's own, without anything to escape.
    mutating func quote(_ plain: String) {
        bytes.append(UInt8(ascii: "\""))
        self.plain(plain)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func plain(_ text: String) {
        text.utf8.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// An array of ids.
    mutating func ids<Namespace>(_ ids: [Identifier<Namespace>]) {
        beginArray()
        for id in ids {
            separate()
            self.id(id)
        }
        endArray()
    }
}
