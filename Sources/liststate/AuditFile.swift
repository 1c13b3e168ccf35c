import Glibc

/// A file to whose end lines are written. When it is long enough, it gets another name and a new one begins.
///
/// Only one thread may use it at a time.
struct AuditFile {
    /// The length at which a new file begins.
    static let bytesMax = 16 << 20
    /// The number of files, with the one that is written to. The oldest one goes when there would be more.
    static let filesMax = 8

    let path: String
    private let bytesMax: Int
    private var descriptor: Int32 = -1
    private var size = 0
    /// Whether the file is none of a device or a pipe, which has no length.
    private var isRegular = false
    /// Whether the last line is not whole.
    private var isTorn = false

    init(_ path: String, bytesMax: Int) {
        self.path = path
        self.bytesMax = bytesMax
    }

    /// Opens the file, and makes it if it is not there.
    ///
    /// - Returns: The error number of the system, or 0.
    mutating func open() -> Int32 {
        guard descriptor < 0 else { return 0 }
        // A pipe that nobody reads takes no bytes, and nobody shall wait for it.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let opened = Glibc.open(path, flags, 0o600)
        guard opened >= 0 else { return errno }
        var status = stat()
        isRegular = fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isRegular ? Int(status.st_size) : 0
        if isRegular { isTorn = size > 0 && !Self.endsWithLine(path) }
        descriptor = opened
        return 0
    }

    /// Whether the file ends with a whole line. A process that was killed may have written half of one.
    private static func endsWithLine(_ path: String) -> Bool {
        let reading = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard reading >= 0 else { return true }
        defer { Glibc.close(reading) }
        var byte: UInt8 = 0
        guard lseek(reading, -1, SEEK_END) >= 0, read(reading, &byte, 1) == 1 else { return true }
        return byte == UInt8(ascii: "\n")
    }

    /// The next lines go to a file that is opened anew, so that somebody can put this one aside.
    mutating func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Writes lines, each with its end.
    ///
    /// - Parameter isDurable: Whether to wait until the disk has them.
    /// - Returns: The lines that are not in the file whole, and the error number of the system, or 0.
    mutating func append(_ lines: [UInt8], isDurable: Bool) -> (rest: [UInt8], error: Int32) {
        var error = open()
        guard error == 0, !lines.isEmpty else { return (lines, error) }
        if isRegular, size > 0, size + lines.count > bytesMax {
            error = rotate()
            guard error == 0 else { return (lines, error) }
        }
        let bytes = (isTorn ? [UInt8(ascii: "\n")] : []) + lines
        let written: Int
        (written, error) = write(bytes)
        size += written
        if error == 0, isDurable, isRegular, fdatasync(descriptor) != 0 { error = errno }
        guard written < bytes.count else {
            isTorn = false
            return ([], error)
        }
        let whole = bytes[..<written].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Half a line is in the file, or still is.
        isTorn = written > whole || isTorn && written == 0
        close()
        let rest = Array(bytes[whole...])
        return (rest.first == UInt8(ascii: "\n") ? Array(rest.dropFirst()) : rest, error)
    }

    private func write(_ bytes: [UInt8]) -> (count: Int, error: Int32) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if count == 0 {
                return (written, EIO)
            } else if errno != EINTR {
                return (written, errno)
            }
        }
        return (written, 0)
    }

    /// `FILE` becomes `FILE.1`, `FILE.1` becomes `FILE.2`, and so on. If the folder does not allow that, lines go on in the
    /// same file.
    private mutating func rotate() -> Int32 {
        for number in (1..<Self.filesMax - 1).reversed() { rename("\(path).\(number)", "\(path).\(number + 1)") }
        guard rename(path, "\(path).1") == 0 else { return 0 }
        close()
        return open()
    }
}
