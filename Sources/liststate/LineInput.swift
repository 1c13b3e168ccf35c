import Glibc

/// The lines of a file or of standard input.
final class LineInput {
    private let descriptor: Int32
    private let path: String
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The size of the file in bytes (0 if it has none), and the number of bytes read so far.
    let size: Int
    private(set) var done = 0

    /// The greatest length of a line. Real lines are far shorter: the content of an item has some 10,000 bytes.
    private static let lineBytesMax = 16 << 20

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("\(path): \(String(cString: strerror(errno)))", 66) }
        var status = stat()
        size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The next line that is not empty, without its line feed; nil at the end.
    func next() throws(Failure) -> [UInt8]? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                guard end == start else { return Array(bytes[start..<end]) }
                searched = end + 1
                continue
            }
            guard !isAtEnd else {
                defer { start = bytes.count }
                return start < bytes.count ? Array(bytes[start...]) : nil
            }
            guard bytes.count - start < Self.lineBytesMax else { throw .failed("\(path): a line is too long.", 65) }
            bytes.removeFirst(start)
            start = 0
            searched = bytes.count
            try read()
        }
    }

    private func read() throws(Failure) {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { return }
        guard count >= 0 else { throw .failed("\(path): \(String(cString: strerror(errno)))", 74) }
        done += count
        isAtEnd = count == 0
        bytes += buffer[..<count]
    }
}
