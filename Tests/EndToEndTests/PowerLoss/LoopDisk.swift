import Foundation
import Threads
import TestSupport

/// A disk of its own, an ext4 in a file, whose power can be cut: what was not synchronized is then gone.
///
/// It shows what a program forgot to synchronize, not what a disk forgets that said it had it: what ext4 has sent to
/// the loop device stays.
final class LoopDisk: Sendable {
    private let folder: TemporaryFolder
    private let image: String
    /// Seconds after which ext4 writes what changed by itself.
    private let commitSeconds: Int
    private let isMounted = Locked(false)
    /// Where it is mounted.
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether there can be one: only root may mount, and only where there are loop devices.
    static let isPossible = geteuid() == 0 && access("/dev/loop-control", R_OK | W_OK) == 0

    init(mebibytes: Int = 256, commitSeconds: Int = 5) throws {
        folder = try TemporaryFolder()
        (image, path) = (folder.path + "/image", folder.path + "/disk")
        self.commitSeconds = commitSeconds
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard FileManager.default.createFile(atPath: image, contents: nil),
            truncate(image, mebibytes << 20) == 0
        else { throw Failure(description: "\(image): \(String(cString: strerror(errno)))") }
        try Self.run("mkfs.ext4", "-q", "-F", image)
        try mount()
    }

    deinit {
        // Whatever still has a file open there keeps it no longer than it lives.
        if isMounted.withLock({ $0 }) { umount2(path, Int32(MNT_DETACH)) }
    }

    /// Ends all writing to it at once; what it knew only in memory is lost when it is mounted again.
    ///
    /// Callable from any thread, while anybody writes.
    ///
    /// Source: Linux, `fs/ext4/ext4.h`: `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`.
    func cutPower() throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        var noLogFlush: UInt32 = 2
        guard ioctl(descriptor, 0x8004_587D, &noLogFlush) == 0 else { throw failure("EXT4_IOC_SHUTDOWN") }
    }

    /// Has some of what is in memory written, as a system does by itself at any time: some files, or pieces of them.
    func writeBackSome(_ generator: inout SeededGenerator) {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for name in files.sorted() {
            // Of what may not be written, nothing would be written back.
            let descriptor = open(path + "/" + name, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if generator.once(in: 3) {
                fsync(descriptor)
            } else {
                writeBackPieces(descriptor, &generator)
            }
        }
    }

    private func writeBackPieces(_ descriptor: Int32, _ generator: inout SeededGenerator) {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 0, let bytes = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), bytes != MAP_FAILED else {
            return
        }
        defer { munmap(bytes, size) }
        let piece = 4096 << generator.below(6)
        // Of a log only what comes before the first piece that is missing is of use: now little, now most of it.
        let odds = generator.pick([2, 16, 128])
        var start = 0
        for offset in stride(from: 0, to: size, by: piece) where generator.once(in: odds) {
            // All at once up to the piece that is left out: each call waits for the disk.
            if offset > start { msync(bytes + start, offset - start, MS_SYNC) }
            start = offset + piece
        }
        if start < size { msync(bytes + start, size - start, MS_SYNC) }
    }

    /// Goes away and comes back with what was on it, as when the machine starts again.
    ///
    /// Nobody may have a file open there any more.
    func restart() throws {
        try Self.run("umount", path)
        isMounted.withLock { $0 = false }
        try mount()
    }

    private func mount() throws {
        // The loop device that this makes goes when it is unmounted, and with it all that the system remembers.
        try Self.run("mount", "-t", "ext4", "-o", "loop,commit=\(commitSeconds)", image, path)
        isMounted.withLock { $0 = true }
    }

    private func failure(_ call: String) -> Failure {
        Failure(description: "\(call) \(path): \(String(cString: strerror(errno)))")
    }

    private static func run(_ command: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let said = Pipe()
        process.standardOutput = said
        process.standardError = said
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(command): \(text)") }
    }
}
