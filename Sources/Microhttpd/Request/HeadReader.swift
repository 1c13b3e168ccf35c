internal import CReading
internal import Glibc

/// Reads the requests of one connection before the engine does, and ends every head that others could read otherwise.
///
/// The engine takes a lone LF for the end of a line, joins folded lines, ends strings at a NUL, and a head at a field
/// without a name. Whoever stands in front of it may see another request in the same bytes, and a second one hidden in
/// it. So the bytes of each head are looked at as they come, before the engine changes them. From the first offending
/// byte on they are replaced by an ending that makes the head whole, and `fault` says why it must be refused.
///
/// Knows of a body only what `follow` is told, so it cannot find another end of it than the engine does:
///
///     line ──empty line──▶ asked ──follow──▶ content ──whole──▶ line
///       │                    ├──────────────▶ chunks
///       └──fault──▶ ended    └──────────────▶ line
struct HeadReader {
    enum Fault {
        case bareLineFeed, foldedField, nul, emptyName
        case badLength, longLength
        case badChunk
        case longTarget, longHead
    }

    private enum Place {
        /// Within a head.
        case line
        /// The head is whole, and nobody has said yet what follows it.
        case asked
        /// Within a body of which so many bytes are to come.
        case content(left: UInt64)
        case chunks(ChunkReader)
        /// So many bytes of the ending are out; the engine gets no others.
        case ended(out: Int)
        /// Nothing that follows will be served.
        case over
    }

    private var place = Place.line
    /// The fault of the head, or of the chunks behind it, that was read last.
    private(set) var fault: Fault?
    /// Bytes of the head so far, from its request line on; compared with what the engine has read of it.
    private(set) var headBytes = 0
    /// Of the notes that the engine makes of the fields of the head so far.
    private(set) var noteBytes = 0
    let limits: Limits
    /// What the engine does not get of the head that was read last.
    var credentials = Credentials()
    /// Received and not looked at, because nobody has said yet what it is.
    private var unread = 0
    private(set) var isRequestLine = true
    /// Of the line so far.
    private(set) var column = 0
    private var endsInCR = false
    private var field = FieldReader()

    init(_ limits: Limits) {
        self.limits = limits
    }

    struct Limits {
        /// Of a head, from its first line to the empty one.
        let headBytesMax: Int
        /// Of a head with what the engine notes of it.
        let notedBytesMax: Int
    }

    /// Whether the engine waits for an ending that had no room among the bytes that it has.
    var hasMoreToSay: Bool {
        if case .ended(let out) = place { out < ending.utf8CodeUnitCount } else { false }
    }

    /// Whether nothing more is to be received.
    var isOver: Bool {
        switch place {
        case .ended, .over: true
        case .line, .asked, .content, .chunks: false
        }
    }

    /// Nothing that follows the request that was read last will be served.
    mutating func stop() {
        if !isOver { place = .over }
    }
}

// MARK: - What is called

extension HeadReader {
    /// Looks at what has been received, in place.
    ///
    /// - Parameters:
    ///   - count: Of the bytes received.
    ///   - room: Of the bytes that fit there.
    /// - Returns: How many the engine may have.
    mutating func read(_ bytes: UnsafeMutablePointer<UInt8>, count: Int, room: Int) -> Int {
        var count = count
        guard let end = look(bytes, &count, isTakingOut: true) else { return count }
        return end + writeEnding(bytes + end, room: room - end)
    }

    /// The ending, as far as it is not out: read instead of what the client sends.
    mutating func readEnding(_ bytes: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
        writeEnding(bytes, room: room)
    }

    /// The engine has read the head: says what follows it, and looks at what has been received of that.
    ///
    /// - Parameter bytes: Behind the head.
    mutating func follow(_ framing: Framing, _ bytes: UnsafeMutablePointer<UInt8>) {
        guard case .asked = place else { return }
        place = framing.isChunked ? .chunks(ChunkReader()) : .content(left: framing.length ?? 0)
        guard unread > 0 else { return }
        var count = unread
        unread = 0
        // The engine counts on all of them, and what stands behind the ending is never read.
        guard let end = look(bytes, &count, isTakingOut: false) else { return }
        _ = writeEnding(bytes + end, room: count - end)
    }

    /// - Parameters:
    ///   - count: Of the bytes; then of those that are left.
    ///   - isTakingOut: Whether some may be.
    /// - Returns: The index of the first byte that must not reach the engine; nil if there is none.
    private mutating func look(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: inout Int, isTakingOut: Bool
    ) -> Int? {
        var index = 0
        if case .content(let left) = place {
            let skipped = min(left, UInt64(count))
            index = Int(skipped)
            if skipped == left { begin() } else { place = .content(left: left - skipped) }
        }
        switch place {
        case .line: return lookAtHead(bytes, index, &count, isTakingOut: isTakingOut)
        case .chunks(var chunks):
            fault = fault ?? chunks.read(UnsafeBufferPointer(start: bytes, count: count))
            place = .chunks(chunks)
        case .asked: unread += count - index
        case .content, .ended, .over: break
        }
        return nil
    }

    /// A head may follow.
    private mutating func begin() {
        place = .line
        credentials = Credentials()
        headBytes = 0
        noteBytes = 0
        isRequestLine = true
    }
}

