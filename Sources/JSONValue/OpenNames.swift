internal import Texts

/// The names of the objects that a reader has gone into. It finds a name that an object has twice.
///
/// A name is kept as the index at which it begins, because a hostile body may have millions of names. The first
/// `scannedMax` names of an object are compared one by one. An object with more of them gets a table, so that *n*
/// hostile names cost O(*n*): Swift seeds its hashes anew in each process.
struct OpenNames {
    /// The names of one object.
    struct Object {
        /// The index in `starts` of its first name.
        fileprivate let first: Int
        fileprivate var hasEscapes = false
        /// The table has the complement of the index at which a name begins, and 0 where it is free. Without a table the
        /// names are in `starts`.
        fileprivate var table: [UInt32] = []
        fileprivate var count = 0
    }

    private static let scannedMax = 16

    /// The names of all open objects that have no table.
    private var starts: [UInt32] = []

    func opened() -> Object { Object(first: starts.count) }

    mutating func close(_ object: Object) { starts.removeLast(starts.count - object.first) }

    /// Adds a name to the innermost object.
    ///
    /// - Parameters:
    ///   - start: The index of the name's opening quote. The name is right.
    ///   - hasEscapes: Whether the name has escapes.
    /// - Returns: Whether the object has that name already. The object must not be used any more then.
    mutating func add(
        _ start: Int, to object: inout Object, hasEscapes: Bool, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        object.hasEscapes = object.hasEscapes || hasEscapes
        let names = Names(bytes: bytes, hasEscapes: object.hasEscapes)
        let start = UInt32(start)
        guard object.table.isEmpty else { return object.add(start, names) }
        for other in starts[object.first...] where names.isSame(other, start) { return true }
        starts.append(start)
        if starts.count - object.first > Self.scannedMax {
            for name in starts[object.first...] { _ = object.add(name, names) }
            close(object)
        }
        return false
    }
}

extension OpenNames.Object {
    fileprivate mutating func add(_ start: UInt32, _ names: Names) -> Bool {
        if 4 * count >= 3 * table.count { grow(names) }
        let place = self.place(of: start, names)
        guard table[place] == 0 else { return true }
        table[place] = ~start
        count += 1
        return false
    }

    private mutating func grow(_ names: Names) {
        let old = table
        table = [UInt32](repeating: 0, count: max(64, 2 * old.count))
        for name in old where name != 0 { table[place(of: ~name, names)] = name }
    }

    /// The place of the name that begins at `start`, or the free place for it.
    private func place(of start: UInt32, _ names: Names) -> Int {
        var place = names.hash(start) & (table.count - 1)
        while table[place] != 0, !names.isSame(~table[place], start) { place = (place + 1) & (table.count - 1) }
        return place
    }
}

/// Names in a document, each given by the index at which it begins.
private struct Names {
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether a name may have escapes.
    let hasEscapes: Bool

    func isSame(_ left: UInt32, _ right: UInt32) -> Bool {
        guard !hasEscapes else { return text(left) == text(right) }
        var (left, right) = (Int(left) + 1, Int(right) + 1)
        while bytes[left] == bytes[right] {
            if bytes[left] == UInt8(ascii: "\"") { return true }
            (left, right) = (left + 1, right + 1)
        }
        return false
    }

    func hash(_ start: UInt32) -> Int {
        var hasher = Hasher()
        if hasEscapes {
            text(start).withBytes { hasher.combine(bytes: $0) }
        } else {
            let name = bytes[(Int(start) + 1)...].prefix { $0 != UInt8(ascii: "\"") }
            hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: name)))
        }
        return hasher.finalize()
    }

    private func text(_ start: UInt32) -> ByteText {
        var reader = JSONReader(bytes, from: Int(start), depthMax: 0)
        return (try? reader.string()) ?? ""
    }
}
