import JSONValue
import ListModel
import SampleLists
import TestSupport

/// A new list in the first state of a sample.
func installed(_ sample: Sample, seed: UInt64 = Sample.defaultSeed) throws -> ListState {
    var list = ListState(ListProperties(title: ""))
    _ = try list.install(sample, seed: seed)
    return list
}

extension ListState {
    /// Applies the first state of a sample, and returns the edits that this took.
    mutating func install(_ sample: Sample, seed: UInt64 = Sample.defaultSeed) throws -> [Edit] {
        var log = TransactionLog()
        try apply(.applySnapshot(sample.snapshot(seed: seed)), rules: .strict, into: &log)
        return log.edits
    }

    /// Every item in order, hidden ones too.
    var itemIDs: [ItemID] {
        sectionHandles.flatMap { rows(of: $0).map { self[$0].id } }
    }

    /// The strings of one member of the contents of a section, in order.
    func strings(_ member: String, in section: SectionID) -> [String] {
        values(of: member, in: section).compactMap { value in
            guard case .string(let string) = value else { return nil }
            return string.string
        }
    }

    func heights(in section: SectionID) -> [Int] {
        values(of: "height", in: section).compactMap { value in
            guard case .number(let number) = value else { return nil }
            return number.integer
        }
    }

    private func values(of member: String, in section: SectionID) -> [JSONValue] {
        guard let handle = handle(of: section) else { return [] }
        return rows(of: handle).compactMap { row in
            guard case .object(let content) = self[row].content.value else { return nil }
            return content[member]
        }
    }
}
