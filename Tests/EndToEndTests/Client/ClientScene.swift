import Foundation
import JSONValue
import TestSupport
import Testing

/// A server, and a user with a home whose commands ask it.
final class ClientScene {
    typealias Said = (exitCode: Int32, output: String, errors: String)

    private(set) var server: ServerProcess
    let folder: TemporaryFolder
    private let options: [String]
    var url: String { "http://127.0.0.1:\(server.port)" }
    var state: String { folder.path + "/state" }

    /// - Parameter data: The name of the folder of the store.
    init(_ options: [String] = [], data: String = "data") throws {
        folder = try TemporaryFolder()
        self.options = options
        server = try ServerProcess(["--data", "\(folder.path)/\(data)"] + options)
    }

    /// Starts another server at the same port, after the first has ended.
    func restart(data: String = "data") throws {
        server = try ServerProcess(["--data", "\(folder.path)/\(data)", "--port", "\(server.port)"] + options)
    }

    func environment(_ url: String?, _ token: String?) -> [String: String] {
        var environment = ["LISTSTATE_URL": url ?? self.url, "XDG_STATE_HOME": state]
        environment["LISTSTATE_TOKEN"] = token
        return environment
    }

    /// Runs a command to its end.
    @discardableResult
    func run(_ words: String, url: String? = nil, token: String? = nil) throws -> Said {
        try run(words.split(separator: " ").map(String.init), url: url, token: token)
    }

    @discardableResult
    func run(_ words: [String], url: String? = nil, token: String? = nil) throws -> Said {
        try ServerProcess.run(words, environment: environment(url, token))
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    func done(_ words: String, url: String? = nil) throws -> String {
        let said = try run(words, url: url)
        try #require(said.exitCode == 0, "\(words): \(said)")
        return said.output
    }

    /// A command that runs on, and its output line by line.
    func start(_ words: String, url: String? = nil) throws -> RunningCommand {
        let words = words.split(separator: " ").map(String.init)
        return try RunningCommand(ServerProcess.start(words, environment: environment(url, nil)))
    }

    func json(_ path: String) throws -> JSONValue {
        try JSONValue(parsing: Array(server.client.send("GET", path).text.utf8), levelsAround: 12)
    }

    /// The ids of the items of the section `fruit` of the list `l`.
    func fruit() throws -> [String] {
        try json("/v1/lists/l/sections/fruit")["items"]?.elements.compactMap { $0["id"]?.string } ?? []
    }
}

/// A command that runs on. It is killed with this object.
final class RunningCommand {
    let process: Process
    private let output: FileHandle

    init(_ process: Process) throws {
        self.process = process
        output = try #require((process.standardOutput as? Pipe)?.fileHandleForReading)
    }

    deinit { kill() }

    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The next line; nil if the output ends before it, or if nothing comes for two minutes.
    func line() -> String? {
        var line: [UInt8] = []
        while let byte = byte() {
            guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    private func byte() -> UInt8? {
        var waiting = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 120_000) > 0 else { return nil }
        return output.readData(ofLength: 1).first
    }

    /// Reads lines up to the first that holds a text. Returns all of them; the text is in none if the output ended.
    func lines(to text: String) -> [String] {
        var lines: [String] = []
        while let line = line() {
            lines.append(line)
            if line.contains(text) { break }
        }
        return lines
    }

    /// Waits until the command ends.
    func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
