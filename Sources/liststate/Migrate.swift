import ArgumentParser
import Glibc
import ListModel
import ListStore
import SQLiteJournal

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Carries all lists from a folder to a PostgreSQL database, or back.",
        discussion: """
            Lists keep their versions and their history, deleted lists can still be restored, retries get their answers, \
            and subscriptions and sequences of clients go on. The source is only read. No server may have it open, and none should serve the \
            target before the end. A migration that was interrupted is run again with the same options, and goes on. A \
            target that has other lists of the same names is refused, and stays as it is. Lists that cannot be read are \
            named, and the exit code is then 72.
            """)

    @Option(help: "The folder to read, or the database, as postgres://USER@HOST/DATABASE.")
    var from: String
    @Option(help: "The database to write to, or the folder, which need not be there.")
    var to: String
    @Flag(help: "Write although the settings of the database can lose answered writes.")
    var allowUnsafeStore = false

    func validate() throws {
        guard DatabaseStore.isURL(from) != DatabaseStore.isURL(to) else {
            throw ValidationError("One of --from and --to is a folder, and one a URL: postgres://USER@HOST/DATABASE.")
        }
    }

    private static func name(_ place: String) -> String { DatabaseStore.isURL(place) ? DatabaseStore.name : place }

    func run() throws {
        for place in [from, to] where DatabaseStore.isURL(place) { hideArgument(place) }
        let source = try openSource()
        defer { source.close() }
        let target = try openTarget()
        defer { target.close() }
        // The signals are taken between two batches. Whatever was written is whole at any moment.
        let stopSignals = StopSignals()
        let bar = ProgressBar("migrate", hasLines: true)
        let report: Migration.Report
        do {
            report = try Migration.run(from: source, to: target) { done, all in
                bar.show(done, of: all)
                return !stopSignals.hasCome
            }
        } catch let fault as Migration.Fault {
            bar.end()
            throw failure(fault)
        } catch let conflict as Migration.Conflict {
            bar.end()
            throw refused(conflict)
        }
        bar.end()
        try say(report)
    }

    // MARK: Opening

    private func openSource() throws(Failure) -> any Journal {
        guard !DatabaseStore.isURL(from) else { return try DatabaseStore.open(reading: from) }
        guard access(from + "/liststate.db", F_OK) == 0 else { throw .failed("\(from)/liststate.db is not there.", 74) }
        return try folder(from) { () throws(JournalError) in
            try SQLiteJournal(reading: from, patience: Maintenance.patience)
        }
    }

    private func openTarget() throws(Failure) -> any TakesWholeLists {
        guard !DatabaseStore.isURL(to) else {
            return try DatabaseStore.open(to, allowsUnsafe: allowUnsafeStore) { text in
                _ = "liststate: \(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
            }
        }
        return try folder(to) { () throws(JournalError) in
            try SQLiteJournal(directory: to, patience: Maintenance.patience)
        }
    }

    /// Opens a folder, if its lists may go on in their epochs. Otherwise they need new ones, which a server gives them.
    private func folder(
        _ path: String, _ open: () throws(JournalError) -> SQLiteJournal
    ) throws(Failure) -> SQLiteJournal {
        let journal: SQLiteJournal
        do throws(JournalError) { journal = try open() } catch { throw .journal(error, folder: path) }
        guard journal.recovery.mayMissCommits else { return journal }
        journal.close()
        throw .failed(
            """
            Answered writes may be missing in \(path), so its lists need new epochs.
            Start `liststate serve --data \(Advice.word(path))` once and stop it, and run this again.
            """, 65)
    }

    // MARK: The end

    private func say(_ report: Migration.Report) throws(Failure) {
        let (source, target) = (Self.name(from), Self.name(to))
        let done = report.foundCount + report.writtenCount
        guard !report.isStopped else {
            throw .failed(
                "Interrupted: \(target) has \(done) of \(report.listCount) lists. Run it again to go on.", 75)
        }
        let before = report.foundCount > 0 ? "; \(report.foundCount) lists were there already" : ""
        printLine(
            "\(target) has \(done) lists, \(report.receiptCount) answers for retries and \(report.recordCount) "
                + "other records of \(source)\(before).")
        guard !report.hasMoved else {
            throw .failed(
                """
                Others have changed lists of \(source) meanwhile, and \(target) may lack some of that. Stop its servers, \
                empty \(target), and run it again.
                """, 75)
        }
        guard !report.unreadable.isEmpty else { return }
        for list in report.unreadable { printLine("The list \(list.id): \(Self.text(list.error))") }
        let names = report.unreadable.map { "\($0.id)" }.joined(separator: ", ")
        throw .failed("These lists did not go over, because they are damaged or too long: \(names).", 72)
    }

    private static func text(_ error: JournalError) -> String {
        if case .tooLarge(let text) = error { return "is too long: \(text)" }
        if case .corrupt(let text) = error { return text }
        return "\(error)"
    }

    private func failure(_ fault: Migration.Fault) -> Failure {
        switch fault {
        case .source(let error): .journal(error, folder: Self.name(from))
        case .target(let error): .journal(error, folder: Self.name(to))
        }
    }

    private func refused(_ conflict: Migration.Conflict) -> Failure {
        let names = conflict.lists.prefix(10).map { "\($0)" }.joined(separator: ", ")
        let more = conflict.lists.count > 10 ? " and \(conflict.lists.count - 10) more" : ""
        let lists = conflict.lists.isEmpty ? "" : "lists of the same names, which are others: \(names)\(more)"
        let others =
            conflict.otherCount == 0 ? "" : "\(conflict.otherCount) other answers or records of the same keys"
        let all = [lists, others].filter { !$0.isEmpty }.joined(separator: "; and ")
        let fate = conflict.isEarly ? " Nothing was changed." : ""
        return .failed("\(Self.name(to)) has \(all).\(fate) Name an empty target.", 73)
    }
}
