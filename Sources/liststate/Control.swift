import Glibc
import JSONValue
import ListStore
import Threads
import Logging
import SQLiteJournal
import Texts

/// A socket that is named after the data folder. Through it commands of the same user ask a running server for work
/// that only the server can do.
///
/// The client sends one line. To `backup PATH` the server answers with lines `progress DONE ALL`, and to `access JSON`
/// with lines `line TEXT`. The last line is `done` or `error TEXT`.
final class ControlServer: Sendable {
    /// The copy that is being made. There is at most one, because one thread answers all requests.
    private struct State: Sendable {
        private enum Copy {
            case none
            /// The file of the copy may be there, but nothing can cancel the copy yet.
            case beginning
            case running(SQLiteBackup)
        }

        private var copy = Copy.none
        private var isStopping = false

        /// Whether no file of an unfinished copy is left.
        var isTidy: Bool { if case .none = copy { true } else { false } }

        /// - Returns: False if the server stops, so that no copy may begin.
        mutating func begin() -> Bool {
            guard !isStopping else { return false }
            copy = .beginning
            return true
        }

        /// - Returns: False if the server has begun to stop meanwhile, so that the caller must cancel the copy.
        mutating func run(_ backup: SQLiteBackup) -> Bool {
            guard !isStopping else { return false }
            copy = .running(backup)
            return true
        }

        mutating func end() { copy = .none }

        /// - Returns: The copy that the caller must cancel, if any.
        mutating func stop() -> SQLiteBackup? {
            isStopping = true
            guard case .running(let backup) = copy else { return nil }
            return backup
        }
    }

    private let socket: LocalSocket?
    private let state: Locked<State>

    /// If there can be no socket, the server runs without it and logs a warning.
    ///
    /// - Parameter desk: Does what commands ask for about tokens.
    init(_ folder: String, _ journal: SQLiteJournal, _ desk: AccessDesk?, _ logger: Logger) {
        let socket = LocalSocket(listeningFor: folder)
        // A command that asks may have another current folder.
        let place = realpath(folder, nil).map { path in
            defer { free(path) }
            return String(cString: path)
        }
        let state = Locked(State())
        let thread = socket.flatMap { socket in
            try? Thread {
                while let peer = socket.accept() { Self.answer(peer, place ?? folder, journal, desk, state) }
            }
        }
        thread?.detach()
        if thread == nil { logger.warning("There is no socket for \(folder): no backup can be made while serving.") }
        self.socket = socket
        self.state = state
    }

    /// Begins no more backups. Another thread cancels the backup that is being made and removes its copy, so this
    /// returns at once, however slow the copy's disk is. If no thread can be started, the backup ends with the process.
    func stop() {
        let backup = state.withLock { $0.stop() }
        socket?.shutDown()
        guard let backup else { return }
        // Removing the copy may take as long as writing it.
        let thread = try? Thread { [state] in
            backup.cancel()
            state.withLock { $0.end() }
        }
        thread?.detach()
    }

    /// Waits until the copy that was being made at `stop()` is removed, but not longer than until `end`.
    func waitUntilTidy(until end: ContinuousClock.Instant) {
        while !state.withLock({ $0.isTidy }), ContinuousClock.now < end { usleep(10_000) }
    }

    private static func answer(_ peer: LocalSocket, access json: Substring, _ desk: AccessDesk?) {
        guard let desk, let value = try? JSONValue(parsing: Array(json.utf8), levelsAround: 8),
            let request = AccessRequest(value)
        else {
            peer.write("error unknown command\n")
            return
        }
        do throws(Failure) {
            for line in try desk.perform(request) { peer.write("line \(line.string)\n") }
            peer.write("done\n")
        } catch {
            peer.write("error \(error.message)\n")
        }
    }

    private static func answer(
        _ peer: LocalSocket, _ folder: String, _ journal: SQLiteJournal, _ desk: AccessDesk?, _ state: Locked<State>
    ) {
        guard let line = peer.readLine() else {
            peer.write("error the command is cut off, or longer than \(LocalSocket.lineBytesMax) bytes\n")
            return
        }
        guard !line.hasPrefix("access ") else { return answer(peer, access: line.dropFirst("access ".count), desk) }
        guard line.hasPrefix("backup /") else {
            peer.write("error unknown command\n")
            return
        }
        let path = String(line.dropFirst("backup ".count))
        // The copy ends behind the answer, so a process that waits for the copy sends the answer too.
        defer { state.withLock { $0.end() } }
        do throws(JournalError) {
            // Requests that came before the stop can be accepted after it.
            guard state.withLock({ $0.begin() }) else { throw JournalError.closed }
            let backup = try journal.backUp(to: path)
            guard state.withLock({ $0.run(backup) }) else {
                backup.cancel()
                throw JournalError.closed
            }
            // If the client has gone away, the write fails and the copy is cancelled.
            try backup.make { peer.write("progress \($0.done) \($0.all)\n") }
            peer.write("done\n")
        } catch {
            var text = backupFailure(error, path, folder: folder)
            if case .corrupt = error { text += " Stop the server first." }
            peer.write("error \(text.map { $0 == "\n" ? " " : String($0) }.joined())\n")
        }
    }

