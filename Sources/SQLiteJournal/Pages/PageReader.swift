internal import ListStore

/// The pages of a database file as the last commit left them, read without SQLite.
///
/// Source: "Database File Format" on SQLite's site. Numbers are big-endian, and pages count from 1.
struct PageReader {
    /// The file is not as SQLite writes it for this program, or is beyond what this code understands. SQLite has to
    /// decide which.
    struct Unsure: Error {}

    let pageSize: Int
    let pageCount: Int
    private let file: any DiskFile
    private let log: (any DiskFile)?
    private let frames: [Int: Int]
    private let pagesAtOnceMax: Int
    /// The number of pages to read at once. It grows while the pages behind a wanted one are wanted too, and shrinks
    /// while they are not, as in a file whose free pages have been used again.
    private var pagesAtOnce = 1
    /// Some pages of the file, or a single page of the log.
    private var window: [UInt8] = []
    private var held = 0..<0
    /// The number of pages of the window that were wanted.
    private var uses = 0
    private var lastUsed = 0

    /// - Parameters:
    ///   - file: The database. It must stay open while SQLite has it open, because closing it would release SQLite's
    ///     locks.
    ///   - pagesAtOnceMax: The most pages to read at once, although only one is wanted.
    init(
        _ file: any DiskFile, _ log: (any DiskFile)?, _ contents: WriteAheadLog.Contents, pagesAtOnceMax: Int
    ) throws {
        self.file = file
        self.log = log
        frames = contents.frames
        self.pagesAtOnceMax = pagesAtOnceMax
        let header = try file.read(100, at: 0)
        guard header.count == 100 else { throw Unsure() }
        let stated = header.span.short(16)
        pageSize = stated == 1 ? 65536 : stated
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0, header[20] == 0, header.span.isWithoutPointerMap else {
            throw Unsure()
        }
        let size = try file.size()
        if let count = contents.pageCount {
            pageCount = count
            // Each page is in the file or in the log, except the one that holds SQLite's lock bytes, which may be in
            // neither.
            guard contents.pageSize == pageSize, count <= size / pageSize + frames.count + 1 else { throw Unsure() }
        } else {
            pageCount = header.span.word(28)
            guard size == pageCount * pageSize else { throw Unsure() }
        }
    }

    /// Calls `body` with the bytes of a page, which are valid until it returns.
    mutating func withPage<Result>(_ number: Int, _ body: (Span<UInt8>) throws -> Result) throws -> Result {
        if !held.contains(number) { try fetch(number) }
        if number != lastUsed { (uses, lastUsed) = (uses + 1, number) }
        let start = (number - held.lowerBound) * pageSize
        return try body(window.span.extracting(start..<start + pageSize))
    }

    private mutating func fetch(_ number: Int) throws {
        guard number >= 1, number <= pageCount else { throw Unsure() }
        pagesAtOnce = 3 * uses < held.count ? max(1, pagesAtOnce / 2) : min(pagesAtOnceMax, 2 * pagesAtOnce)
        (held, uses, lastUsed) = (0..<0, 0, 0)
        if let log, let offset = frames[number] {
            window = try log.read(pageSize, at: offset)
            guard window.count == pageSize else { throw Unsure() }
            held = number..<number + 1
            return
        }
        window = try file.read(pagesAtOnce * pageSize, at: (number - 1) * pageSize)
        var end = number + window.count / pageSize
        guard end > number else { throw Unsure() }
        // The window ends before a page that the log has in a newer form.
        if !frames.isEmpty, let newer = (number + 1..<max(end, number + 1)).first(where: { frames[$0] != nil }) {
            end = newer
        }
        held = number..<end
    }
}

extension Span<UInt8> {
    /// Two bytes as a big-endian number. They must be there.
    func short(_ offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    /// Whether the file that begins with these bytes has no pointer-map pages (auto-vacuum). A database of this program
    /// has none, and if the header said otherwise, SQLite would write such pages over others.
    var isWithoutPointerMap: Bool { word(52) == 0 && word(64) == 0 }

    /// Four bytes as a big-endian number. They must be there.
    func word(_ offset: Int) -> Int { short(offset) << 16 | short(offset + 2) }

    /// A number of one to nine bytes (SQLite's varint). Each byte has seven bits of it, a ninth byte eight.
    ///
    /// - Returns: Nil if the number is cut off. Otherwise `offset` is behind it.
    func varint(_ offset: inout Int) -> Int? {
        guard offset < count else { return nil }
        var byte = self[offset]
        offset += 1
        guard byte >= 0x80 else { return Int(byte) }
        var number = UInt64(byte & 0x7F)
        for _ in 0..<7 {
            guard offset < count else { return nil }
            byte = self[offset]
            offset += 1
            number = number << 7 | UInt64(byte & 0x7F)
            guard byte >= 0x80 else { return Int(number) }
        }
        guard offset < count else { return nil }
        number = number << 8 | UInt64(self[offset])
        offset += 1
        return Int(bitPattern: UInt(number))
    }
}
