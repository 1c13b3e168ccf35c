internal import CReading
internal import Glibc

/// Reads the requests of one connection before the engine does, and ends every head that others could read otherwise.
///
/// The engine takes a lone LF for the end of a line, joins folded lines, ends strings at a NUL, and ends a head at a
/// field without a name. A proxy in front of it may see another request in the same bytes, and a second one hidden in
/// it. So the bytes of each head are looked at as they come, before the engine changes them. From the first offending
/// byte on they are replaced by an ending that makes the head whole, and `fault` says why the head must be refused.
///
/// The reader knows only the framing of a body that `follow` is given, so both find the same end of the body:
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
        /// The head is whole, and `follow` has not been called yet.
        case asked
        /// Within a body of which this many bytes are still to come.
        case content(left: UInt64)
        case chunks(ChunkReader)
        /// This many bytes of the ending are out. The engine gets no bytes but those of the ending.
        case ended(out: Int)
        /// Nothing that follows will be served.
        case over
    }

    private var place = Place.line
    /// The fault of the head, or of the chunks behind it, that was read last.
    private(set) var fault: Fault?
    /// The bytes of the head so far, from its request line on. They are compared with the engine's count.
    private(set) var headBytes = 0
    /// The bytes of the notes that the engine makes of the fields so far.
    private(set) var noteBytes = 0
    let limits: Limits
    /// The part of the heads that the engine does not get.
    var credentials = Credentials()
    /// The number of bytes behind the head, which are not looked at before `follow` is called.
    private var unread = 0
    private(set) var isRequestLine = true
    /// The bytes of the line so far.
    private(set) var column = 0
    private var endsInCR = false
    private var field = FieldReader()

    init(_ limits: Limits) {
        self.limits = limits
    }

    struct Limits {
        /// The most bytes of a head, from its first line to the empty one.
        let headBytesMax: Int
        /// The most bytes of a head with the engine's notes of it.
        let notedBytesMax: Int
    }

    /// Which credentials may be taken out of the bytes that are looked at.
    enum Taking {
        /// None, because the engine counts on all bytes.
        case nothing
        /// Those of the next head, before the request that has others is over.
        case outOfNext
        case out
    }

    /// Whether a part of the ending is still to be read by the engine, because its buffer had no room.
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

// MARK: - Calls of the loop

extension HeadReader {
    /// Looks at what has been received, in place.
    ///
    /// - Parameters:
    ///   - count: The number of bytes received.
    ///   - room: The number of bytes that fit there.
    ///   - isBetweenRequests: Whether the request before is over, or there is none.
    /// - Returns: The number of bytes that the engine may have.
    mutating func read(
        _ bytes: UnsafeMutablePointer<UInt8>, count: Int, room: Int, isBetweenRequests: Bool
    ) -> Int {
        var count = count
        let taking = isBetweenRequests ? Taking.out : .outOfNext
        guard let end = look(bytes, &count, taking) else { return count }
        return end + writeEnding(bytes + end, room: room - end)
    }

    /// Writes the rest of the ending, which the engine reads instead of the bytes that the client sends.
    mutating func readEnding(_ bytes: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
        writeEnding(bytes, room: room)
    }

    /// Called when the engine has read the head. Takes the framing of the body, and looks at the bytes behind the head.
    ///
    /// - Parameter bytes: The bytes behind the head.
    mutating func follow(_ framing: Framing, _ bytes: UnsafeMutablePointer<UInt8>) {
        guard case .asked = place else { return }
        place = framing.isChunked ? .chunks(ChunkReader()) : .content(left: framing.length ?? 0)
        guard unread > 0 else { return }
        var count = unread
        unread = 0
        // The engine counts on all of them, and what stands behind the ending is never read.
        guard let end = look(bytes, &count, .nothing) else { return }
        _ = writeEnding(bytes + end, room: count - end)
    }

