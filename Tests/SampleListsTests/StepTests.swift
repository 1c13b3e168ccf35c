import JSONValue
import ListDiff
import ListModel
import SampleLists
import TestSupport
import Testing

@Suite struct WiFiStepTests {
    private static let toggle: ItemID = "config.wi-fi"

    /// The expected steps are written down, because a changed generator would show every client other networks.
    @Test func theFirstStepsOfASeed() throws {
        var list = try installed(.wifi, seed: 7)
        var counts: [Int] = []
        for _ in 0..<8 {
            _ = try list.step(.wifi)
            counts.append(list.networks.count)
        }
        #expect(counts == [9, 13, 14, 16, 15, 12, 9, 5])
        #expect(
            list.networks == [
                "networks.living-room", "networks.marketingdropbox", "networks.overland101", "networks.second-floor",
                "networks.theroomwifi",
            ])
    }

    @Test("a step is repeatable, and only takes networks away or brings them back", arguments: Soak.seeds(40))
    func scans(seed: UInt64) throws {
        var list = try installed(.wifi, seed: seed)
        let all = list.networks
        for step in 0..<30 {
            let (before, networks) = (list, list.networks)
            let changes = try list.step(.wifi, seed: seed &+ UInt64(step))
            let (gone, come) = (Set(networks).subtracting(list.networks), Set(list.networks).subtracting(networks))
            #expect(!gone.isEmpty || !come.isEmpty)
            #expect(Set(changes.items.deleted.map { $0.id }) == gone)
            #expect(Set(changes.items.inserted.map { $0.row.item.id }) == come)
            #expect(changes.items.moved.isEmpty && changes.items.reconfigured.isEmpty && changes.sections.isEmpty)
            #expect(!list.networks.isEmpty)
            #expect(list.networks == all.filter(list.networks.contains), "Sorted as they were.")
            var again = before
            _ = try again.step(.wifi, seed: seed &+ UInt64(step))
            #expect(ListImage(again) == ListImage(list))
        }
    }

    @Test("case 22: off takes a section and a row away, on brings both back with their ids")
    func theSwitch() throws {
        var list = try installed(.wifi)
        let start = ListImage(list)
        try list.turn("enabled", false)
        let off = try list.step(.wifi)
        #expect(list.notation == "config:config.wi-fi")
        #expect(off.sections.deleted.map(\.index) == [1])
        #expect(off.items.deleted.map { $0.id } == ["config.breeno-net"])
        #expect(try list.step(.wifi).isEmpty)
        try list.turn("enabled", true)
        let on = try list.step(.wifi)
        #expect(on.sections.inserted.map(\.index) == [1])
        #expect(on.items.inserted.map { $0.row.item.id } == ["config.breeno-net"])
        #expect(ListImage(list) == start)
    }

    @Test func nothingHappensWithoutScanning() throws {
        var list = try installed(.wifi)
        try list.turn("scanning", false)
        #expect(try list.step(.wifi).isEmpty)
    }

    /// Clients may write anything into the list. A step then does its best, or nothing.
    @Test(
        arguments: [
            .deleteAllItems, .deleteItems(["config.wi-fi"]), .deleteSections(["config"]), .deleteSections(["networks"]),
            .moveItem("networks.courage", .first(.section("config"))),
            .moveItem("networks.courage", .first(.parent("config.breeno-net"))),
            .moveItem("networks.airspace1", .last(.section("networks"))),
            .setExpanded(["networks.courage"], true),
            .updateItem("config.wi-fi", ItemChanges(replacing: ["seed": -1])),
            .updateItem("config.wi-fi", ItemChanges(replacing: ["seed": "x", "enabled": 1, "scanning": []])),
        ] as [ListModel.Operation])
    func survivesItsClients(_ operation: ListModel.Operation) throws {
        var list = try installed(.wifi)
        try list.commit(operation)
        for _ in 0..<20 { _ = try list.step(.wifi) }
        let sections = list.sectionHandles.map { list[$0].id }
        #expect(sections.count <= 2)
    }
}