// MARK: - Heads

extension HeadReader {
    /// As `look`. What is rare is looked for afterwards, over all lines at once; if it is found, the lines before it
    /// are read again.
    private mutating func lookAtHead(
        _ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ count: inout Int, isTakingOut: Bool
    ) -> Int? {
        guard start < count, !takePlainHead(bytes + start, count - start) else { return nil }
        let fault = isTakingOut ? takeCredentials(bytes, start, &count) : nil
        if let end = lookAtLines(bytes, start, count) { return end }
        return fault.map { stop(at: count, $0) }
    }

    private mutating func lookAtLines(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        let before = self
        var end = readLines(bytes, start, count)
        let allowed = start + limits.headBytesMax - before.headBytes
        if headBytes > limits.headBytesMax && (end ?? count) > allowed {
            self = before
            end = readLines(bytes, start, allowed) ?? stop(at: allowed, isRequestLine ? .longTarget : .longHead)
        }
        guard let nul = memchr(bytes + start, 0, (end ?? count - unread) - start) else { return end }
        self = before
        let place = UnsafeRawPointer(nul) - UnsafeRawPointer(bytes)
        return readLines(bytes, start, place) ?? stop(at: place, .nul)
    }

    /// Nearly every head comes as a whole and has nothing that needs to be read byte by byte.
    ///
    /// - Returns: Whether the bytes began with such a head; if not, nothing has changed.
    mutating func takePlainHead(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool {
        // Of this head nothing has come before.
        guard headBytes == 0, column == 0 else { return false }
        var fields = 0
        let length = reading_plain_head(bytes, count, &fields)
        let notes = fields * EngineOptions.noteBytes
        guard length > 0, length <= limits.headBytesMax, length + notes <= limits.notedBytesMax else { return false }
        headBytes = length
        noteBytes = notes
        isRequestLine = false
        unread = count - length
        place = .asked
        return true
    }

    private mutating func stop(at index: Int, _ fault: Fault) -> Int {
        self.fault = fault
        place = .ended(out: 0)
        return index
    }

    /// As `look`, but for NUL and too many bytes.
    private mutating func readLines(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var index = start
        while index < end {
            if !isRequestLine && (column == 0 || field.isReading) {
                if let offending = readField(bytes, &index, end) { return offending }
                guard index < end else { return nil }
            }
            guard let feed = memchr(bytes + index, 0x0A, end - index) else {
                endsInCR = bytes[end - 1] == 0x0D
                column += end - index
                headBytes += end - index
                return nil
            }
            let place = UnsafeRawPointer(feed) - UnsafeRawPointer(bytes)
            guard place > index ? bytes[place - 1] == 0x0D : endsInCR else { return stop(at: place, .bareLineFeed) }
            column += place - index
            headBytes += place + 1 - index
            index = place + 1
            if endLine() {
                unread = end - index
                return nil
            }
            guard headBytes + noteBytes <= limits.notedBytesMax else { return stop(at: index, .longHead) }
        }
        return nil
    }

    /// The start of a field's line, or of what its length may be read from.
    private mutating func readField(_ bytes: UnsafeMutablePointer<UInt8>, _ index: inout Int, _ end: Int) -> Int? {
        let start = index
        if column == 0 {
            switch bytes[index] {
            case 0x20, 0x09: return stop(at: index, .foldedField)
            case UInt8(ascii: ":"): return stop(at: index, .emptyName)
            case UInt8(ascii: "C"), UInt8(ascii: "c"): field.begin()
            default: return nil
            }
        }
        while index < end, field.isReading {
            if let fault = field.read(bytes[index]) { return stop(at: index, fault) }
            let noted = headBytes + index - start + noteBytes + field.noteBytes
            guard noted <= limits.notedBytesMax else { return stop(at: index, .longHead) }
            if field.isReading { index += 1 }
        }
        if index > start { endsInCR = bytes[index - 1] == 0x0D }
        column += index - start
        headBytes += index - start
        return nil
    }

    /// Returns whether the head has ended with the line.
    private mutating func endLine() -> Bool {
        let isEmpty = column == 1
        column = 0
        endsInCR = false
        switch (isEmpty, isRequestLine) {
        case (true, true): headBytes = 0  // Lines before a request mean nothing (RFC 9112, section 2.2).
        case (true, false): place = .asked
        case (false, true): isRequestLine = false
        case (false, false): noteBytes += EngineOptions.noteBytes + field.noteBytes
        }
        field.end()
        return isEmpty && !isRequestLine
    }
}

// MARK: - Endings

extension HeadReader {
    /// Each goes on with a line that has begun, and is a line of its own if none has.
    private var ending: StaticString {
        field.ending ?? (isRequestLine ? "X / HTTP/1.1\r\n\r\n" : "X:\r\n\r\n")
    }

    /// - Returns: How many bytes were written.
    private mutating func writeEnding(_ bytes: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
        guard case .ended(let out) = place else { return 0 }
        let ending = ending
        let count = min(ending.utf8CodeUnitCount - out, room)
        bytes.update(from: ending.utf8Start + out, count: count)
        place = .ended(out: out + count)
        return count
    }
}
