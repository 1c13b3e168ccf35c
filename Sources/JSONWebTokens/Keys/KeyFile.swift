internal import Glibc

/// A file with keys.
enum KeyFile {
    /// The bytes of the file.
    static func read(_ path: String) throws(KeySourceError) -> [UInt8] {
        // A pipe without a writer would block for ever.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .file(errno: errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: WebKeys.bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + count, $0.count - count) }
            guard got >= 0 || errno == EINTR else { throw .file(errno: errno) }
            guard got != 0 else { return Array(bytes[..<count]) }
            count += max(got, 0)
        }
        throw .tooLong
    }
}
