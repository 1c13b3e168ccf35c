// Values as most clients write them, with or without white space between their parts.

extension MinifiedScan {
    /// The most members of an object whose names are compared one by one.
    private static var namesMax: Int { 16 }

    /// Moves the cursor over a value in which no object has a name twice.
    ///
    /// - Parameters:
    ///   - depth: The number of arrays and objects that are open around the value.
    ///   - names: The names of all objects that are open around the value, as the ranges of their bytes.
    /// - Returns: False also for a value that this scan does not judge: an object of many members. If the value has
    ///   escapes, names that differ in their spelling may be the same.
    mutating func plainValue(depth: Int, _ names: inout [Range<Int>]) -> Bool {
        switch current {
        case UInt8(ascii: "{"): return plainObject(depth: depth + 1, &names)
        case UInt8(ascii: "["): return plainArray(depth: depth + 1, &names)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = position
            return number() && position - start <= JSONNumber.literalBytesMax
        default: return value(depth: depth)
        }
    }

    private mutating func plainObject(depth: Int, _ names: inout [Range<Int>]) -> Bool {
        guard open(depth: depth) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        let first = names.count
        repeat {
            skipSpace()
            let start = position
            guard string(), note(start..<position, in: &names, since: first) else { return false }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard plainValue(depth: depth, &names) else { return false }
            skipSpace()
        } while take(UInt8(ascii: ","))
        names.removeLast(names.count - first)
        return take(UInt8(ascii: "}"))
    }

    private mutating func plainArray(depth: Int, _ names: inout [Range<Int>]) -> Bool {
        guard open(depth: depth) else { return false }
        if take(UInt8(ascii: "]")) { return true }
        repeat {
            skipSpace()
            guard plainValue(depth: depth, &names) else { return false }
            skipSpace()
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]"))
    }

    private mutating func open(depth: Int) -> Bool {
        guard depth <= JSONValue.depthMax else { return false }
        position &+= 1
        skipSpace()
        return true
    }

    /// Notes a name of the object whose names begin at `first`. Returns false if the object has it already.
    private func note(_ name: Range<Int>, in names: inout [Range<Int>], since first: Int) -> Bool {
        guard names.count - first < Self.namesMax else { return false }
        for index in first..<names.count where isSame(names[index], name) { return false }
        names.append(name)
        return true
    }

    private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count where bytes[left.lowerBound &+ offset] != bytes[right.lowerBound &+ offset] {
            return false
        }
        return true
    }

    /// Moves the cursor over white space.
    @inline(__always)
    mutating func skipSpace() {
        guard position < bytes.count, bytes[position] <= 0x20 else { return }
        skipSomeSpace()
    }

    private mutating func skipSomeSpace() {
        while position < bytes.count, isJSONSpace(bytes[position]) {
            hasSpace = true
            position &+= 1
        }
    }
}

/// Whether a byte is white space between the parts of a document.
///
/// Source: RFC 8259 section 2.
@inline(__always)
func isJSONSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

extension [UInt8] {
    /// Appends a value without its white space.
    ///
    /// - Parameter value: A valid value without escapes.
    mutating func append(minifying value: UnsafeBufferPointer<UInt8>) {
        var run = 0
        var isInString = false
        for (position, byte) in value.enumerated() {
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            guard !isInString, isJSONSpace(byte) else { continue }
            append(contentsOf: UnsafeBufferPointer(rebasing: value[run..<position]))
            run = position + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: value[run...]))
    }
}
