import ListModel

/// A small number that stands for an id, dense enough to index a table.
protocol DenseHandle: Hashable {
    var index: Int { get }
}

extension ItemHandle: DenseHandle {}
extension SectionHandle: DenseHandle {}

/// Membership of handles as a table: for when many are asked about.
struct HandleMask<Handle: DenseHandle> {
    private var isMember: [Bool]

    /// - Parameter capacity: Above every handle's index.
    init(_ handles: some Sequence<Handle>, capacity: Int) {
        isMember = Array(repeating: false, count: capacity)
        for handle in handles { isMember[handle.index] = true }
    }

    func contains(_ handle: Handle) -> Bool { isMember[handle.index] }
}

/// Finds where handles stand in a run of rows: by looking while that is cheap, then by a table.
struct PositionFinder<Handle: DenseHandle> {
    private let rows: ArraySlice<Handle>
    private let capacity: Int
    /// Rows that may still be looked at before a table pays.
    private var budget: Int
    /// By handle: an offset in `rows`, to be checked there, because entries of other handles are zero.
    private var dense: [Int32] = []
    private var hashed: [Handle: Int32] = [:]

    /// - Parameter capacity: Above every handle's index.
    init(_ rows: ArraySlice<Handle>, capacity: Int) {
        self.rows = rows
        self.capacity = capacity
        budget = 4 * rows.count + 16
    }

    /// The index of `handle`, looked for from `hint` on.
    mutating func position(of handle: Handle, near hint: Int) -> Int? {
        guard !rows.isEmpty else { return nil }
        guard budget <= 0 else { return look(for: handle, from: min(max(hint, rows.startIndex), rows.endIndex)) }
        if dense.isEmpty, hashed.isEmpty { makeTable() }
        guard !dense.isEmpty else { return hashed[handle].map { rows.startIndex + Int($0) } }
        let position = rows.startIndex + Int(dense[handle.index])
        return rows[position] == handle ? position : nil
    }

    private mutating func look(for handle: Handle, from start: Int) -> Int? {
        if let position = rows[start...].firstIndex(of: handle) {
            budget -= position - start
            return position
        }
        let position = rows[..<start].firstIndex(of: handle)
        budget -= rows.endIndex - start + (position ?? start) - rows.startIndex
        return position
    }

    private mutating func makeTable() {
        guard capacity <= 16 * rows.count else {
            hashed.reserveCapacity(rows.count)
            for (offset, handle) in rows.enumerated() { hashed[handle] = Int32(truncatingIfNeeded: offset) }
            return
        }
        dense = Array(repeating: 0, count: capacity)
        for (offset, handle) in rows.enumerated() { dense[handle.index] = Int32(truncatingIfNeeded: offset) }
    }
}
