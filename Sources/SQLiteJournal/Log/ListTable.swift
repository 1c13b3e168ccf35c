internal import ListModel

/// Values by the ids of lists, without gaps between them.
///
/// There may be a million lists. A dictionary keeps up to five of eight places empty, each with room for an id and a
/// value.
struct ListTable<Value: Sendable>: Sendable {
    private(set) var lists: [ListID] = []
    private var values: [Value] = []
    /// The index of each list.
    private var table = HandleTable()

    var count: Int { lists.count }

    /// The index of a list; nil if the table does not have it. It is valid until a list is removed.
    func index(of list: ListID) -> Int? {
        table.find(list.tableHash) { lists[Int($0)] == list }.map { Int($0) }
    }

    subscript(at index: Int) -> Value {
        _read { yield values[index] }
        _modify { yield &values[index] }
    }

    subscript(list: ListID) -> Value? {
        get { index(of: list).map { values[$0] } }
        set {
            guard let newValue else { return remove(list) }
            guard let index = index(of: list) else { return add(newValue, of: list) }
            values[index] = newValue
        }
    }

    /// Adds the value of a list that is not in the table. Its index is `count` before the call.
    mutating func add(_ value: Value, of list: ListID) {
        table.insert(Int32(lists.count), hash: list.tableHash)
        lists.append(list)
        values.append(value)
    }

    /// Removes a list, if it is there. The last list takes its index.
    mutating func remove(_ list: ListID) {
        guard let index = index(of: list) else { return }
        let last = lists.count - 1
        table.remove(Int32(index), hash: list.tableHash)
        if index < last {
            let hash = lists[last].tableHash
            table.remove(Int32(last), hash: hash)
            table.insert(Int32(index), hash: hash)
            lists.swapAt(index, last)
            values.swapAt(index, last)
        }
        lists.removeLast()
        values.removeLast()
    }
}

extension ListTable: Sequence {
    func makeIterator() -> AnyIterator<(key: ListID, value: Value)> {
        var index = 0
        return AnyIterator { [lists, values] in
            guard index < lists.count else { return nil }
            defer { index += 1 }
            return (lists[index], values[index])
        }
    }
}
