import ArgumentParser
import JSONValue
import ListDiff
import ListModel
import ListStore
import SQLiteJournal
import Texts

/// Makes lists from files.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes lists of a file.", subcommands: [ImportLines.self, ImportUnicodeEmoji.self],
        defaultSubcommand: ImportLines.self)
}

struct ImportLines: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lines", abstract: "Makes lists of lines of JSON that liststate export has written.",
        discussion: """
            No server may have the folder open; --url asks a server to make the lists. A list that is there already with the same content is skipped, so one that \
            was interrupted is simply run again. A list that is there with other content stays as it is: it is named at \
            the end, and the exit code is 73.
            """)

    @OptionGroup var place: FolderOption
    @OptionGroup var remote: RemoteOption
    @Argument(help: "The file to read, or - for standard input.")
    var file = "-"

    func run() throws {
        let server = try remote.server(besides: place)
        // The first line is read before the store is opened, so that a file that is not an export makes no store.
        let lines = try ExportedLines(file)
        if let server {
            let lists = try RemoteImport.run(lines, server)
            return try tell(made: lists.made, same: lists.same, others: lists.others, "on \(server.address)")
        }
        let store = try open()
        defer { store.stop() }
        let bar = ProgressBar("import")
        var lists = ListImport(store: store)
        while let line = try lines.next() {
            if let list = line.list { try lists.add(list.id, list.wanted) }
            try lists.settle(unlessBelow: line.bytes.count)
            bar.show(lines.done, of: lines.size)
        }
        try lists.settle()
        try lines.checkComplete()
        bar.end()
        try tell(made: lists.made, same: lists.same, others: lists.others, "in \(place.folder)")
    }

    /// - Throws: `.failed` if some lists existed with other content.
    private func tell(made: Int, same: Int, others: [ListID], _ place: String) throws(Failure) {
        let skipped = same > 0 ? "; \(same) were there already, with the same content" : ""
        printLine("\(made) lists are new \(place)\(skipped).")
        guard !others.isEmpty else { return }
        let names = others.prefix(10).map(\.rawValue).joined(separator: ", ")
        let more = others.count > 10 ? " and \(others.count - 10) more" : ""
        throw .failed("Already there with other content, and left as they are: \(names)\(more).", 73)
    }

    private func open() throws -> Store {
        do {
            let journal = try SQLiteJournal(directory: place.folder, patience: Maintenance.patience)
            return try Store(
                journal: journal, mayMissCommits: journal.recovery.mayMissCommits, limits: .unlimited,
                clock: currentTime, uptime: uptime, token: randomToken)
        } catch let error as JournalError {
            throw Failure.journal(error, folder: place.folder)
        } catch {
            throw Failure.store(error, folder: place.folder)
        }
    }
}

/// The lines of an export, checked as they are read.
final class ExportedLines {
    private let input: LineInput
    private var reader = ImportReader()
    private var number = 0
    /// As `LineInput` has them.
    var size: Int { input.size }
    var done: Int { input.done }

    /// Reads the first line.
    ///
    /// - Throws: `.failed` if it does not begin an export.
    init(_ file: String) throws(Failure) {
        input = try LineInput(file)
        guard try next() != nil else { throw .failed("There are no lines.", 65) }
    }

    /// The next line, and the list of which it is the last; nil at the end.
    func next() throws(Failure) -> (bytes: [UInt8], list: (id: ListID, wanted: WantedSnapshot)?)? {
        guard let line = try input.next() else { return nil }
        number += 1
        do throws(ImportReader.Bad) { return (line, try reader.add(line)) } catch {
            throw .failed("Line \(number): \(error.text)", 65)
        }
    }

    func checkComplete() throws(Failure) {
        guard reader.isComplete else { throw .failed("The lines end inside a list.", 65) }
    }
}

/// Writes lists into a store, many at once so that they share a sync.
private struct ListImport {
    let store: Store
    /// The number of lists that did not exist.
    private(set) var made = 0
    /// The number of lists that existed with the same content.
    private(set) var same = 0
    /// Those that existed with other content.
    private(set) var others: [ListID] = []
    private var pending: [(id: ListID, durability: Durability)] = []
    private var pendingBytes = 0

    init(store: Store) { self.store = store }

    /// How many lists, and how many bytes of lines, may wait for the disk.
    private static let pendingMax = 4_096
    private static let pendingBytesMax = 16 << 20

    mutating func add(_ id: ListID, _ wanted: WantedSnapshot) throws(Failure) {
        let write = Write(.operations([.applySnapshot(wanted)]), label: "import")
        let submission = store.create(id, write, mustNotExist: true)
        switch submission.result {
        case .success:
            if let durability = submission.durability { pending.append((id, durability)) }
            made += 1
        case .failure(.preconditionFailed):
            if isSame(id, write) { same += 1 } else { others.append(id) }
        case .failure(let error):
            throw .failed("The list \(id.rawValue) is refused: \(error)", 65)
        }
    }

    /// Whether the write would change nothing.
    private func isSame(_ id: ListID, _ write: Write) -> Bool {
        var trial = write
        trial.isDryRun = true
        guard case .success(let result) = store.submit(id, trial).result else { return false }
        return result.kind == .unchanged
    }

    /// Counts a line, and waits for the disk if many lists or bytes wait for it.
    mutating func settle(unlessBelow bytes: Int) throws(Failure) {
        pendingBytes += bytes
        guard pending.count >= Self.pendingMax || pendingBytes >= Self.pendingBytesMax else { return }
        try settle()
    }

    /// Waits until all lists that were added are on the disk.
    ///
    /// - Throws: `.failed` if one could not be written.
    mutating func settle() throws(Failure) {
        for (id, durability) in pending where !durability.isKept {
            throw .failed(
                "The list \(id.rawValue) could not be written. Run the import again when it can: what is there is skipped.",
                74)
        }
        pending.removeAll()
        pendingBytes = 0
    }
}