    /// Looks at bytes that have been received.
    ///
    /// - Parameters:
    ///   - count: The number of bytes; then the number of those that are left.
    ///   - taking: Whether credentials may be taken out.
    /// - Returns: The index of the first byte that must not reach the engine; nil if there is none.
    private mutating func look(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: inout Int, _ taking: Taking
    ) -> Int? {
        var index = 0
        if case .content(let left) = place {
            let skipped = min(left, UInt64(count))
            index = Int(skipped)
            if skipped == left { begin() } else { place = .content(left: left - skipped) }
        }
        switch place {
        case .line: return lookAtHead(bytes, index, &count, taking)
        case .chunks(var chunks):
            fault = fault ?? chunks.read(UnsafeBufferPointer(start: bytes, count: count))
            place = .chunks(chunks)
        case .asked: unread += count - index
        case .content, .ended, .over: break
        }
        return nil
    }

    /// Prepares for the next head.
    private mutating func begin() {
        place = .line
        credentials.begin()
        headBytes = 0
        noteBytes = 0
        isRequestLine = true
    }
}

// MARK: - Heads

extension HeadReader {
    /// As `look`. Rare faults are looked for afterwards, over all lines at once. If one is found, the lines before it
    /// are read again.
    private mutating func lookAtHead(
        _ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ count: inout Int, _ taking: Taking
    ) -> Int? {
        guard start < count, !takePlainHead(bytes, start, &count, taking) else { return nil }
        let fault = taking == .nothing ? nil : takeCredentials(bytes, start, &count)
        if let end = lookAtLines(bytes, start, count) { return end }
        return fault.map { stop(at: count, $0) }
    }

    private mutating func lookAtLines(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        let before = self
        let end = readLines(bytes, start, count)
        guard let nul = memchr(bytes + start, 0, (end ?? count - unread) - start) else { return end }
        self = before
        let place = UnsafeRawPointer(nul) - UnsafeRawPointer(bytes)
        return readLines(bytes, start, place) ?? stop(at: place, .nul)
    }

    /// Nearly every head comes as a whole and has nothing that needs to be read byte by byte.
    ///
    /// - Parameter count: The number of bytes; reduced by those that are taken out.
    /// - Returns: Whether such a head begins at `start`; if not, nothing has changed.
    mutating func takePlainHead(
        _ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ count: inout Int, _ taking: Taking
    ) -> Bool {
        // A plain head must come as a whole, so nothing of it may have come before.
        guard headBytes == 0, column == 0 else { return false }
        var head = reading_head()
        let length = reading_plain_head(bytes + start, count - start, &head)
        let notes = head.fields * EngineOptions.noteBytes
        guard length > 0, length <= limits.headBytesMax, length + notes <= limits.notedBytesMax else { return false }
        headBytes = length
        noteBytes = notes
        isRequestLine = false
        unread = count - start - length
        place = .asked
        guard head.credentials_end > 0, taking != .nothing else { return true }
        let lineBytes = takeCredentials(of: head, bytes + start, unread + length, taking)
        headBytes -= lineBytes
        noteBytes -= EngineOptions.noteBytes
        count -= lineBytes
        return true
    }

    private mutating func stop(at index: Int, _ fault: Fault) -> Int {
        self.fault = fault
        place = .ended(out: 0)
        return index
    }

    /// As `look`, without the fault of a NUL. The first byte beyond the limit is a fault, whatever it is.
    private mutating func readLines(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var index = start
        while index < end {
            if !isRequestLine && (column == 0 || field.isReading) {
                if let offending = readField(bytes, &index, min(end, index + left)) { return offending }
                guard index < end else { return nil }
            }
            let allowed = min(end, index + left)
            guard let feed = memchr(bytes + index, 0x0A, allowed - index) else {
                if allowed > index { endsInCR = bytes[allowed - 1] == 0x0D }
                column += allowed - index
                headBytes += allowed - index
                return allowed < end ? stop(at: allowed, isRequestLine ? .longTarget : .longHead) : nil
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

    /// The number of bytes that may still follow in the head.
    private var left: Int { limits.headBytesMax - headBytes }

    /// Reads the start of a field's line, and the whole line of a `Content-Length` or `Cookie`.
    private mutating func readField(_ bytes: UnsafeMutablePointer<UInt8>, _ index: inout Int, _ end: Int) -> Int? {
        let start = index
        guard start < end else { return nil }
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
    /// The ending goes on with a line that has begun, or is a line of its own if none has.
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
