import Glibc
import JSONValue
import Texts

/// The folder of the user in which the queue is: `$XDG_STATE_HOME/liststate`, or else `~/.local/state/liststate`.
///
/// Each change reads the file and writes it anew, under a lock. So several commands may use the queue at a time.
struct QueueFolder {
    let path: String

    private var file: String { "\(path)/queue.json" }

    init() throws(Failure) {
        func folder(_ variable: String) -> String? {
            guard let text = getenv(variable).map({ String(cString: $0) }), text.hasPrefix("/") else { return nil }
            return text
        }
        guard let state = folder("XDG_STATE_HOME") ?? folder("HOME").map({ "\($0)/.local/state" }) else {
            throw .failed("The queue needs a folder: HOME or XDG_STATE_HOME must name one.", 64)
        }
        path = "\(state)/liststate"
        try makeFolders()
    }

    /// Makes the folder and those above it that are missing. Others cannot read what is in it.
    private func makeFolders() throws(Failure) {
        var part = ""
        for name in path.split(separator: "/") {
            part += "/\(name)"
            guard mkdir(part, 0o700) == 0 || errno == EEXIST else { throw failure(part) }
        }
    }

    /// Lets only one process at a time through, until `body` returns.
    func alone<Result>(_ name: String, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let descriptor = open("\(path)/\(name).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("\(path)/\(name).lock") }
        // The lock goes with the descriptor.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("\(path)/\(name).lock") }
        }
        return try body()
    }

    /// Changes the queue. The change is on the disk when this returns.
    func change<Result>(_ body: (inout WriteQueue) throws(Failure) -> Result) throws(Failure) -> Result {
        try alone("queue") { () throws(Failure) in
            let old = try read()
            var new = old
            let result = try body(&new)
            if new != old { try write(new) }
            return result
        }
    }

    func read() throws(Failure) -> WriteQueue {
        guard access(file, F_OK) == 0 else { return WriteQueue() }
        let text = try bytes(of: file)
        guard let json = try? JSONValue(parsing: text, levelsAround: 12), let queue = WriteQueue(json) else {
            throw .failed("\(file) is no queue of this program. Nothing was changed.", 65)
        }
        return queue
    }

    private static let bytesMax = 15 * 1024 * 1024

    private func write(_ queue: WriteQueue) throws(Failure) {
        let content = queue.json.bytes
        guard content.count <= Self.bytesMax else { throw .failed("The queue has no room for so large a write.", 75) }
        let new = "\(file).new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(new) }
        defer { close(descriptor) }
        var done = 0
        while done < content.count {
            let count = content.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            guard count > 0 || count < 0 && errno == EINTR else { throw failure(new) }
            done += max(count, 0)
        }
        guard fsync(descriptor) == 0, rename(new, file) == 0, LineOutput.synchronizeFolder(of: file) else {
            throw failure(file)
        }
    }

    private func failure(_ path: String) -> Failure { .failed("\(path): \(String(cString: strerror(errno)))", 74) }
}
