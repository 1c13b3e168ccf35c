import ListModel

/// A small number that stands for an id, dense enough to index a table.
protocol DenseHandle: Hashable {
    var index: Int { get }
}

extension ItemHandle: DenseHandle {}
extension SectionHandle: DenseHandle {}

/// A set of handles as a table, which is fast if many are looked up.
struct HandleMask<Handle: DenseHandle> {
    private var isMember: [Bool]

    /// - Parameter capacity: Above every handle's index.
    init(_ handles: some Sequence<Handle>, capacity: Int) {
        isMember = Array(repeating: false, count: capacity)
        for handle in handles { isMember[handle.index] = true }
    }

    func contains(_ handle: Handle) -> Bool { isMember[handle.index] }
}
