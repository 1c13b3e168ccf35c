import Testing

@testable import ListModel

/// Requires that the parts of a state agree with each other, by looking at every row.
func requireInvariants(_ state: ListState) throws {
    let contents = (0..<state.items.count).map { state.items[$0].item.content.byteCount }
    try #require(state.contentBytes == contents.reduce(0, +))
    var propertyBytes = state.properties.title.utf8.count + (state.properties.layout?.byteCount ?? 0)
    for index in 0..<state.sections.count {
        let section = state.sections[index].properties
        let texts = [section.layout, section.header, section.footer].compactMap(\.self)
        propertyBytes += (section.title?.utf8.count ?? 0) + texts.reduce(0) { $0 + $1.byteCount }
    }
    try #require(state.propertyBytes == propertyBytes)
    try #require(state.presentBytes == presentBytes(of: state))
    var count = 0
    for section in state.order.handles {
        try #require(state.sections[section.index].isAlive)
        try #require(state.handle(of: state[section].id) == section)
        var ancestors: [ItemHandle] = []
        var shown = 0
        for (index, handle) in state.rows(of: section).enumerated() {
            let record = state.items[handle.index]
            try #require(record.section == section)
            try #require(state.handle(of: record.item.id) == handle)
            try #require(record.level <= ancestors.count)
            ancestors.removeLast(ancestors.count - Int(record.level))
            try #require(record.parent == ancestors.last)
            ancestors.append(handle)
            count += 1
            try #require(state.index(of: handle) == index)
            try #require(state.row(at: index, of: section) == handle)
            let end = index + 1 + state.descendantCount(of: handle)
            let run = state.rows(index..<end, of: section)
            try #require(run.dropFirst().allSatisfy { state.level(of: $0) > Int(record.level) })
            let next = end < state.rowCount(of: section) ? state.row(at: end, of: section) : nil
            try #require(next.map { state.level(of: $0) <= Int(record.level) } ?? true)
            try #require(run.count { state.parent(of: $0) == handle } == Int(record.childCount))
            let isShown = ancestors.dropLast().allSatisfy { state[$0].isExpanded }
            try #require(state.isShown(handle) == isShown)
            try #require(state.visibleIndex(of: handle) == (isShown ? shown : nil))
            if isShown { shown += 1 }
        }
        try #require(state.visibleRowCount(of: section) == shown)
        try #require(state.visibleRows(of: section).count == shown)
    }
    try #require(state.itemCount == count)
    try #require(Set(state.order.handles).count == state.order.count)
    try #require(state.sections.count(where: \.isAlive) == state.order.count)
    try #require(state.items.count(where: \.isAlive) == count)
    try #require(state.sections.allSatisfy { $0.isAlive || $0.rows.isEmpty })
}

/// The bytes of the texts of a list, counted one by one.
private func presentBytes(of state: ListState) -> Int {
    func bytes(_ texts: JSONText?...) -> Int { texts.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
    var sum = state.properties.title.utf8.count + bytes(state.properties.layout)
    for section in state.order.handles {
        let properties = state[section]
        sum += properties.title?.utf8.count ?? 0
        sum += bytes(properties.layout, properties.header, properties.footer)
        for row in state.rows(of: section) { sum += bytes(state[row].content) }
    }
    return sum
}
