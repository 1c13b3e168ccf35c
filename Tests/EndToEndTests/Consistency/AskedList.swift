import JSONValue
import TestSupport

/// Carries out the operations of writers, slowly and simply, on the rows that the server shows. It is the oracle for
/// the server's own result.
///
/// It knows the operations that the writers send. It is asked only for operations that the server calls applied.
struct AskedList {
    private(set) var list: JSONList

    init(_ list: JSONList) { self.list = list }

    mutating func apply(_ operation: JSONValue) {
        let item = operation["item"]?.string ?? ""
        switch operation["op"]?.string {
        case "moveItem":
            let rows = cut(item)
            insert(rows, operation)
        case "appendItems", "insertItems":
            for item in operation["items"]?.elements ?? [] { insert([item], operation) }
        case "deleteItems":
            for id in operation["items"]?.elements ?? [] { _ = cut(id.string ?? "") }
        case "updateItem":
            update(item) { item in
                var content = JSONObject(item["content"]?.members ?? [])
                for (name, value) in operation["content"]?.members ?? [] { content.set(value, for: name) }
                item.set(.object(content), for: "content")
            }
        case "starItems":
            for id in operation["items"]?.elements ?? [] { update(id.string ?? "") { $0.set(true, for: "starred") } }
        case "toggle":
            update(item) { if $0.remove("starred") == nil { $0.set(true, for: "starred") } }
        case "moveSection": moveSection(operation)
        case "insertSections":
            let start = index(ofSection: operation["after"]).map { $0 + 1 } ?? 0
            list.sections.insert(contentsOf: sections(operation["sections"]), at: start)
        case "deleteSections":
            let ids = operation["sections"]?.elements.map(\.string) ?? []
            list.sections.removeAll { ids.contains($0.id) }
        case "updateList": list.properties.set(operation["title"] ?? .null, for: "title")
        default: break
        }
    }

    // MARK: Sections

    private func index(ofSection id: JSONValue?) -> Int? { list.sections.firstIndex { $0.id == id?.string } }

    private func sections(_ new: JSONValue?) -> [JSONList.Section] {
        JSONList(snapshot: ["sections": new ?? []]).sections
    }

    private mutating func moveSection(_ operation: JSONValue) {
        guard let from = index(ofSection: operation["section"]) else { return }
        let section = list.sections.remove(at: from)
        list.sections.insert(section, at: index(ofSection: operation["before"]) ?? list.sections.endIndex)
    }

    // MARK: Items

    private func place(of id: String) -> (section: Int, index: Int)? {
        for (section, rows) in list.sections.map(\.items).enumerated() {
            if let index = rows.firstIndex(where: { $0["id"]?.string == id }) { return (section, index) }
        }
        return nil
    }

    /// The index behind the item and its descendants.
    private func end(of place: (section: Int, index: Int)) -> Int {
        let rows = list.sections[place.section].items
        var inside: Set = [rows[place.index]["id"]]
        var end = place.index + 1
        while end < rows.count, let parent = rows[end]["parent"], inside.contains(parent) {
            inside.insert(rows[end]["id"])
            end += 1
        }
        return end
    }

    /// Removes an item with its descendants and returns their rows; empty if there is no such item.
    private mutating func cut(_ id: String) -> [JSONValue] {
        guard let place = place(of: id) else { return [] }
        let range = place.index..<end(of: place)
        defer { list.sections[place.section].items.removeSubrange(range) }
        return Array(list.sections[place.section].items[range])
    }

    /// Inserts the rows of a subtree at the place that an operation names. The first row is the root of the others.
    private mutating func insert(_ rows: [JSONValue], _ operation: JSONValue) {
        guard case .object(var root)? = rows.first, let target = target(operation) else { return }
        if let parent = target.parent { root.set(parent, for: "parent") } else { root.remove("parent") }
        list.sections[target.section].items.insert(contentsOf: [.object(root)] + rows.dropFirst(), at: target.index)
    }

    private func target(_ operation: JSONValue) -> (section: Int, index: Int, parent: JSONValue?)? {
        if let anchor = operation["before"] ?? operation["after"] {
            guard let place = place(of: anchor.string ?? "") else { return nil }
            let parent = list.sections[place.section].items[place.index]["parent"]
            return (place.section, operation["before"] == nil ? end(of: place) : place.index, parent)
        }
        if let parent = operation["parent"] {
            guard let place = place(of: parent.string ?? "") else { return nil }
            return (place.section, end(of: place), parent)
        }
        guard let section = index(ofSection: operation["section"]) else { return nil }
        return (section, operation["at"] == "first" ? 0 : list.sections[section].items.count, nil)
    }

    private mutating func update(_ id: String, _ body: (inout JSONObject) -> Void) {
        guard let place = place(of: id), case .object(var item) = list.sections[place.section].items[place.index] else {
            return
        }
        body(&item)
        list.sections[place.section].items[place.index] = .object(item)
    }
}
