internal import Synchronization

/// What one loop has done. Only the thread of the loop adds, so adding is a load and a store. Any thread may read.
///
/// - Safety: `@unchecked` is sound because the pointer is a constant, its cells live as long as this object, and each
///   cell is atomic.
final class Tally: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int>>

    /// The cells of a route: one for each status, then those of its times.
    private static let routeCells = statusCount + timeCells
    private static let timeCells = Times.bucketCount + 1
    private static let lagStart = (routesMax + 1) * routeCells
    private static let countsStart = lagStart + timeCells
    private static let cellCount = countsStart + Count.allCases.count

    /// The greatest number of a route.
    static let routesMax = 63

    /// A number that is not of a route.
    enum Count: Int, CaseIterable {
        case sentBytes, streams, polls, closedUnheard
    }

    init() {
        cells = .allocate(capacity: Self.cellCount)
        for index in 0..<Self.cellCount { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: Self.cellCount)
        cells.deallocate()
    }

    @inline(__always)
    private func add(_ count: Int, at index: Int) {
        let cell = cells + index
        cell.pointee.store(cell.pointee.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    private func read(_ index: Int) -> Int { (cells + index).pointee.load(ordering: .relaxed) }

    @inline(__always)
    func add(_ count: Int, to what: Count) { add(count, at: Self.countsStart + what.rawValue) }

    func value(of what: Count) -> Int { read(Self.countsStart + what.rawValue) }

    // MARK: Requests

    /// - Parameter route: At most `routesMax`.
    @inline(__always)
    func noteAnswer(_ route: UInt8, status: Int, bytes: Int) {
        add(1, at: Int(route) &* Self.routeCells &+ Self.statusIndex(status))
        add(bytes, to: .sentBytes)
    }

    @inline(__always)
    func noteTime(_ route: UInt8, microseconds: UInt64) {
        addTime(microseconds, at: Int(route) &* Self.routeCells &+ Self.statusCount)
    }

    /// The answers by status, those that there are.
    func answers(of route: Int) -> [(status: Int, count: Int)] {
        (0..<Self.statusCount).compactMap { index in
            let count = read(route * Self.routeCells + index)
            return count == 0 ? nil : (Self.status(at: index), count)
        }
    }

    func times(of route: Int) -> Server.Figures.Times { times(at: route * Self.routeCells + Self.statusCount) }

    // MARK: Lag

    func noteLag(microseconds: UInt64) { addTime(microseconds, at: Self.lagStart) }

    var lag: Server.Figures.Times { times(at: Self.lagStart) }

    // MARK: Times

    private typealias Times = Server.Figures.Times

    @inline(__always)
    private func addTime(_ microseconds: UInt64, at start: Int) {
        add(1, at: start &+ Times.bucket(of: microseconds))
        add(Int(truncatingIfNeeded: microseconds), at: start &+ Times.bucketCount)
    }

    private func times(at start: Int) -> Times {
        Times(counts: (0..<Times.bucketCount).map { read(start + $0) }, microseconds: read(start + Times.bucketCount))
    }

    // MARK: Statuses

    /// The first statuses of each hundred, and the index of the first of them.
    private static let hundreds: [(first: Int, count: Int, index: Int)] = [
        (200, 8, 0), (300, 9, 8), (400, 32, 17), (500, 12, 49),
    ]
    /// One for each of them, and one for all others.
    private static let statusCount = 62
    private static let otherStatus = 61

    @inline(__always)
    private static func statusIndex(_ status: Int) -> Int {
        switch status {
        case 200..<208: status &- 200
        case 300..<309: status &- 300 &+ 8
        case 400..<432: status &- 400 &+ 17
        case 500..<512: status &- 500 &+ 49
        default: otherStatus
        }
    }

    /// The status at an index; 0 for all others.
    private static func status(at index: Int) -> Int {
        hundreds.first { ($0.index..<$0.index + $0.count).contains(index) }.map { $0.first + index - $0.index } ?? 0
    }
}
