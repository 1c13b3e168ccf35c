import Glibc
import ListStore
import Locks
import Logging
import SQLiteJournal

/// A socket named after the data folder, by which commands of the same user ask a running server for what only it can do.
///
/// One line is asked, `backup PATH`; the answers are lines too: `progress DONE ALL`, then `done` or `error TEXT`.
final class ControlServer: Sendable {
    private let socket: LocalSocket?
    private let thread: WorkerThread?

    /// Without one, should it not work: the server does without the commands.
    init(_ folder: String, _ store: Store, _ journal: SQLiteJournal, _ logger: Logger) {
        let socket = LocalSocket(listeningFor: folder)
        self.socket = socket
        thread = socket.flatMap { socket in
            try? WorkerThread { while let peer = socket.accept() { Self.answer(peer, store, journal) } }
        }
        if thread == nil { logger.warning("There is no socket for \(folder): no backup can be made while serving.") }
    }

    /// Takes no more questions, and waits for the one that is being answered.
    func stop() {
        guard let socket, let thread else { return }
        socket.shutDown()
        thread.join()
    }

    private static func answer(_ peer: LocalSocket, _ store: Store, _ journal: SQLiteJournal) {
        guard let line = peer.readLine(), line.hasPrefix("backup /") else {
            return peer.write("error unknown command\n")
        }
        do throws(JournalError) {
            try journal.backUp(to: String(line.dropFirst("backup ".count)), between: store.betweenWrites) { progress in
                peer.write("progress \(progress.done) \(progress.all)\n")
            }
            peer.write("done\n")
        } catch {
            let text = Failure.journal(error, folder: "the data folder").message
            peer.write("error \(text.map { $0 == "\n" ? " " : String($0) }.joined())\n")
        }
    }

    /// Asks the server of a folder; nil if nobody answers there.
    static func ask(_ folder: String, _ line: String, _ answer: (Substring) -> Void) -> Bool {
        guard let socket = LocalSocket(connectedTo: folder) else { return false }
        socket.write(line + "\n")
        while let line = socket.readLine() { answer(line[...]) }
        return true
    }
}

extension SQLiteJournal {
    /// Makes a copy in pieces, and checks it.
    ///
    /// - Parameter between: Runs a piece when nobody writes.
    func backUp(
        to path: String, between: (@escaping @Sendable () throws(JournalError) -> Void) throws(JournalError) -> Void,
        progress: (SQLiteBackup.Progress) -> Void
    ) throws(JournalError) {
        let backup = try backUp(to: path)
        do throws(JournalError) {
            let state = Locked<SQLiteBackup.Progress?>(nil)
            while !(state.withLock({ $0?.isDone }) ?? false) {
                try between { () throws(JournalError) in
                    let now = try backup.step()
                    state.withLock { $0 = now }
                }
                if let now = state.withLock({ $0 }) { progress(now) }
            }
            try backup.finish()
        } catch {
            backup.cancel()
            throw error
        }
    }
}

/// A stream socket that is named after a folder and not in it, so that nothing stays behind when a process is killed;
/// either side speaks with the same user only, or with root.
final class LocalSocket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Nil if there is no such folder, or the system refuses.
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

    /// Source: unix(7), "abstract". The name is that of the folder's inode, which has many paths.
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

    /// Source: unix(7), `SO_PEERCRED`: three numbers, of process, user and group.
    private var isOfSameUser: Bool {
        var numbers: [UInt32] = [0, 0, 0]
        var size = socklen_t(12)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &size) == 0 else { return false }
        return numbers[1] == 0 || numbers[1] == geteuid()
    }

    /// Waits for somebody; nil once it has been shut down.
    func accept() -> LocalSocket? {
        while true {
            let peer = Glibc.accept(descriptor, nil, nil)
            if peer >= 0 {
                let socket = LocalSocket(peer).limitingWaits()
                guard socket.isOfSameUser else { continue }
                return socket
            }
            guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE else { return nil }
        }
    }

    private func limitingWaits() -> LocalSocket {
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return self
    }

    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// A line without its end; nil if the other side has ended first, or the line is longer than a path.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 8_192 {
            let count = recv(descriptor, &byte, 1, 0)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return nil }
            guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Whoever has gone away hears nothing.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }
}
