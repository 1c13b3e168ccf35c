import Foundation
import TestSupport

/// A disk of a few mebibytes. There is none if the system does not allow mounting one.
final class SmallDisk {
    let folder: TemporaryFolder

    init?(mebibytes: Int) throws {
        folder = try TemporaryFolder()
        guard geteuid() == 0, mount("none", folder.path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else { return nil }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Fills the disk, or makes the room free again.
    func fill(_ isFull: Bool) throws {
        let path = folder.path + "/ballast"
        guard isFull else {
            // A process that another test has started meanwhile may still have the file open, which would keep its
            // room.
            truncate(path, 0)
            return try FileManager.default.removeItem(atPath: path)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, block, block.count) > 0 {}
    }
}
