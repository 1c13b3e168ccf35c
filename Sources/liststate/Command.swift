import ArgumentParser
import Glibc
import ListAPI
import Microhttpd
import SQLiteJournal

@main
struct ListStateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "liststate",
        abstract: "Keeps the state of lists and serves it over HTTP.",
        version: version,
        subcommands: [
            Serve.self, Samples.self, Health.self, Status.self, Backup.self, Restore.self, Export.self, Import.self,
            Migrate.self, Verify.self, Compact.self, Token.self, AccessCommand.self, Version.self, ListsCommand.self,
            GetCommand.self, WatchCommand.self, HistoryCommand.self, CreateCommand.self, AddCommand.self,
            MoveCommand.self, StarCommand.self, RenameCommand.self, DeleteCommand.self, ApplyCommand.self,
            UndoCommand.self, QueueCommand.self,
        ])

    static let version = API.version

    /// Does the same as the parser's own `main`, with the settings of the environment before the command line's. The
    /// command line wins.
    static func main() {
        // A write to a file that may not grow any more shall fail, not end the process.
        signal(SIGXFSZ, SIG_IGN)
        do {
            let given = Array(CommandLine.arguments.dropFirst())
            if given.first == "serve" { Environment.noteStrangers() }
            var command = try parseAsRoot(try Environment.arguments(before: given))
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            exit(withError: error)
        }
    }
}

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says which version this is, of which commit, and with which libraries it runs.",
        discussion: "Each line is a name and a version. A commit that is not known is unknown.")

    func run() {
        printLine("liststate \(ListStateCommand.version)")
        printLine("commit \(API.commit)")
        printLine("libmicrohttpd \(Server.engineVersion)")
        printLine("sqlite \(SQLiteJournal.libraryVersion)")
    }
}
