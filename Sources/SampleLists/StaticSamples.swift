import JSONValue
import Layouts
import ListModel
import Texts

// MARK: - Emojis and numbers

/// Well-known faces, each one grapheme. 😶‍🌫️ is written with its zero-width joiner as an escape.
private let faces: [ByteText] = [
    "😀", "😃", "😄", "😁", "😆", "😅", "😂", "🙂", "😉", "😊", "😇", "😍", "😎", "🤔", "😴", "🥳",
    "\u{1F636}\u{200D}\u{1F32B}\u{FE0F}",
]

private let faceRow = Layout(
    .orthogonal(
        .continuousGroupLeadingBoundary,
        Groups(
            Group(
                .horizontal, width: .absolute(100), height: .absolute(100), .repeated(.whole(insets: .all(20)))))),
    cells: ["emoji": Cell(.emoji, text: "text")])

extension Sample {
    var emojisAndNumbersSnapshot: WantedSnapshot {
        WantedSnapshot(
            title: title,
            whole: [
                WantedSection("emojis", title: "Emojis", layout: faceRow, whole: faceItems),
                WantedSection(
                    "numbers", title: "Numbers",
                    layout: Layout(.list(ListStyle(.insetGrouped)), cells: ["number": Cell(.cell, text: "number")]),
                    whole: numberItems),
            ])
    }

    private var faceItems: [NewItem] {
        var namer = ItemNamer(section: "emojis")
        return faces.map { NewItem(namer.name(for: $0), kind: "emoji", content: ["text": .string($0)]) }
    }

    private var numberItems: [NewItem] {
        var namer = ItemNamer(section: "numbers")
        return (0...100).map { NewItem(namer.name(for: "\($0)"), kind: "number", content: ["number": .integer($0)]) }
    }
}

// MARK: - Main and sub

extension Sample {
    var mainSubSnapshot: WantedSnapshot {
        let layout = Layout(
            .list(ListStyle(.grouped, headerMode: .firstItemInSection)),
            cells: ["header": Cell(.header, text: "title"), "text": Cell(.cell, text: "title")])
        return WantedSnapshot(
            title: title, layout: layout,
            whole: [
                section("main", header: "Main Item", rows: ["First", "Second", "Third"]),
                section("sub", header: "Sub Item", rows: ["first", "second", "third"]),
            ])
    }

    private func section(_ id: ByteText, header: ByteText, rows: [ByteText]) -> WantedSection {
        var namer = ItemNamer(section: id)
        let first = NewItem(namer.name(for: header), kind: "header", content: ["title": .string(header)])
        let others = rows.map { NewItem(namer.name(for: $0), kind: "text", content: ["title": .string($0)]) }
        return WantedSection(id, whole: [first] + others)
    }
}
