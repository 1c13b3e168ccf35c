import JSONValue
import Layouts
import ListModel
import Texts

// 24 rows of 24 shuffled colours, which sort themselves. So many fill a screen of 390 × 844 points.

private let rowCount = 24
private let columnCount = 24

extension Sample {
    func insertionSortSnapshot(seed: UInt64) -> WantedSnapshot {
        let layout = Layout(
            .grid(Groups(.row(height: .absolute(34), .repeated(.whole(), count: columnCount)))),
            cells: ["node": Cell(.cell, text: "label", background: Background(hue: "hue"))])
        var generator = SplitMix64(seed: seed)
        let sections = (0..<rowCount).map { row in
            let id: ByteText = "row-\(row)"
            var namer = ItemNamer(section: id)
            var nodes = (0..<columnCount).map { value in
                NewItem(
                    namer.name(for: "\(value)"), kind: "node", content: ["value": .integer(value), "hue": hue(value)])
            }
            nodes.shuffle(with: &generator)
            return WantedSection(id, whole: nodes)
        }
        return WantedSnapshot(title: title, layout: layout, whole: sections)
    }

    private func hue(_ value: Int) -> JSONValue {
        JSONNumber(literal: (Double(value) / Double(columnCount)).description).map(JSONValue.number) ?? 0
    }
}

// MARK: - A step

extension ListState {
    /// One step: in each unsorted section, the first node that is less than its neighbour in front moves to its place.
    ///
    /// This is insertion sort without the steps that move nothing. It depends only on where the nodes stand, so a row
    /// that a user has changed is sorted too.
    var insertionSortStep: [Operation] {
        sectionHandles.compactMap { section in
            let nodes = rows(of: section).compactMap(node)
            guard let index = nodes.indices.dropFirst().first(where: { nodes[$0].value < nodes[$0 - 1].value }) else {
                return nil
            }
            let moved = nodes[index]
            return nodes.first { $0.value > moved.value }.map {
                .moveItem(moved.id, .anchor(ItemAnchor(.before, $0.id)))
            }
        }
    }

    /// The id and the value of a root that has one; nil for other items, which a client may have added.
    private func node(_ row: ItemHandle) -> (id: ItemID, value: Int)? {
        let item = self[row]
        guard level(of: row) == 0, case .object(let content) = item.content.value,
            case .number(let number)? = content["value"], let value = number.integer
        else { return nil }
        return (item.id, value)
    }
}
