import Glibc
import ListModel
import ListStore
import Microhttpd
import SampleLists

/// The reason why a command failed, with its exit code (a code of sysexits.h where one fits).
enum Failure: Error {
    case environment(String)
    case server(ServerError)
    case journal(JournalError, folder: String)
    case store(any Error, folder: String)
    case samples(String)
    case client(HTTPClient.Fault, ServerAddress)
    /// The server answered with a status that is not a success.
    case refused(Int, detail: String, ServerAddress)
    /// The same, with the problem that the answer is.
    case problem(RemoteProblem, ServerAddress)
    case file(Int32, String)
    /// Standard output takes no more, with this error number.
    case output(Int32)
    case malformed(UnicodeEmoji.Malformed, file: String)
    /// A message and an exit code.
    case failed(String, Int32)

    var message: String { row.message }
    var exitCode: Int32 { row.exitCode }

    private var row: (message: String, exitCode: Int32) {
        switch self {
        case .environment(let name): ("\(name) is neither true nor false.", 64)
        case .server(.badHost(let host)): ("\(host) is no address: write an IPv4 or IPv6 address in numbers.", 68)
        case .server(.addressInUse(let host, let port)):
            (
                "Port \(port) of \(host) is in use. Choose another with --port or LISTSTATE_PORT, or --port 0 for any "
                    + "that is free.", 69
            )
        case .server(.system(_, let number)): ("Cannot listen: \(String(cString: strerror(number))).", 69)
        case .server(.engine): ("The HTTP engine did not start.", 69)
        case .journal(.locked(let text), let folder): ("Another process has the data in \(folder) open. \(text)", 75)
        case .journal(.readOnly(let text), let folder): ("Cannot write in \(folder): \(text)", 77)
        case .journal(.corrupt(let text), let folder):
            ("The data in \(folder) is damaged, and nothing was changed: \(text)\n\(Advice.repair(folder))", 65)
        case .journal(.otherFormat(let format, let newest), let folder):
            (
                "The data in \(folder) has format \(format), and this program knows formats up to \(newest). "
                    + (format > newest ? "A newer program wrote it: use that one." : "It is too old for this program.")
                    + " Nothing was changed.", 76
            )
        case .journal(.full, let folder): ("There is no room on the disk of \(folder).", 74)
        case .journal(.tooLarge(let text), let folder):
            ("A row of the data in \(folder) cannot be so long: \(text)", 74)
        case .journal(.io(let text), let folder): ("Reading or writing in \(folder) failed: \(text)", 74)
        case .journal(.away(let text), let folder), .journal(.unknown(let text), let folder):
            ("The data in \(folder) cannot be reached: \(text)", 74)
        case .journal(.moved, let folder): ("Another program has changed the data in \(folder) meanwhile.", 75)
        case .journal(.closed, let folder): ("The data in \(folder) has been closed.", 74)
        case .store(let error, let folder):
            ("The data in \(folder) cannot be read: \(error)\n\(Advice.repair(folder))", 65)
        case .failed(let text, let code): (text, code)
        case .samples(let sample): ("The sample \(sample) could not be written.", 74)
        case .client(.unknownHost, let address): ("There is no host \(address.host).", 68)
        case .client(.system(let number), let address): ("\(address): \(String(cString: strerror(number))).", 69)
        case .client(.timedOut, let address): ("\(address) does not answer.", 69)
        case .client(.noAnswer, let address):
            (
                "The answer of \(address) is not HTTP, is too long, or has ended too early."
                    + (address.isSecure ? "" : " If that server speaks TLS, write https."), 76
            )
        case .client(.noLibrary, let address): ("There is no libcurl, by which \(address) can be asked.", 69)
        case .client(.secure(let reason, let code), let address):
            (
                "\(address): \(reason.isEmpty ? "error \(code) of libcurl" : reason.trimmed { $0 == 0x2E }.string)."
                    + (code == SecureClient.noTLS ? " If that server does not speak TLS, write http." : ""), 69
            )
        case .refused(let status, let detail, let address): ("\(address) answered \(status). \(detail)", 76)
        case .problem(let problem, let address): (problem.sentence(of: address), 76)
        case .file(let number, let path): ("\(path): \(String(cString: strerror(number))).", 66)
        case .output(let number): ("Standard output: \(String(cString: strerror(number))).", 74)
        case .malformed(let error, let file): ("\(file), line \(error.line): \(error.fault.sentence)", 65)
        }
    }

    /// - Throws: `.failed` with the names of the lists that could not be read, if there are any. `fate` says what
    ///   happened to them.
    static func check(unreadable lists: [ListID], in folder: String, _ fate: String) throws(Failure) {
        guard !lists.isEmpty else { return }
        let names = lists.map { "\($0)" }.joined(separator: ", ")
        let repair = "liststate verify --repair --data \(Advice.word(folder))"
        throw .failed(
            """
            These lists cannot be read, and \(fate): \(names).
            While no server runs, `\(repair)` keeps what is good of them.
            """, 72)
    }

    func exit() -> Never {
        let line = "liststate: \(message)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        Glibc.exit(exitCode)
    }
}

extension UnicodeEmoji.Malformed.Fault {
    fileprivate var sentence: String {
        switch self {
        case .notUTF8: "not UTF-8."
        case .noGroup: "an emoji or a subgroup before the first group."
        case .badLine: "expected code points; status # emoji, version and name."
        case .noEmoji: "the end, and no emoji that is fully-qualified."
        }
    }
}
