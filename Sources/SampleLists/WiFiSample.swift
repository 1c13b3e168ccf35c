import JSONValue
import Layouts
import ListModel
import Texts

// A settings page that looks for networks. The switch is an item, so every client can turn it.

/// The names in the order in which they are shown, sorted by bytes.
private let networkNames: [ByteText] = [
    "404NotFound", "AirSpace1", "Courage", "Evergreen", "FBI Surveillance Van", "GingerGymnist", "HamiltonVille",
    "Living Room", "MarketingDropBox", "Nacho WiFi", "Overland101", "Peacock-Swagger", "PrivateSpace", "SNAGVille",
    "Second Floor", "TheRoomWiFi", "__hidden_in_plain__sight__",
]

private let toggle: ItemID = "config.wi-fi"

private var current: NewItem {
    NewItem("config.breeno-net", kind: "network", content: ["title": "breeno-net"])
}

private var networks: [NewItem] {
    var namer = ItemNamer(section: "networks")
    return networkNames.map { NewItem(namer.name(for: $0), kind: "network", content: ["title": .string($0)]) }
}

extension Sample {
    func wifiSnapshot(seed: UInt64) -> WantedSnapshot {
        let layout = Layout(
            .list(ListStyle(.insetGrouped, headerMode: .supplementary)),
            cells: [
                "toggle": Cell(.cell, text: "title", accessories: [Accessory(.switch)]),
                "network": Cell(.cell, text: "title", accessories: [Accessory(.detail)]),
            ])
        let content: JSONValue = [
            "title": "Wi-Fi", "enabled": true, "scanning": true, "seed": .integer(Int(truncatingIfNeeded: seed)),
        ]
        return WantedSnapshot(
            title: title, layout: layout,
            whole: [
                WantedSection("config", whole: [NewItem(toggle, kind: "toggle", content: content), current]),
                WantedSection("networks", title: "Networks", whole: networks),
            ])
    }
}

// MARK: - A step

/// The values in the switch's content. A client may have written anything there, and a missing or wrong value gives the
/// default.
private struct Settings {
    var isEnabled = true
    var isScanning = true
    var seed = Sample.defaultSeed

    init(_ list: ListState) {
        guard let item = list.handle(of: toggle), case .object(let content) = list[item].content.value else { return }
        isEnabled = content["enabled"] != false
        isScanning = content["scanning"] != false
        guard case .number(let number)? = content["seed"], let seed = number.integer else { return }
        self.seed = UInt64(bitPattern: Int64(seed))
    }
}

extension ListState {
    /// One step: removes or brings back the networks if the switch was turned, otherwise scans once.
    ///
    /// The result of a scan depends only on the seed and on the networks that are there.
    ///
    /// - Parameter seed: Nil stands for the seed with which the sample was installed.
    func wifiStep(seed: UInt64?) -> [Operation] {
        let settings = Settings(self)
        guard settings.isEnabled else { return turnedOff }
        let missing = turnedOn
        guard missing.isEmpty, settings.isScanning else { return missing }
        return scan(seed: seed ?? settings.seed)
    }

    /// What follows from the switch: the networks go or come back.
    var wifiConsequences: [Operation] {
        guard hasGenuineSwitch else { return [] }
        return Settings(self).isEnabled ? turnedOn : turnedOff
    }

    /// Whether the list has the switch of the sample, with all of its values.
    var hasGenuineSwitch: Bool {
        guard let item = handle(of: toggle), self[item].kind == "toggle",
            case .object(let content) = self[item].content.value, case .bool? = content["enabled"],
            case .bool? = content["scanning"], case .number? = content["seed"]
        else { return false }
        return true
    }

    private var turnedOff: [Operation] {
        let item: [Operation] = contains(current.id) ? [.deleteItems([current.id])] : []
        return item + (contains("networks" as SectionID) ? [.deleteSections(["networks"])] : [])
    }

    /// Brings back the sections and items that a scan needs.
    private var turnedOn: [Operation] {
        guard contains("config" as SectionID) else { return [] }
        let item: [Operation] = contains(current.id) ? [] : [.appendItems([current], .section("config"))]
        guard !contains("networks" as SectionID) else { return item }
        let properties = SectionProperties(id: "networks", title: "Networks")
        let absent = networks.filter { !contains($0.id) }
        return item + [.appendSections([NewSection(properties, items: absent)])]
    }

    /// Scans again until the networks differ, at most 100 times, and returns the operations that lead there.
    private func scan(seed: UInt64) -> [Operation] {
        let all = networks
        let present = all.indices.filter { contains(all[$0].id) }
        guard let section = handle(of: "networks" as SectionID) else { return [] }
        let mask = present.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
        var generator = SplitMix64(seed: seed &+ mask &* 0x9E37_79B9_7F4A_7C15)
        var wanted = Set(present)
        for _ in 0..<100 where wanted == Set(present) { wanted.scan(all.count, &generator) }
        let gone = present.filter { !wanted.contains($0) }.map { all[$0].id }
        let deletion: [Operation] = gone.isEmpty ? [] : [.deleteItems(gone)]
        // The arrivals go from the last to the first, so that each finds the network before which it is inserted.
        let arrivals = wanted.subtracting(present).sorted(by: >).map { index -> Operation in
            let next = wanted.filter { $0 > index }.sorted().first { next in
                !present.contains(next) || handle(of: all[next].id).flatMap(self.section(of:)) == section
            }
            guard let next else { return .appendItems([all[index]], .section("networks")) }
            return .insertItems([all[index]], ItemAnchor(.before, all[next].id))
        }
        return deletion + arrivals
    }
}

extension Set<Int> {
    /// One scan: a random part of the networks goes, and a random part of the missing ones comes. If none is left, all
    /// come.
    fileprivate mutating func scan(_ total: Int, _ generator: inout SplitMix64) {
        if !isEmpty, generator.draw(below: 3) == 0 {
            var order = sorted()
            order.shuffle(with: &generator)
            subtract(order.prefix(generator.draw(below: count)))
        }
        if count < total, generator.draw(below: 3) == 0 {
            var order = (0..<total).filter { !contains($0) }
            order.shuffle(with: &generator)
            formUnion(order.prefix(generator.draw(below: order.count)))
        }
        if isEmpty { formUnion(0..<total) }
    }
}
