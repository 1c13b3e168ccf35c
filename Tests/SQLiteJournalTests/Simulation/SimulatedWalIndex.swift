import CSQLite
import Threads

/// The index of a write-ahead log with its locks. All connections of one simulated process share it.
///
/// Source: `unixShmMap` and `unixShmLock` in SQLite's backend for Unix.
///
/// - Safety: `@unchecked` is sound because regions are only added, under `lock`, and SQLite sees to their content.
final class SimulatedWalIndex: @unchecked Sendable {
    /// The locks that one connection holds, with a bit for each of SQLite's eight locks.
    struct Held {
        var shared: UInt8 = 0
        var exclusive: UInt8 = 0
    }

    private let lock = Lock()
    private var regions: [UnsafeMutableRawPointer] = []
    private var sharedCounts = [Int](repeating: 0, count: 8)
    private var exclusive: UInt8 = 0

    deinit { for region in regions { region.deallocate() } }

    /// A region of the index; nil if it does not exist and is not wanted.
    func region(_ number: Int, size: Int, isWanted: Bool) -> UnsafeMutableRawPointer? {
        lock.withLock {
            while isWanted, regions.count <= number {
                let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
                region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
                regions.append(region)
            }
            return number < regions.count ? regions[number] : nil
        }
    }

    /// Takes or releases locks. Returns SQLite's result code.
    func change(_ held: inout Held, first: Int, count: Int, _ flags: Int32) -> Int32 {
        let bits = UInt8(((1 << count) - 1) << first)
        return lock.withLock {
            if flags & SQLITE_SHM_UNLOCK != 0 {
                release(&held, bits)
            } else if flags & SQLITE_SHM_SHARED != 0 {
                return share(&held, bits)
            } else {
                return take(&held, bits)
            }
            return SQLITE_OK
        }
    }

    func releaseAll(_ held: inout Held) { lock.withLock { release(&held, 0xFF) } }

    private func share(_ held: inout Held, _ bits: UInt8) -> Int32 {
        guard exclusive & ~held.exclusive & bits == 0 else { return SQLITE_BUSY }
        for number in 0..<8 where (bits & ~held.shared) >> number & 1 == 1 { sharedCounts[number] += 1 }
        held.shared |= bits
        return SQLITE_OK
    }

    private func take(_ held: inout Held, _ bits: UInt8) -> Int32 {
        for number in 0..<8 where bits >> number & 1 == 1 {
            let own = Int(held.shared >> number & 1)
            guard sharedCounts[number] == own, (exclusive & ~held.exclusive) >> number & 1 == 0 else {
                return SQLITE_BUSY
            }
        }
        held.exclusive |= bits
        exclusive |= bits
        return SQLITE_OK
    }

    private func release(_ held: inout Held, _ bits: UInt8) {
        for number in 0..<8 where (bits & held.shared) >> number & 1 == 1 { sharedCounts[number] -= 1 }
        exclusive &= ~(bits & held.exclusive)
        held.shared &= ~bits
        held.exclusive &= ~bits
    }
}
