import ArgumentParser
import Glibc
import JSONValue
import ListDiff
import ListModel
import ListStore
import SQLiteJournal
import Texts

/// Writes lists as lines of JSON, for other programs and for `import`.
///
///     {"liststate":"export","format":1}
///     {"list":{"id":"l","title":"L"}}
///     {"section":{"id":"s"}}
///     {"item":{"id":"a","kind":"item","content":{},"parent":"p","starred":true}}
///     {"end":{"id":"l","sections":1,"items":1}}
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the lists as they are now as lines of JSON; also while a server serves them, and over HTTP.",
        discussion: """
            Versions, history and answers kept for retries are not in it: liststate backup has everything. Lists that \
            cannot be read are left out and named, and the exit code is then 72.
            """)

    @OptionGroup var place: FolderOption
    @OptionGroup var remote: RemoteOption
    @Flag(help: "With --url: goes on with a file that an interrupted export has begun, from its last whole list.")
    var resume = false
    @Option(help: "Only this list; may be repeated.")
    var list: [String] = []
    @Argument(help: "The file to write, or - for standard output.")
    var file = "-"

    func validate() throws {
        guard !resume || remote.url != nil && file != "-" else {
            throw ValidationError("--resume is for a file that comes from a server with --url.")
        }
    }

    func run() throws {
        if let server = try remote.server(besides: place) {
            return try RemoteExport(server: server, names: list, file: file, isResumed: resume).run()
        }
        try place.checkThere()
        do {
            try export(place.folder)
        } catch JournalError.locked {
            try exportServed()
        } catch let error as JournalError {
            throw Failure.journal(error, folder: place.folder)
        } catch let error as StoreError {
            throw Failure.store(error, folder: place.folder)
        }
    }

    /// By a copy that the server makes, and that goes again.
    private func exportServed() throws {
        let copy = "\(place.folder)/export-\(randomToken()).db"
        defer { unlink(copy) }
        var backup = Backup()
        backup.place = place
        backup.file = copy
        try backup.copy()
        try export(copy)
    }

    private func export(_ path: String) throws {
        let journal = try SQLiteJournal(reading: path, patience: Maintenance.patience)
        defer { journal.close() }
        let store = try Store(reading: journal)
        let wanted = Set(list.map { ByteText($0) })
        let lists =
            list.isEmpty
            ? store.lists(after: nil, limit: .max)
            : wanted.sorted().compactMap { name in ListID(name).flatMap { id in store.listing(id) } }
        let unknown = wanted.subtracting(lists.map(\.id.rawValue)).sorted()
        guard unknown.isEmpty else {
            throw Failure.failed("There is no list \(unknown.map(\.description).joined(separator: ", ")).", 66)
        }
        let output = try LineOutput(file, keepsUnfinished: false, after: 0)
        let snapshots = lists.compactMap { $0.list?.enter { $0.snapshot() } }
        let all = snapshots.reduce(0) { $0 + $1.state.itemCount }
        let bar = ProgressBar("export")
        var done = 0
        try output.write(line: ["liststate": "export", "format": 1])
        for snapshot in snapshots {
            try export(snapshot, output) { count in
                done += count
                bar.show(done, of: all)
            }
        }
        try output.end()
        bar.end()
        store.stop()
        try Failure.check(
            unreadable: lists.filter { $0.list == nil }.map(\.id), in: place.folder, "are not in what was written")
    }

    private func export(_ snapshot: ListSnapshot, _ output: LineOutput, progress: (Int) -> Void) throws {
        let state = snapshot.state
        let list = JSONObject(given: [
            "id": .string(snapshot.id.rawValue), "title": .string(state.properties.title),
            "layout": state.properties.layout?.value,
        ])
        try output.write(line: ["list": .object(list)])
        for section in state.sectionHandles {
            try output.write(line: ["section": .object(Self.object(state[section]))])
            for item in state.rows(of: section) {
                try output.write(line: ["item": .object(Self.object(item, in: state))])
                progress(1)
            }
        }
        try output.write(
            line: [
                "end": [
                    "id": .string(snapshot.id.rawValue), "sections": .integer(state.sectionCount),
                    "items": .integer(state.itemCount),
                ]
            ])
    }

    private static func object(_ section: SectionProperties) -> JSONObject {
        JSONObject(given: [
            "id": .string(section.id.rawValue), "title": section.title.map { .string($0) },
            "layout": section.layout?.value, "header": section.header?.value, "footer": section.footer?.value,
            "reorderable": section.isReorderable ? nil : false,
        ])
    }

    private static func object(_ handle: ItemHandle, in state: ListState) -> JSONObject {
        let item = state[handle]
        return JSONObject(given: [
            "id": .string(item.id.rawValue), "kind": .string(item.kind), "content": item.content.value,
            "parent": state.parent(of: handle).map { .string(state[$0].id.rawValue) },
            "starred": item.isStarred ? true : nil, "expanded": item.isExpanded ? true : nil,
            "reorderable": item.isReorderable ? nil : false,
        ])
    }
}

