import ListDiff
import ListModel
import ListStore

/// The lines of an export are refused, or make lists. A list that was made is the same when its lines come again.
func tryLines(_ input: [UInt8]) throws -> Bool {
    var reader = ImportReader()
    let limits = Store.Limits(
        itemsMax: 1_000, sectionsMax: 100, contentBytesMax: 1 << 20, historyVersionsMax: 10, historyBytesMax: 1 << 20,
        receiptsMax: 10, receiptAgeMax: 100)
    let store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e" })
    var hasMade = false
    do {
        for line in input.split(separator: UInt8(ascii: "\n")) {
            guard let list = try reader.add(Array(line)) else { continue }
            try require(!list.id.rawValue.isEmpty, "a list has no id")
            var write = Write(.operations([.applySnapshot(list.wanted)]), label: "import")
            guard case .success = store.create(list.id, write, mustNotExist: true).result else { continue }
            hasMade = true
            write.isDryRun = true
            guard case .success(let result) = store.submit(list.id, write).result, result.kind == .unchanged else {
                throw BrokenRule(description: "the same lines make another list")
            }
        }
    } catch let error as ImportReader.Bad {
        try require(!error.text.isEmpty, "a refusal says nothing")
        // It is printed on a terminal.
        let isPlain = error.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        try require(isPlain, "a refusal has control characters")
        return false
    }
    return hasMade
}
