import Foundation
import TestSupport

/// A disk of a few megabytes, where the system lets us have one.
final class SmallDisk {
    let folder: TemporaryFolder

    init?(mebibytes: Int) throws {
        folder = try TemporaryFolder()
        guard geteuid() == 0, mount("none", folder.path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else { return nil }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Takes all the room that is left, or gives it back.
    func fill(_ isFull: Bool) throws {
        let path = folder.path + "/ballast"
        guard isFull else {
            // A process that another test started meanwhile may still have the file open, and would keep its room.
            truncate(path, 0)
            return try FileManager.default.removeItem(atPath: path)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, block, block.count) > 0 {}
    }
}