extension JSONObject {
    /// The members that have a value.
    fileprivate init(given members: KeyValuePairs<ByteText, JSONValue?>) {
        self.init(members.compactMap { key, value in value.map { (key: key, value: $0) } })
    }
}

/// Writes lines to a file or to standard output, many at once.
///
/// A file is written under another name. It gets its own name when it is complete and on the disk. If that fails it is
/// removed, or kept so that somebody goes on with it.
final class LineOutput {
    private let descriptor: Int32
    private let path: String
    private let keepsUnfinished: Bool
    private var waiting: [UInt8] = []
    private var isUnfinished: Bool

    /// - Parameters:
    ///   - keepsUnfinished: Whether a file that has not become complete stays, under its other name.
    ///   - length: How many bytes of such a file are kept, behind which the new lines come.
    init(_ path: String, keepsUnfinished: Bool, after length: Int) throws(Failure) {
        (self.path, self.keepsUnfinished) = (path, keepsUnfinished)
        isUnfinished = path != "-"
        // Another program may be using a file that exists, so none is replaced.
        if isUnfinished, access(path, F_OK) == 0 { throw .failed("\(path): \(String(cString: strerror(EEXIST)))", 73) }
        descriptor =
            isUnfinished ? open(Self.unfinished(path), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) : STDOUT_FILENO
        guard descriptor >= 0 else { throw .failed("\(path): \(String(cString: strerror(errno)))", 73) }
        guard isUnfinished else { return }
        guard ftruncate(descriptor, length) == 0, lseek(descriptor, length, SEEK_SET) == length else {
            throw failure()
        }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
        if isUnfinished, !keepsUnfinished { unlink(Self.unfinished(path)) }
    }

    /// The name of a file until it is complete.
    static func unfinished(_ path: String) -> String { path + ".new" }

    func write(line: JSONValue) throws(Failure) {
        line.write(to: &waiting)
        waiting.append(UInt8(ascii: "\n"))
        if waiting.count > 1 << 16 { try flush() }
    }

    /// Writes the rest. A file is on the disk and has its name when this returns.
    func end() throws(Failure) {
        try flush()
        guard isUnfinished else { return }
        guard fsync(descriptor) == 0, rename(Self.unfinished(path), path) == 0 else { throw failure() }
        isUnfinished = false
        guard Self.synchronizeFolder(of: path) else { throw failure() }
    }

    /// Makes what was renamed in the folder of a file be so after a power loss, too.
    static func synchronizeFolder(of path: String) -> Bool {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    private func flush() throws(Failure) {
        var done = 0
        while done < waiting.count {
            let count = waiting.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            done += count
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func failure() -> Failure { .failed("\(path): \(String(cString: strerror(errno)))", 74) }
}
