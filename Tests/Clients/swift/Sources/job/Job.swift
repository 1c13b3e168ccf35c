import Foundation
import OpenAPIClient

/// The main job with the client that swift6 of openapi-generator makes: `job http://127.0.0.1:8080`.
@main struct Job {
    static let list = "swift6"

    static func main() async throws {
        OpenAPIClientAPIConfiguration.shared.basePath = CommandLine.arguments[1]

        let fruits = ["Apple", "Pear", "Plum"].map { name in
            WantedItemOrId.typeWantedItem(
                WantedItem(id: name.lowercased(), kind: "product", content: ["name": .string(name)]))
        }
        let sections = [WantedSection(id: "fruit", title: "Fruit", items: fruits), WantedSection(id: "bread")]
        let wanted = WantedSnapshot(title: "Groceries", sections: sections)
        let first = try await ListsAPI.putList(list: list, wantedSnapshot: wanted)?.version

        let snapshot = try await ListsAPI.getList(list: list)
        expect(snapshot.title == "Groceries" && snapshot.version == first && snapshot.counts.items == 3)
        expect(snapshot.sections?[0].items?[1].content["name"] == JSONValue.string("Pear"))

        let starred = try await ItemsAPI.starItem(list: list, item: "apple")
        expect(starred?.operations?[0].status == "applied")
        expect(try await ItemsAPI.getItem(list: list, item: "apple").starred == true)

        let ordered = try await reorder(SectionOrder(_final: ["plum", "apple", "pear"]))
        expect(try await fruit() == ["plum", "apple", "pear"])
        let difference = OrderDifference(
            insertions: [OrderInsertion(offset: 2, element: "plum", associatedOffset: 0)],
            removals: [OrderRemoval(offset: 0, element: "plum", associatedOffset: 2)])
        expect(try await reorder(SectionOrder(difference: difference), base: ordered?.version)?.changed == true)
        expect(try await fruit() == ["apple", "pear", "plum"])

        let roll = NewItemOrId.typeNewItem(NewItem(id: "roll", content: ["name": .string("Roll")]))
        let operations: [ListOperation] = [
            .typeMoveItem(MoveItem(op: .moveitem, item: "pear", before: "apple")),
            .typeAppendItems(AppendItems(op: .appenditems, items: [roll], section: "bread")),
            .typeStarItems(StarItems(op: .staritems, items: ["roll"])),
        ]
        let transaction = ListTransaction(operations: operations, label: "phone")
        let result = try await TransactionsAPI.postTransaction(list: list, listTransaction: transaction)
        expect(result?.operations?.map(\.status) == ["applied", "applied", "applied"])

        guard case .typeChangeSet(let changes) = try await ChangesAPI.getChanges(list: list, since: first) else {
            fatalError("A reset instead of changes.")
        }
        expect(changes.from == first && changes.to == result?.version)
        expect(changes.items?.inserted?[0].item.content["name"] == JSONValue.string("Roll"))

        for since in [nil, "other-7"] {
            guard case .typeListReset(let reset) = try await ChangesAPI.getChanges(list: list, since: since) else {
                fatalError("Changes instead of a reset.")
            }
            expect(reset.reset && reset.snapshot.version == result?.version)
        }

        async let waiting = ChangesAPI.getChanges(list: list, since: result?.version, wait: 20)
        let unstarred = try await ItemsAPI.unstarItem(list: list, item: "apple")
        guard case .typeChangeSet(let later) = try await waiting else { fatalError("A reset instead of changes.") }
        expect(later.to == unstarred?.version && later.items?.reconfigured?[0].item.id == "apple")
        print("openapi-generator, swift6: done")
    }

    static func reorder(_ order: SectionOrder, base: String? = nil) async throws -> WriteResult? {
        try await TransactionsAPI.postReorder(list: list, reorder: Reorder(sections: ["fruit": order], base: base))
    }

    static func fruit() async throws -> [String] {
        try await ListsAPI.getList(list: list).sections?[0].items?.map(\.id) ?? []
    }

    static func expect(_ holds: Bool, line: Int = #line) {
        guard !holds else { return }
        print("Line \(line) does not hold.")
        exit(1)
    }
}
