internal import Texts

/// The names of the objects that a reader has gone into. It finds a name that an object has twice.
///
/// A name is kept as the index at which it begins, because a hostile body may have millions of names. The first names of
/// an object are compared one by one while they are few, short and without escapes. Other objects get a table, which
/// also keeps a hash of each name as it is decoded. So each name is decoded once for its hash, and *n* hostile bytes
/// cost O(*n*): Swift seeds its hashes anew in each process.
struct OpenNames {
    /// The names of one object.
    struct Object {
        /// The index in `starts` of its first name.
        fileprivate let first: Int
        fileprivate var table = NameTable()
    }

    private static let scannedMax = 16
    /// The most bytes of a name that is compared without a hash, with its quotes.
    private static let scannedBytesMax = 64

    /// The names of all open objects that have no table.
    private var starts: [UInt32] = []

    func opened() -> Object { Object(first: starts.count) }

    mutating func close(_ object: Object) { starts.removeLast(starts.count - object.first) }

    /// Adds a name to the innermost object.
    ///
    /// - Parameters:
    ///   - name: The range of the name with its quotes. The name is right.
    ///   - hasEscapes: Whether the name has escapes.
    /// - Returns: Whether the object has that name already. The object must not be used any more then.
    mutating func add(
        _ name: Range<Int>, to object: inout Object, hasEscapes: Bool, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let start = UInt32(name.lowerBound)
        guard object.table.isEmpty else { return !object.table.insert(start, hasEscapes: hasEscapes, in: bytes) }
        let isScanned = !hasEscapes && name.count <= Self.scannedBytesMax
        guard isScanned, starts.count - object.first < Self.scannedMax else {
            for other in starts[object.first...] { _ = object.table.insert(other, hasEscapes: false, in: bytes) }
            close(object)
            return !object.table.insert(start, hasEscapes: hasEscapes, in: bytes)
        }
        for other in starts[object.first...] where Self.isSame(other, start, in: bytes) { return true }
        starts.append(start)
        return false
    }

    /// Whether two names without escapes are the same.
    private static func isSame(_ left: UInt32, _ right: UInt32, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var (left, right) = (Int(left) + 1, Int(right) + 1)
        while bytes[left] == bytes[right] {
            if bytes[left] == UInt8(ascii: "\"") { return true }
            (left, right) = (left + 1, right + 1)
        }
        return false
    }
}

/// The names of one object by their hashes.
private struct NameTable {
    /// Has the hash of a name in the upper half, and in the lower half the complement of the index at which the name
    /// begins. A free place is 0. The order is that of the hashes, so that a larger table is filled from front to back.
    private var places: [UInt64] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// Inserts the name that begins at `start`.
    ///
    /// - Returns: False if the table has that name already.
    mutating func insert(_ start: UInt32, hasEscapes: Bool, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if 4 * count >= 3 * places.count { grow() }
        let hash = Self.hash(start, hasEscapes: hasEscapes, in: bytes)
        var place = self.place(of: hash)
        while places[place] != 0 {
            let isSame =
                UInt32(places[place] >> 32) == hash
                && Self.text(~UInt32(truncatingIfNeeded: places[place]), in: bytes) == Self.text(start, in: bytes)
            guard !isSame else { return false }
            place = self.place(behind: place)
        }
        places[place] = UInt64(hash) << 32 | UInt64(~start)
        count += 1
        return true
    }

    /// Grows by a quarter, because the old places and the new ones are in memory at once.
    private mutating func grow() {
        let old = places
        places = [UInt64](repeating: 0, count: max(16, old.count + old.count / 4))
        for name in old where name != 0 {
            var place = self.place(of: UInt32(name >> 32))
            while places[place] != 0 { place = self.place(behind: place) }
            places[place] = name
        }
    }

    /// The place at which the search for a hash begins.
    private func place(of hash: UInt32) -> Int { Int((UInt64(hash) * UInt64(places.count)) >> 32) }

    private func place(behind place: Int) -> Int { place + 1 < places.count ? place + 1 : 0 }

    private static func hash(_ start: UInt32, hasEscapes: Bool, in bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var hasher = Hasher()
        if hasEscapes {
            text(start, in: bytes).withBytes { hasher.combine(bytes: $0) }
        } else {
            let name = bytes[(Int(start) + 1)...].prefix { $0 != UInt8(ascii: "\"") }
            hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: name)))
        }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    private static func text(_ start: UInt32, in bytes: UnsafeBufferPointer<UInt8>) -> ByteText {
        var reader = JSONReader(bytes, from: Int(start), depthMax: 0)
        return (try? reader.string()) ?? ""
    }
}
