import ListModel

@testable import ListDiff

/// Rows and sections with names of one letter, for tables.
enum Letters {
    static func section(_ letter: Character) -> SectionHandle { SectionHandle(number(letter)) }
    static func rows(_ letters: String) -> [ItemHandle] { letters.map { ItemHandle(number($0)) } }

    /// - Parameter text: For example `A:abc B:`, which has two sections.
    static func model(_ text: String) -> RowModel {
        var model = RowModel()
        for part in text.split(separator: " ") {
            guard let name = part.first else { continue }
            model.sections[section(name)] = rows(String(part.dropFirst(2)))
        }
        return model
    }

    static func letter(_ number: Int) -> String {
        UnicodeScalar(UInt32(number)).map { String(Character($0)) } ?? "?"
    }

    private static func number(_ letter: Character) -> Int { letter.unicodeScalars.first.map { Int($0.value) } ?? 0 }
}

extension Step {
    static func insert(_ rows: String, _ section: Character, _ index: Int) -> Step {
        .insertRows(Letters.rows(rows), Letters.section(section), at: index, isPlaced: true)
    }

    static func show(_ rows: String, _ section: Character, _ index: Int) -> Step {
        .insertRows(Letters.rows(rows), Letters.section(section), at: index, isPlaced: false)
    }

    static func delete(_ rows: String, _ section: Character, _ index: Int) -> Step {
        .deleteRows(Letters.rows(rows), Letters.section(section), at: index)
    }

    static func move(_ count: Int, _ section: Character, _ from: Int, _ target: Character, _ to: Int) -> Step {
        .moveRows(count: count, Letters.section(section), from: from, Letters.section(target), to: to)
    }
}

extension RowPlace {
    fileprivate var text: String { Letters.letter(section.index) + String(index) }
}

extension RowChanges {
    /// The changes in short: `-b@A1` removed, `A0»N0` entered, `+A3` arrived, `A0>B1` moved.
    var text: String {
        let parts =
            removed.map { "-" + Letters.letter($0.handle.index) + "@" + $0.place.text }
            + entered.map { $0.from.text + "»" + $0.to.text } + arrived.map { "+" + $0.text }
            + moved.map { $0.from.text + ">" + $0.to.text }
        return parts.joined(separator: " ")
    }
}
