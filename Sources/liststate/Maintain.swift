import Access
import ArgumentParser
import Glibc
import ListStore
import SQLiteJournal
import Texts

/// The option that names the folder of a store.
struct FolderOption: ParsableArguments {
    @Option(help: "The folder that keeps the lists. (default: LISTSTATE_DATA, else liststate-data)")
    var data: String?

    var folder: String { data ?? getenv("LISTSTATE_DATA").map { String(cString: $0) } ?? "liststate-data" }

    /// Checks that the folder has a store. It does not make one.
    ///
    /// - Parameter mayBeCopy: Whether the path may also be a copy, which is a file.
    /// - Throws: `.failed` if there is no store.
    func checkThere(mayBeCopy: Bool = true) throws(Failure) {
        let isCopy = mayBeCopy && access(folder, F_OK) == 0 && access(folder + "/.", F_OK) != 0
        guard !isCopy else { return try Advice.check(copy: folder) }
        guard access(folder + "/liststate.db", F_OK) != 0 else { return }
        throw .failed(Advice.missing(folder), 74)
    }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies everything into one file, which is checked; also while a server serves it.",
        discussion: "While a server serves the folder it is the server that writes the file.")

    @OptionGroup var place: FolderOption
    @Argument(help: "The file, which must not be there yet.")
    var file: String

    func run() throws {
        try copy()
        // The copy is checked here and not by the server, which has other requests to answer.
        let findings: [String]
        do throws(JournalError) { findings = try Maintenance.examine(copy: file).findings } catch {
            throw Failure.journal(error, folder: file)
        }
        for finding in findings { try printLine(finding) }
        guard findings.isEmpty else {
            throw Failure.failed("\(file) has everything as it is, and that is damaged.\n\(Advice.repair(file))", 72)
        }
        try printLine("\(file) has everything, and was read and checked.")
    }

    func copy() throws {
        let path = try Self.absolute(file)
        let bar = ProgressBar("backup")
        try place.checkThere()
        let journal: SQLiteJournal
        do throws(JournalError) {
            journal = try SQLiteJournal(reading: place.folder, patience: Maintenance.patience)
        } catch .locked {
            try askServer(path, bar)
            return bar.end()
        } catch {
            throw Failure.journal(error, folder: place.folder)
        }
        defer { journal.close() }
        do throws(JournalError) {
            try journal.backUp(to: path).make { progress in
                bar.show(progress.done, of: progress.all)
                return true
            }
        } catch {
            let code = Failure.journal(error, folder: place.folder).exitCode
            throw Failure.failed(backupFailure(error, path, folder: place.folder), code)
        }
        bar.end()
    }

    private func askServer(_ path: String, _ bar: ProgressBar) throws {
        var isDone = false
        var text = "The server has ended without an answer."
        let isAnswered = ControlServer.ask(place.folder, ByteText("backup \(path)")) { line in
            let words = line.split(separator: " ", maxSplits: 1)
            let rest = words.count > 1 ? words[1] : ""
            switch words.first {
            case "progress":
                let numbers = rest.split(separator: " ").compactMap { Int($0) }
                if numbers.count == 2 { bar.show(numbers[0], of: numbers[1]) }
            case "done": isDone = true
            case "error": text = String(rest)
            default: break
            }
        }
        guard isAnswered else {
            throw Failure.failed("Another process has \(place.folder) open and answers no questions.", 75)
        }
        guard isDone else { throw Failure.failed(text, 74) }
    }

    /// The absolute path, because the server has another current folder.
    private static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let here = getcwd(nil, 0) else { throw Failure.failed("The present folder is not there.", 74) }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a store of a copy, in a folder that has none.",
        discussion: """
            Every list goes on in a new epoch: a client that knows a version of the old one gets a reset, never a wrong \
            change. A copy that verify calls damaged is refused; with --repair what is good of it is taken, what is lost \
            is named, and the exit code is then 72.
            """)

    @OptionGroup var place: FolderOption
    @Flag(help: "Take what is good of a damaged copy.")
    var `repair` = false
    @Argument(help: "A file that liststate backup has made, or a liststate.db, with the log (-wal) beside it.")
    var file: String

    func run() throws {
        try Advice.check(copy: file)
        let repaired: Maintenance.Repaired?
        do throws(JournalError) {
            repaired = try Maintenance.restore(file, folder: place.folder, repairs: `repair`)
        } catch .corrupt(let text) {
            throw refused(text)
        } catch .otherFormat(let format, let newest) {
            throw Failure.journal(.otherFormat(format, newest: newest), folder: file)
        } catch {
            throw Failure.journal(error, folder: place.folder)
        }
        try printLine("\(place.folder) has what is in \(file); its lists start new epochs when it is served.")
        if let repaired { try Verify.say(repaired, place.folder) }
    }

    /// - Parameter text: The fault of the copy. It names the copy by the temporary name under which the copy is
    ///   examined.
    private func refused(_ text: String) -> Failure {
        let text = text.replacing("\(place.folder)/liststate.db.new", with: file)
        guard !`repair` else { return .failed("Nothing good can be taken of \(file): \(text)", 65) }
        let command = "liststate restore --repair \(Advice.word(file)) --data \(Advice.word(place.folder))"
        return .failed(
            "\(file) is damaged, and nothing was changed: \(text)\nRun `\(command)` to take what is good of it.", 65)
    }
}

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads everything, checks every checksum, and says what is wrong.",
        discussion: """
            Exits with 65 if anything is. With --repair the damaged database is kept beside one that has what is good: of \
            each list what comes before its first damage, of a damaged snapshot the parts that can be read. It says what \
            is lost of each list, and exits with 72 if anything is.
            """)

    @OptionGroup var place: FolderOption
    @Flag(help: "Keep the damaged database aside and go on with what is good.")
    var `repair` = false
    @Argument(help: "A file that liststate backup has made, to be read instead of a folder.")
    var file: String?

    func validate() throws {
        guard let file, `repair` else { return }
        throw ValidationError("A copy is not repaired where it is. " + Advice.repair(file))
    }

    func run() throws {
        let name = file ?? place.folder
        if let file { try Advice.check(copy: file) } else { try place.checkThere(mayBeCopy: false) }
        let report: Maintenance.Report
        do throws(JournalError) {
            if let file {
                report = try Maintenance.examine(copy: file)
            } else {
                report = try Maintenance.examine(folder: place.folder)
            }
        } catch .corrupt(let text) {
            throw Self.beyondRepair(name, text)
        } catch {
            throw Failure.journal(error, folder: name)
        }
        for finding in report.findings { try printLine(finding) }
        guard !report.findings.isEmpty else {
            return try printLine("\(name) is whole: \(report.listCount) lists, \(report.rowCount) rows of the log.")
        }
        guard `repair` else {
            throw Failure.failed("\(name) is damaged; nothing was changed.\n\(Advice.repair(name))", 65)
        }
        try mend()
    }

    private func mend() throws {
        let repaired: Maintenance.Repaired?
        let hadMark: Bool
        do throws(JournalError) {
            repaired = try Maintenance.repair(folder: place.folder)
            hadMark = repaired == nil ? try Maintenance.removeDamagedMark(folder: place.folder) : false
        } catch .corrupt(let text) {
            throw Self.beyondRepair(place.folder, text)
        } catch {
            throw Failure.journal(error, folder: place.folder)
        }
        if hadMark { try printLine("The damaged file acknowledged is gone; every list goes on in a new epoch.") }
        guard let repaired else { return }
        try printLine(
            "\(repaired.keptAs) is the damaged database; what is good goes on in \(place.folder), in new epochs.")
        try Self.say(repaired, place.folder)
    }

    /// The failure for a database that cannot be read at all.
    private static func beyondRepair(_ name: String, _ text: String) -> Failure {
        .failed(
            "\(name) is damaged beyond repair; nothing was changed: \(text)\nRestore a backup to another folder.", 65)
    }

    /// Prints what was lost and what is whole. If the access book may be among what was lost, nobody is let in any more.
    ///
    /// - Throws: `.failed` if something was lost.
    static func say(_ repaired: Maintenance.Repaired, _ folder: String) throws {
        for loss in repaired.losses { try printLine(loss) }
        if repaired.hasLostRecords, try closes(folder) {
            try printLine(
                """
                Tokens may be lost: nobody may do anything, until `liststate token create` or `liststate access` gives \
                somebody rights.
                """)
        }
        try printLine("\(repaired.wholeCount) lists are whole.")
        guard repaired.losses.isEmpty else { throw Failure.failed("Not all could be kept.", 72) }
    }

    /// Writes a closed access book into a folder that has none.
    ///
    /// - Returns: Whether there was none.
    private static func closes(_ folder: String) throws -> Bool {
        let journal = try SQLiteJournal(
            directory: folder, durability: .sync, opener: .command, patience: Maintenance.patience)
        defer { journal.close() }
        try journal.open(receipt: { _ in }, receiptsMax: 0, since: .max)
        return try KeptBook(journal).replace(nil, by: AccessBook.closed.bytes())
    }
}

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes snapshots in the place of what is older than the kept versions, and makes the file small.",
        discussion: """
            A server does the first by itself. No server may have the folder open. Lists that cannot be read stay as they \
            are and are named, and the exit code is then 72.
            """)

    @OptionGroup var place: FolderOption
    @Option(help: "Versions of a list that are kept. (default: as the server that served the folder last)")
    var historyVersionsMax: Int?
    @Option(help: "Bytes of memory for the kept versions of one list. (default: as that server)")
    var historyBytesMax: Int?
    @Option(
        help: """
            Seconds for which a version is kept once another has taken its place; 0 keeps it whatever its age. \
            (default: as that server)
            """)
    var historyAgeSeconds: Int?

    func run() throws {
        let folder = place.folder
        try place.checkThere(mayBeCopy: false)
        do {
            let journal = try SQLiteJournal(directory: folder, patience: Maintenance.patience)
            let store = try Store(
                journal: journal, mayMissCommits: journal.recovery.mayMissCommits,
                limits: limits(try journal.retention()),
                compaction: Store.Compaction(rows: 1, bytes: 1), clock: currentTime, uptime: uptime, token: randomToken)
            let unreadable = try store.compact().map(\.id)
            try journal.shrink()
            store.stop()
            try Failure.check(
                unreadable: unreadable, in: folder, "were left as they are; \(folder) is compact otherwise")
        } catch let error as Failure {
            throw error
        } catch let error as JournalError {
            throw Failure.journal(error, folder: folder)
        } catch {
            throw Failure.store(error, folder: folder)
        }
        try printLine("\(folder) is compact.")
    }

    /// The limits of the command line, or else those of the folder; nothing is limited if neither has them.
    private func limits(_ kept: Retention?) -> Store.Limits {
        var limits = Store.Limits.unlimited
        limits.historyVersionsMax = historyVersionsMax ?? kept?.historyVersionsMax ?? .max
        limits.historyBytesMax = historyBytesMax ?? kept?.historyBytesMax ?? .max
        limits.historyAgeMax = historyAgeSeconds.map { $0 == 0 ? nil : $0 } ?? kept?.historyAgeMax
        return limits
    }
}

extension Store {
    /// A store that is only read.
    convenience init(reading journal: SQLiteJournal) throws {
        try self.init(journal: journal, limits: .unlimited, clock: currentTime, uptime: uptime, token: randomToken)
    }
}

extension Store.Limits {
    /// The limits of a command that takes lists as they are and answers no clients. It leaves the receipts and
    /// the sequences of clients as they are. Lists leave memory early, because most commands need each list once.
    static let unlimited: Store.Limits = {
        var limits = Store.Limits(
            itemsMax: .max, sectionsMax: .max, contentBytesMax: .max, historyVersionsMax: .max, historyBytesMax: .max,
            receiptsMax: nil, receiptAgeMax: .max)
        limits.listsMemoryBytesMax = 64 << 20
        limits.sequences = nil
        return limits
    }()
}
