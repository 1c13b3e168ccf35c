internal import ListStore
internal import Texts

/// Reads all tables of a database page by page, and checks that every page of the file is accounted for.
///
/// It is sure that all is right, or it throws `PageReader.Unsure`. It accepts nothing that SQLite's own check would
/// reject.
///
/// With it, the start of a store of 800,000 rows takes 3 times as long as reading the file from the disk. With SQLite
/// alone, reading columns in place, it took 10 times as long, and 9 times with SQLite's check on a second thread.
struct TableWalk: RowSource {
    typealias Unsure = PageReader.Unsure

    private var pages: PageReader
    private var overflowPages: PageReader
    private var leafPages: PageReader
    private let pageSize: Int
    /// The root page of each table, by the table's name.
    private let roots: [ByteText: Int]
    private var seen: [Bool]
    private var seenCount = 0
    /// The bytes of a row that does not fit into its page.
    private var scratch: [UInt8] = []
    /// The places of the cells in a page.
    private var places: [PageHeader.Place] = []

    init(
        _ file: any DiskFile, _ log: (any DiskFile)?, _ contents: WriteAheadLog.Contents, roots: [ByteText: Int]
    ) throws {
        self.roots = roots
        pages = try PageReader(file, log, contents, pagesAtOnceMax: 1)
        overflowPages = try PageReader(file, log, contents, pagesAtOnceMax: 16)
        leafPages = try PageReader(file, log, contents, pagesAtOnceMax: 256)
        pageSize = pages.pageSize
        seen = Array(repeating: false, count: pages.pageCount + 1)
        // SQLite keeps its locks at the byte at 1 GiB, and never uses the page that holds this byte.
        let locked = (1 << 30) / pageSize + 1
        if locked < seen.count { try mark(locked) }
    }

    private mutating func mark(_ page: Int) throws {
        guard page >= 1, page < seen.count, !seen[page] else { throw Unsure() }
        seen[page] = true
        seenCount += 1
    }

    // MARK: Rows

    /// A page of a table, and the greatest row number that may be in it or below it.
    private struct Node {
        var page: Int
        var last: Int
    }

    /// The progress of a walk through a table.
    private struct Progress {
        /// The depth of the leaves, which is the same for all; nil before the first leaf.
        var depth: Int?
        /// Rows still to come have greater numbers than this.
        var before = Int.min
    }

    /// Calls `body` with each row of a table, in the order of their numbers.
    mutating func read<Row: RowInPlace>(_: Row.Type, _ body: (Row) throws -> Void) throws {
        try forEachRow(of: try root(of: Row.table)) { number, bytes in
            guard let columns = StoredRow(number, bytes, columns: Row.columnCount) else { throw Unsure() }
            try body(Row(columns))
        }
    }

    private func root(of table: String) throws -> Int {
        guard let root = roots[ByteText(table)] else { throw Unsure() }
        return root
    }