@Suite struct InsertionSortStepTests {
    @Test("each step moves one node of each unsorted section and nothing else, until all are sorted")
    func sorts() throws {
        var list = try installed(.insertionSort, seed: 7)
        var steps = 0
        while true {
            let unsorted = list.sectionHandles.filter { !list.isSorted($0) }
            let changes = try list.step(.insertionSort)
            guard !unsorted.isEmpty else {
                #expect(changes.isEmpty)
                break
            }
            steps += 1
            #expect(changes.items.moved.count == unsorted.count)
            #expect(Set(changes.items.moved.map(\.to.section)).count == unsorted.count)
            #expect(changes.items.moved.allSatisfy { $0.from.section == $0.to.section && $0.from.index > $0.to.index })
            #expect(changes.items.inserted.isEmpty && changes.items.deleted.isEmpty)
            #expect(changes.items.reconfigured.isEmpty && changes.sections.isEmpty)
        }
        #expect(steps == 22, "At most one for each node but the first.")
        #expect(list.itemIDs.prefix(3) == ["row-0.0", "row-0.1", "row-0.2"])
    }

    @Test func theFirstStepOfASeed() throws {
        var list = try installed(.insertionSort, seed: 7)
        let row = { (list: ListState) in list.rows(of: list.sectionHandles[0]).prefix(6).map { list[$0].id } }
        #expect(row(list) == ["row-0.4", "row-0.10", "row-0.2", "row-0.12", "row-0.9", "row-0.11"])
        _ = try list.step(.insertionSort)
        #expect(row(list) == ["row-0.2", "row-0.4", "row-0.10", "row-0.12", "row-0.9", "row-0.11"])
    }

    @Test("a reset shuffles again and keeps every id: moves only")
    func reset() throws {
        var list = try installed(.insertionSort, seed: 7)
        let ids = Set(list.itemIDs)
        let changes = try list.changes([.applySnapshot(Sample.insertionSort.snapshot(seed: 8))])
        #expect(Set(list.itemIDs) == ids)
        #expect(!changes.items.moved.isEmpty)
        #expect(changes.items.inserted.isEmpty && changes.items.deleted.isEmpty && changes.items.reconfigured.isEmpty)
    }

    @Test("a node without a value, or below another, is passed over")
    func strangers() throws {
        var list = try installed(.insertionSort)
        try list.commit(.appendItems([NewItem("stranger", value: ItemChanges())], .section("row-0")))
        try list.commit(.moveItem("row-1.0", .last(.parent("row-1.1"))))
        for _ in 0..<30 { _ = try list.step(.insertionSort) }
        #expect(list.sectionHandles.dropFirst(2).allSatisfy(list.isSorted))
        #expect(list.rows(of: list.sectionHandles[0]).last.map { list[$0].id } == "stranger")
    }
}

@Suite struct StillSampleTests {
    @Test(arguments: Sample.allCases)
    func onlyTwoMove(_ sample: Sample) throws {
        #expect(sample.moves == [.wifi, .insertionSort].contains(sample))
        #expect(try (installed(sample).stepCount(sample) > 0) == sample.moves)
    }
}

extension ItemChanges {
    init(replacing content: JSONValue) {
        self.init()
        self.content = .replace(JSONText(content))
    }
}

extension ListState {
    fileprivate var networks: [ItemID] {
        handle(of: "networks" as SectionID).map { rows(of: $0).map { self[$0].id } } ?? []
    }

    fileprivate func stepCount(_ sample: Sample) -> Int { sample.step(from: self, seed: nil).count }

    /// Makes a step and returns its changes.
    fileprivate mutating func step(_ sample: Sample, seed: UInt64? = nil) throws -> ChangeSet {
        try changes(sample.step(from: self, seed: seed))
    }

    fileprivate mutating func changes(_ operations: [ListModel.Operation]) throws -> ChangeSet {
        let delta = try commit(operations)
        return ChangeSet(undoing: delta, to: self, view: .items)
    }

    fileprivate mutating func turn(_ member: String, _ value: Bool) throws {
        var changes = ItemChanges()
        changes.content = .merge(JSONText(.object(JSONObject([(member, .bool(value))]))))
        try commit(.updateItem("config.wi-fi", changes))
    }

    fileprivate func isSorted(_ section: SectionHandle) -> Bool {
        let values = rows(of: section).compactMap { row -> Int? in
            guard case .object(let content) = self[row].content.value, case .number(let number)? = content["value"]
            else { return nil }
            return number.integer
        }
        return values == values.sorted()
    }
}
