import Glibc

/// The next step that a command proposes when a folder or a file is missing or damaged.
enum Advice {
    /// The sentence that says how to get the undamaged part of a damaged store.
    ///
    /// - Parameter path: A folder, or a copy.
    static func repair(_ path: String) -> String {
        guard access(path + "/.", F_OK) == 0 else {
            return
                "Run `liststate restore --repair \(word(path)) --data FOLDER` to take what is good of it to a new folder."
        }
        return "Run `liststate verify --repair --data \(word(path))`, or restore a backup to another folder."
    }

    /// A path quoted so that a shell takes it as one word.
    static func word(_ path: String) -> String {
        let isPlain = { (byte: UInt8) in
            byte >= 0x80 || "/._-+=:@%,".utf8.contains(byte) || (0x30...0x39).contains(byte)
                || (0x61...0x7A).contains(byte | 0x20)
        }
        guard path.isEmpty || !path.utf8.allSatisfy(isPlain) else { return path }
        return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// The message for a folder that should have a store and has none.
    static func missing(_ folder: String) -> String {
        "\(folder)/liststate.db is not there. The folder of the store is named with --data (or LISTSTATE_DATA)."
    }

    /// Checks that a file begins as a copy does, before anything is made of it. A file without read permission passes:
    /// the command that opens it says so.
    ///
    /// - Throws: `.failed` if the file does not exist or is not a copy.
    static func check(copy path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EACCES || errno == EPERM { return }
            throw .failed("\(path): \(String(cString: strerror(errno))).", 74)
        }
        defer { close(descriptor) }
        var start = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &start, start.count, 0)
        guard count >= 0 else {
            let isFolder = errno == EISDIR
            let text = isFolder ? "It is a folder; its store is \(path)/liststate.db" : String(cString: strerror(errno))
            throw .failed("\(path): \(text).", 74)
        }
        guard !start.starts(with: Array(#"{"liststate":"export""#.utf8)) else {
            throw .failed(
                "\(path) is no copy of a store, but an export: `liststate import \(word(path))` takes it in.", 65)
        }
        guard start.prefix(count).starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .failed("\(path) is no copy of a store: it does not begin as one does.", 65)
        }
    }
}
