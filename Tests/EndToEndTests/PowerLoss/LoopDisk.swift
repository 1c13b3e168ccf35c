import Foundation
import Threads
import TestSupport

/// A disk of its own: an ext4 file system in a file, whose power can be cut. Data that was not synchronized is then
/// gone.
///
/// It shows the syncs that a program has forgotten. It does not show a disk that forgets data after a sync, because
/// data that ext4 has sent to the loop device stays.
final class LoopDisk: Sendable {
    private let folder: TemporaryFolder
    private let image: String
    /// The seconds after which ext4 writes changes by itself.
    private let commitSeconds: Int
    private let isMounted = Locked(false)
    /// The path where the disk is mounted.
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether such a disk is possible: only root may mount, and only if there are loop devices.
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
        // A lazy unmount: a process that still has a file open keeps the disk only until it ends.
        if isMounted.withLock({ $0 }) { umount2(path, Int32(MNT_DETACH)) }
    }

    /// Ends all writing to the disk at once. Data that is only in memory is lost when the disk is mounted again.
    ///
    /// May be called from any thread, also while others write.
    ///
    /// Source: Linux, `fs/ext4/ext4.h`: `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`.
    func cutPower() throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        var noLogFlush: UInt32 = 2
        guard ioctl(descriptor, 0x8004_587D, &noLogFlush) == 0 else { throw failure("EXT4_IOC_SHUTDOWN") }
    }

    /// Writes back some data that is only in memory: some files, or pieces of files. A system may do this by itself at
    /// any time.
    func writeBackSome(_ generator: inout SeededGenerator) {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for name in files.sorted() {
            // A file that cannot be opened for writing has nothing to write back.
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
        // Only the part of a log before its first missing piece can be used. The odds make that part short in some
        // cases and long in others.
        let odds = generator.pick([2, 16, 128])
        var start = 0
        for offset in stride(from: 0, to: size, by: piece) where generator.once(in: odds) {
            // Pieces up to the one that is left out are written in one call, because each call waits for the disk.
            if offset > start { msync(bytes + start, offset - start, MS_SYNC) }
            start = offset + piece
        }
        if start < size { msync(bytes + start, size - start, MS_SYNC) }
    }

    /// Unmounts the disk and mounts it again, as a restart of the machine does.
    ///
    /// No process may have a file on it open.
    func restart() throws {
        try Self.run("umount", path)
        isMounted.withLock { $0 = false }
        try mount()
    }

    private func mount() throws {
        // The loop device that this makes ends with the unmount, and with it everything that the system has cached.
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
        try process.runAlone()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(command): \(text)") }
    }
}