    private mutating func forEachRow(of root: Int, _ body: (Int, UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        var progress = Progress()
        try walk(Node(page: root, last: .max), level: 0, &progress, body)
    }

    private mutating func walk(
        _ node: Node, level: Int, _ progress: inout Progress, _ body: (Int, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        try mark(node.page)
        // A page at the depth of the leaves must be a leaf. That is checked when its rows are read.
        if progress.depth != level, let children = try children(of: node) {
            guard level < 20 else { throw Unsure() }
            for child in children { try walk(child, level: level + 1, &progress, body) }
            return
        }
        guard progress.depth ?? level == level else { throw Unsure() }
        progress.depth = level
        let last = try forEachRow(in: node, after: progress.before, isRoot: level == 0, body)
        guard last <= node.last else { throw Unsure() }
        progress.before = node.last
    }

    /// The pages below a page from left to right; nil if the page is a leaf.
    private mutating func children(of node: Node) throws -> [Node]? {
        let size = pageSize
        return try pages.withPage(node.page) { bytes in
            let header = try PageHeader(bytes, of: node.page)
            guard header.kind != .tableLeaf else { return nil }
            guard header.kind == .tableInterior, header.cellCount > 0 else { throw Unsure() }
            var children: [Node] = []
            places.removeAll(keepingCapacity: true)
            for cell in 0..<header.cellCount {
                var offset = try header.cell(cell, in: bytes)
                guard offset + 4 < size else { throw Unsure() }
                let (start, child) = (offset, bytes.word(offset))
                offset += 4
                guard let key = bytes.varint(&offset), key > children.last?.last ?? .min, key <= node.last else {
                    throw Unsure()
                }
                children.append(Node(page: child, last: key))
                places.append(PageHeader.Place(start, offset))
            }
            try header.check(&places, in: bytes)
            children.append(Node(page: header.rightmost, last: node.last))
            return children
        }
    }

    /// Calls `body` with each row of a leaf. Returns the number of the last one.
    private mutating func forEachRow(
        in leaf: Node, after before: Int, isRoot: Bool, _ body: (Int, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws -> Int {
        let size = pageSize
        // The cells whose rows do not fit into the page or come behind such a row, and the numbers of these rows.
        var spilt: [(cell: Int, row: Int)] = []
        var last = before
        try leafPages.withPage(leaf.page) { bytes in
            let header = try PageHeader(bytes, of: leaf.page)
            guard header.kind == .tableLeaf, header.cellCount > 0 || isRoot else { throw Unsure() }
            places.removeAll(keepingCapacity: true)
            // The pointer is valid as long as `bytes` is. A closure for each row would take half as long as the row's
            // checksum.
            let page = bytes.withUnsafeBufferPointer { $0 }
            for cell in 0..<header.cellCount {
                var offset = try header.cell(cell, in: bytes)
                let start = offset
                guard let length = bytes.varint(&offset), length >= 0, let row = bytes.varint(&offset), row > last
                else {
                    throw Unsure()
                }
                last = row
                let local = Self.localLength(length, pageSize: size)
                let end = offset + local + (local < length ? 4 : 0)
                guard end <= size else { throw Unsure() }
                places.append(PageHeader.Place(start, end))
                guard local == length else {
                    spilt.append((cell, row))
                    continue
                }
                // Rows must come in order, so those behind a row that does not fit wait for it.
                if spilt.isEmpty { try body(row, page.extracting(offset..<end)) } else { spilt.append((cell, row)) }
            }
            try header.check(&places, in: bytes)
        }
        for (cell, row) in spilt {
            try gather(cell, of: leaf.page)
            try scratch.withUnsafeBufferPointer { try body(row, $0) }
        }
        return last
    }

    /// Collects the bytes of a row in `scratch`, from its page and its overflow pages.
    private mutating func gather(_ cell: Int, of page: Int) throws {
        let size = pageSize
        scratch.removeAll(keepingCapacity: true)
        var (missing, next) = try leafPages.withPage(page) { bytes in
            var offset = try PageHeader(bytes, of: page).cell(cell, in: bytes)
            guard let length = bytes.varint(&offset), bytes.varint(&offset) != nil else { throw Unsure() }
            let local = Self.localLength(length, pageSize: size)
            scratch.append(bytes.extracting(offset..<offset + local))
            return (length - local, local < length ? bytes.word(offset + local) : 0)
        }
        while missing > 0 {
            try mark(next)
            (missing, next) = try overflowPages.withPage(next) { bytes in
                let count = min(missing, size - 4)
                scratch.append(bytes.extracting(4..<4 + count))
                return (missing - count, bytes.word(0))
            }
        }
        guard next == 0 else { throw Unsure() }
    }

    /// The number of a row's bytes that are in its leaf. The other bytes are in overflow pages.
    private static func localLength(_ length: Int, pageSize: Int) -> Int {
        guard length > pageSize - 35 else { return length }
        let least = (pageSize - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (pageSize - 4)
        return fitting <= pageSize - 35 ? fitting : least
    }

    // MARK: The rest

    /// Checks a table without row numbers that has a single page, as the one of this program has.
    private mutating func checkIndex(_ root: Int) throws {
        try mark(root)
        let size = pageSize
        try pages.withPage(root) { bytes in
            let header = try PageHeader(bytes, of: root)
            guard header.kind == .indexLeaf else { throw Unsure() }
            places.removeAll(keepingCapacity: true)
            for cell in 0..<header.cellCount {
                var offset = try header.cell(cell, in: bytes)
                let start = offset
                guard let length = bytes.varint(&offset), length >= 0, length <= (size - 12) * 64 / 255 - 23,
                    offset + length <= size
                else { throw Unsure() }
                places.append(PageHeader.Place(start, offset + length))
            }
            try header.check(&places, in: bytes)
        }
    }

    /// Checks the pages that were not walked yet, the list of free pages, and that no page is left over. It must be
    /// called when all other tables have been read.
    mutating func finish() throws {
        try forEachRow(of: 1) { _, _ in }
        try checkIndex(try root(of: "meta"))
        for table in Schema.laterTables {
            if let root = roots[ByteText(table.name)] { try forEachRow(of: root) { _, _ in } }
        }
        let (first, count) = try pages.withPage(1) { bytes in
            guard bytes.isWithoutPointerMap else { throw Unsure() }
            return (bytes.word(32), bytes.word(36))
        }
        let size = pageSize
        var trunk = first
        let before = seenCount
        while trunk != 0 {
            try mark(trunk)
            var free: [Int] = []
            trunk = try pages.withPage(trunk) { bytes in
                let entries = bytes.word(4)
                guard entries <= size / 4 - 2 else { throw Unsure() }
                for entry in 0..<entries { free.append(bytes.word(8 + 4 * entry)) }
                return bytes.word(0)
            }
            for page in free { try mark(page) }
        }
        guard seenCount - before == count, seenCount == seen.count - 1 else { throw Unsure() }
    }
}

/// The header of a page of a table.
private struct PageHeader {
    enum Kind: UInt8 {
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13
    }

    /// A range of bytes in a page. SQLite allots at least four bytes.
    struct Place: Comparable {
        let start: Int
        let end: Int

        init(_ start: Int, _ end: Int) { (self.start, self.end) = (start, max(end, start + 4)) }

        static func < (left: Place, right: Place) -> Bool { left.start < right.start }
    }

    let kind: Kind
    let cellCount: Int
    /// The rightmost child of an interior page, to the right of all cells.
    let rightmost: Int
    private let firstGap: Int
    private let contentStart: Int
    private let fragments: Int
    private let pointers: Int

    init(_ bytes: Span<UInt8>, of page: Int) throws {
        // The first page begins with the header of the file.
        let start = page == 1 ? 100 : 0
        guard let kind = Kind(rawValue: bytes[start]) else { throw PageReader.Unsure() }
        self.kind = kind
        firstGap = bytes.short(start + 1)
        cellCount = bytes.short(start + 3)
        let content = bytes.short(start + 5)
        contentStart = content == 0 ? 65536 : content
        fragments = Int(bytes[start + 7])
        rightmost = kind == .tableInterior ? bytes.word(start + 8) : 0
        pointers = start + (kind == .tableInterior ? 12 : 8)
        guard pointers + 2 * cellCount <= contentStart, contentStart <= bytes.count else { throw PageReader.Unsure() }
    }

    /// The offset of a cell in the page.
    func cell(_ index: Int, in bytes: Span<UInt8>) throws -> Int {
        let offset = bytes.short(pointers + 2 * index)
        guard offset >= contentStart, offset < bytes.count else { throw PageReader.Unsure() }
        return offset
    }

    /// Checks that cells, gaps and fragments fill the page, and that no two of them overlap.
    ///
    /// - Parameter places: The places of the cells. The places of the gaps are added.
    func check(_ places: inout [Place], in bytes: Span<UInt8>) throws {
        var gap = firstGap
        var end = contentStart
        while gap != 0 {
            guard gap >= end, gap + 4 <= bytes.count else { throw PageReader.Unsure() }
            let size = bytes.short(gap + 2)
            end = gap + size
            guard size >= 4 else { throw PageReader.Unsure() }
            places.append(Place(gap, end))
            gap = bytes.short(gap)
        }
        // In most pages cells were only ever added. They lie from the end of the page downwards, so they are sorted
        // already.
        places.sort(by: >)
        var (lowest, total) = (bytes.count, fragments)
        for place in places {
            guard place.end <= lowest else { throw PageReader.Unsure() }
            lowest = place.start
            total += place.end - place.start
        }
        guard total == bytes.count - contentStart else { throw PageReader.Unsure() }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { append(contentsOf: $0) }
    }
}
