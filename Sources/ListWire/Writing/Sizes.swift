package import ListDiff
internal import ListModel

// About how many bytes of JSON something is, before it is written. Members of a few bytes are not looked at.

extension Catchup {
    /// About how many bytes the body has.
    ///
    /// - Parameters: As for `body(list:_:_:note:)`.
    /// - Complexity: O(rows in the body); O(1) for all rows of a view.
    package func estimatedBytes(_ rows: RowQuery, _ viewed: ViewedRows?) -> Int {
        switch self {
        case .changes(let changes, _, _, _):
            return fewBytes + changes.estimatedBytes
        case .reset(let snapshot):
            let state = snapshot.state
            guard viewed != nil || !rows.isWhole else {
                return fewBytes + state.textBytes + rowBytes * state.itemCount
                    + sectionBytes * state.sectionHandles.count
            }
            return fewBytes + (viewed ?? ViewedRows(rows, of: state)).estimatedBytes
        }
    }
}

extension ViewedRows {
    fileprivate var estimatedBytes: Int {
        sectionHandles.reduce(state.propertyBytes) { sum, section in
            rows(of: section).reduce(sum + sectionBytes) { $0 + rowBytes + state.contentByteCount(of: $1) }
        }
    }
}

extension ChangeSet {
    fileprivate var estimatedBytes: Int {
        let placed = sections.inserted + sections.reloaded
        let few = sections.deleted.count + sections.moved.count + items.deleted.count + items.moved.count
        var sum = few * rowBytes + properties.estimatedBytes
        for one in placed {
            sum += one.section.properties.textByteCount + sectionBytes + bytes(one.section.items) { $0 }
        }
        for one in sections.reconfigured { sum += one.properties.textByteCount + sectionBytes }
        for rows in [items.inserted, items.reconfigured, items.reloaded] { sum += bytes(rows) { $0.row } }
        return sum
    }

    private func bytes<Element>(_ elements: [Element], _ row: (Element) -> ItemRow) -> Int {
        elements.reduce(0) { $0 + rowBytes + row($1).item.content.byteCount }
    }
}

extension ListChanges {
    fileprivate var estimatedBytes: Int {
        var sum = 0
        if case .set(let title) = title { sum += title.utf8.count }
        if case .set(let layout?) = layout { sum += layout.byteCount }
        return sum
    }
}

private let fewBytes = 256
/// The bytes of a row without its content, with a place.
private let rowBytes = 160
/// The bytes of a section without its texts.
private let sectionBytes = 160