    /// Sends a line to the server of a folder and calls `answer` for each line that comes back.
    ///
    /// - Returns: False if no server answers there.
    static func ask(_ folder: String, _ line: ByteText, _ answer: (Substring) -> Void) -> Bool {
        guard let socket = LocalSocket(connectedTo: folder) else { return false }
        // The description of a long text is cut off.
        socket.write(line.string + "\n")
        while let line = socket.readLine() { answer(line[...]) }
        return true
    }
}

extension SQLiteBackup {
    /// Makes the copy and checks it. If an error is thrown, nothing is left of the copy.
    ///
    /// - Parameter progress: Returns whether to go on.
    /// - Throws: `JournalError`; `.closed` if `progress` returns false.
    func make(progress: (Progress) -> Bool) throws(JournalError) {
        do throws(JournalError) {
            var isDone = false
            while !isDone {
                let now = try step()
                guard progress(now) else { throw JournalError.closed }
                isDone = now.isDone
            }
            try finish()
        } catch {
            cancel()
            throw error
        }
    }
}

/// The message for a copy that could not be made.
func backupFailure(_ error: JournalError, _ path: String, folder: String) -> String {
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    return switch error {
    case .io where access(parent + "/.", F_OK) != 0: "No copy could be made: there is no folder \(parent)."
    case .full: "There is no room for \(path)."
    case .closed: "The server stops: there is no copy."
    case .io(let text), .readOnly(let text), .tooLarge(let text), .away(let text), .unknown(let text):
        "No copy could be made: \(text)."
    case .corrupt, .otherFormat, .locked, .moved: Failure.journal(error, folder: folder).message
    }
}

/// A stream socket between processes of the same user, or with root. Its name is made from a folder but is not a file
/// in it, so nothing is left when a process is killed.
final class LocalSocket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Nil if there is no such folder, or if the system refuses the socket.
    convenience init?(listeningFor folder: String) {
        guard let made = Self.make(folder, bind) else { return nil }
        self.init(made)
        guard listen(made, 4) == 0 else { return nil }
    }

    convenience init?(connectedTo folder: String) {
        guard let made = Self.make(folder, connect) else { return nil }
        self.init(made)
        guard isOfSameUser else { return nil }
    }

    /// Makes a socket in the abstract namespace (unix(7), "abstract"). Its name has the inode of the folder, because a
    /// folder has many paths.
    private static func make(
        _ folder: String, _ use: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32? {
        var status = stat()
        guard fstatat(AT_FDCWD, folder, &status, 0) == 0 else { return nil }
        let name = "\0liststate-\(status.st_dev)-\(status.st_ino)"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8.prefix($0.count)) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { use(descriptor, $0, size) }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Whether the other process belongs to the same user or to root. `SO_PEERCRED` gives three numbers: process, user
    /// and group (unix(7)).
    private var isOfSameUser: Bool {
        var numbers: [UInt32] = [0, 0, 0]
        var size = socklen_t(12)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &size) == 0 else { return false }
        return numbers[1] == 0 || numbers[1] == geteuid()
    }

    /// Waits for the next connection; nil once the socket has been shut down. Nothing else ends the wait, because after
    /// that no backup could be made before the next start.
    func accept() -> LocalSocket? {
        while true {
            let peer = Glibc.accept(descriptor, nil, nil)
            if peer >= 0 {
                let socket = LocalSocket(peer)
                limitWaits(of: peer, seconds: 5)
                guard socket.isOfSameUser else { continue }
                return socket
            }
            guard errno != EINTR && errno != ECONNABORTED else { continue }
            guard isOpenAfterPause() else { return nil }
        }
    }

    /// Waits a moment after an error, such as a lack of descriptors or of memory. The peer stays in the queue, so a
    /// loop without a pause would use a whole core.
    ///
    /// - Returns: False, at once, if the socket has been shut down.
    private func isOpenAfterPause() -> Bool {
        // The peer in the queue would end a wait for input. A shutdown is reported although no event is asked for.
        var file = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&file, 1, Self.pauseMilliseconds) <= 0
    }

    private static let pauseMilliseconds: Int32 = 100

    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The most bytes of a line with its line feed. The most grants that there can be take about half of them.
    static let lineBytesMax = 1 << 20

    /// A line without its line feed; nil if the other side closes before the end of the line, or the line has more than
    /// `lineBytesMax`.
    func readLine() -> String? {
        var line: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while line.count < Self.lineBytesMax {
            // What stands behind the line feed is for the next call, so it is looked at before it is taken.
            let wanted = min(part.count, Self.lineBytesMax - line.count)
            let count = receive(&part, wanted, Int32(MSG_PEEK))
            guard count > 0 else { return nil }
            let end = part[..<count].firstIndex(of: UInt8(ascii: "\n"))
            guard receive(&part, end.map { $0 + 1 } ?? count, 0) > 0 else { return nil }
            line += part[..<(end ?? count)]
            if end != nil { return String(decoding: line, as: UTF8.self) }
        }
        return nil
    }

    /// - Returns: The number of bytes; 0 or less if no more come.
    private func receive(_ bytes: inout [UInt8], _ wanted: Int, _ flags: Int32) -> Int {
        while true {
            let count = recv(descriptor, &bytes, wanted, flags)
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// - Returns: False if the other side has gone away.
    @discardableResult
    func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest.removeFirst(count)
        }
        return true
    }
}
