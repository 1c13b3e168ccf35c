import ListModel
import TestSupport
import Testing

@testable import SQLiteJournal

/// Compares random changes with a dictionary.
@Suite struct ListTableTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func agreesWithADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let range = [10, 3_000].randomElement(using: &random)!
        var (table, known) = (ListTable<Int>(), [ListID: Int]())
        for step in 0..<5_000 {
            let list = ListID("list-\(Int.random(in: 0..<range, using: &random))")!
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                table.remove(list)
                known[list] = nil
            case 1:
                guard let index = table.index(of: list) else { continue }
                table[at: index] += 1
                known[list]? += 1
            default: (table[list], known[list]) = (step, step)
            }
        }
        #expect(table.count == known.count && Set(table.lists) == Set(known.keys))
        for (list, value) in table { #expect(known[list] == value && table[list] == value) }
        for number in 0..<range {
            let list = ListID("list-\(number)")!
            #expect(table[list] == known[list])
        }
    }
}
