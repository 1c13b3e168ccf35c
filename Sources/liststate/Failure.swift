import Glibc
import ListStore
import Microhttpd

/// Why the server did not start, with an exit code of its own (those of sysexits.h where one fits).
enum Failure: Error {
    case environment(String)
    case server(ServerError)
    case journal(JournalError, folder: String)
    case store(any Error, folder: String)
    case samples(String)

    var message: String {
        switch self {
        case .environment(let name): "\(name) is neither true nor false."
        case .server(.badHost(let host)): "\(host) is no address: write an IPv4 or IPv6 address in numbers."
        case .server(.addressInUse(let host, let port)):
            "Port \(port) of \(host) is in use. Choose another with --port, or --port 0 for any that is free."
        case .server(.system(_, let number)): "Cannot listen: \(String(cString: strerror(number)))."
        case .server(.engine): "The HTTP engine did not start."
        case .journal(.locked, let folder): "Another process has the data in \(folder) open."
        case .journal(.readOnly(let text), let folder): "Cannot write in \(folder): \(text)"
        case .journal(.corrupt(let text), let folder):
            "The data in \(folder) is damaged, and nothing was changed: \(text)"
        case .journal(.full, let folder): "There is no room on the disk of \(folder)."
        case .journal(.io(let text), let folder): "Reading or writing in \(folder) failed: \(text)"
        case .journal(.closed, let folder): "The data in \(folder) has been closed."
        case .store(let error, let folder): "The data in \(folder) cannot be read: \(error)"
        case .samples(let sample): "The sample \(sample) could not be written."
        }
    }

    var exitCode: Int32 {
        switch self {
        case .environment: 64
        case .journal(.corrupt, _), .store: 65
        case .server(.badHost): 68
        case .server(.addressInUse), .server(.system), .server(.engine): 69
        case .journal(.full, _), .journal(.io, _), .journal(.closed, _), .samples: 74
        case .journal(.locked, _): 75
        case .journal(.readOnly, _): 77
        }
    }

    func exit() -> Never {
        let line = "liststate: \(message)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        Glibc.exit(exitCode)
    }
}
