internal import ListModel
internal import Texts

/// The numbers of names, which are given in the order in which names are first met.
///
/// A log names a list in each row, so looking one up makes no string. The hash has a key, for clients choose names.
struct NameTable {
    private(set) var lists: [ListID] = []
    /// The bytes of all names, and where each begins.
    private var bytes: [UInt8] = []
    private var starts: [Int] = [0]
    /// Numbers, -1 for none; a power of two of them, a quarter of which stays empty.
    private var slots = [Int32](repeating: -1, count: 64)
    private let key: UInt64

    init() { key = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1 }

    /// - Returns: Nil if that is not the name of a list.
    mutating func number(of name: Span<UInt8>) -> Int? {
        let hash = hash(name)
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0 {
            if has(Int(slots[slot]), name) { return Int(slots[slot]) }
            slot = (slot + 1) & (slots.count - 1)
        }
        let text = name.withUnsafeBytes { ByteText(decoding: $0) }
        guard let list = ListID(text) else { return nil }
        add(list, at: slot)
        return lists.count - 1
    }

    private mutating func add(_ list: ListID, at slot: Int) {
        slots[slot] = Int32(truncatingIfNeeded: lists.count)
        lists.append(list)
        bytes.append(contentsOf: list.rawValue.utf8)
        starts.append(bytes.count)
        guard 4 * lists.count > 3 * slots.count else { return }
        slots = Array(repeating: -1, count: 2 * slots.count)
        for number in lists.indices {
            var slot = hash(bytes.span.extracting(starts[number]..<starts[number + 1])) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(truncatingIfNeeded: number)
        }
    }

    @inline(__always)
    private func has(_ number: Int, _ name: Span<UInt8>) -> Bool {
        let known = starts[number]..<starts[number + 1]
        guard known.count == name.count else { return false }
        return bytes.span.extracting(known).withUnsafeBytes { left in
            name.withUnsafeBytes { right in left.elementsEqual(byWords: right) }
        }
    }

    @inline(__always)
    private func hash(_ name: Span<UInt8>) -> Int {
        let words = name.withUnsafeBytes { bytes in
            var hash = key
            for index in stride(from: 0, to: bytes.count - 8, by: 8) { hash = mixed(hash, bytes.word(at: index)) }
            return mixed(hash, bytes.lastWord)
        }
        return Int(truncatingIfNeeded: mixed(words, UInt64(name.count)))
    }

    @inline(__always)
    private func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return (product.high ^ product.low) &+ key
    }
}

extension UnsafeRawBufferPointer {
    /// Eight bytes as a number, in the order of the processor; they must be there.
    @inline(__always)
    fileprivate func word(at index: Int) -> UInt64 { loadUnaligned(fromByteOffset: index, as: UInt64.self) }

    /// The last eight bytes, or all of fewer.
    @inline(__always)
    fileprivate var lastWord: UInt64 {
        guard count < 8 else { return word(at: count - 8) }
        return reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether another buffer of the same length has the same bytes.
    @inline(__always)
    fileprivate func elementsEqual(byWords other: UnsafeRawBufferPointer) -> Bool {
        for index in stride(from: 0, to: count - 8, by: 8) where word(at: index) != other.word(at: index) {
            return false
        }
        return lastWord == other.lastWord
    }
}
