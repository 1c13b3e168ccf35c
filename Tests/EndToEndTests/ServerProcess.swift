import Foundation
import TestSupport

/// The built `liststate`, run as a user runs it.
///
/// - Safety: `@unchecked` is sound because all members are constants, and a test uses a server on one thread at a time.
final class ServerProcess: @unchecked Sendable {
    let port: UInt16
    /// The lines that it printed before the one that says that it is ready.
    let linesBefore: [String]
    private let process: Process
    private let output: FileHandle
    private let errors: FileHandle

    struct NotReady: Error {
        let exitCode: Int32
        let said: String
    }

    /// Starts `liststate serve` on a free port and returns when the server says that it is ready.
    ///
    /// - Parameters:
    ///   - tracer: A command that runs the command that is appended to it.
    ///   - log: Where the log goes; nil for a file.
    /// - Throws: `NotReady` if the server ends instead.
    init(
        _ arguments: [String], environment: [String: String] = [:], under tracer: [String] = [], log: FileHandle? = nil
    ) throws {
        let serve = ["serve", "--port", "0"] + arguments
        let (process, output, errors) = try Self.launch(serve, environment, under: tracer, log: log)
        self.process = process
        self.output = output
        self.errors = errors
        var lines: [String] = []
        while let line = Self.readLine(output) {
            guard let port = Self.port(in: line) else {
                lines.append(line)
                continue
            }
            (self.port, linesBefore) = (port, lines)
            return
        }
        process.waitUntilExit()
        throw NotReady(exitCode: process.terminationStatus, said: Self.text(errors))
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var client: HTTPClient { HTTPClient(port: port) }
    var processIdentifier: Int32 { process.processIdentifier }

    /// Asks the server to stop, and waits until it has.
    ///
    /// - Returns: Its exit code.
    func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits until the server has ended, for any reason.
    ///
    /// - Returns: Its exit code, or the signal that ended it.
    func waitUntilEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The log of the server. It can be read once the server has stopped.
    var log: String { Self.text(errors) }

    /// Kills the server at once.
    func crash() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Starts a command with little output.
    static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Process {
        try launch(arguments, environment).0
    }

    /// Runs a command to its end.
    ///
    /// - Parameter tracer: A command that runs the command that is appended to it.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], under tracer: [String] = []
    ) throws -> (exitCode: Int32, output: String, errors: String) {
        let (process, output, errors) = try launch(arguments, environment, under: tracer)
        let said = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said, text(errors))
    }

    private static func launch(
        _ arguments: [String], _ environment: [String: String], under tracer: [String] = [], log: FileHandle? = nil
    ) throws -> (Process, output: FileHandle, errors: FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = tracer + [executable.path] + arguments
        process.environment = environment.merging(sanitizerOptions(isTraced: !tracer.isEmpty)) { given, _ in given }
        let (output, errors) = (Pipe(), try log ?? newLog())
        process.standardOutput = output
        process.standardError = errors
        try process.runAlone()
        return (process, output.fileHandleForReading, errors)
    }

    /// A file without a name. A server that writes its log to a pipe stops when nobody reads it.
    private static func newLog() throws -> FileHandle {
        var path = Array((NSTemporaryDirectory() + "log-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_APPEND) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unlink(&path)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// All of a log.
    private static func text(_ log: FileHandle) -> String {
        log.seek(toFileOffset: 0)
        return String(decoding: log.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The variables that tell a sanitizer where to put its reports, and a library for the server alone. The server
    /// gets nothing else of our environment.
    ///
    /// - Parameter isTraced: Whether the server runs under a tracer. Then leaks are not looked for: the search needs to
    ///   trace the process, and a process can have only one tracer.
    static func sanitizerOptions(isTraced: Bool) -> [String: String] {
        let ours = ProcessInfo.processInfo.environment
        var options = ours.filter { ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key) }
        options["LD_PRELOAD"] = ours["LISTSTATE_SERVER_PRELOAD"]
        options["LSAN_OPTIONS"] = ours["LISTSTATE_SERVER_LSAN_OPTIONS"]
        if isTraced { options["ASAN_OPTIONS", default: ""] += " detect_leaks=0" }
        return options
    }

    /// The command: `LISTSTATE_SERVER`, or else the one that was built with the tests.
    static let executable =
        ProcessInfo.processInfo.environment["LISTSTATE_SERVER"].map { URL(filePath: $0) }
        ?? productsFolder.appending(path: "liststate")

    /// The folder in which the build puts the command, beside the tests.
    static var productsFolder: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    }

    /// The next line; nil if the output ends before it.
    private static func readLine(_ output: FileHandle) -> String? {
        var line: [UInt8] = []
        while let byte = output.readData(ofLength: 1).first {
            guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    private static func port(in line: String) -> UInt16? {
        line.firstMatch(of: #/listens on http://.*?:([0-9]+),/#).flatMap { UInt16($0.1) }
    }
}

/// A new folder that is removed with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
