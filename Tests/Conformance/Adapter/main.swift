// Holds ListStateClient against the cases, as Tests/Conformance/README.md says: one case a line, one answer a line.

import Foundation
import JSONValue
import ListDiff
import ListModel
import ListStateClient
import ListWire
import Synchronization
import Texts

struct Trouble: Error { let text: String }

/// A case as the runner tells it.
struct Case {
    let state: JSONSlice
    let changes: [JSONSlice]
    let pending: [JSONSlice]
    /// The view whose rows the client is to show.
    let view: View
    /// The rows that the server is to make; nil for all.
    let query: ListQuery?

    init(_ line: [UInt8]) throws {
        let whole = try JSONSlice(checking: line, levelsAround: 24)
        guard let state = whole["state"] else { throw Trouble(text: "no state") }
        self.state = state
        (changes, pending) = (whole["changes"]?.elements ?? [], whole["pending"]?.elements ?? [])
        view = whole["show"] == nil ? .items : .visible
        var query = whole["view"].map { ListQuery($0) }
        if view == .visible { query?.rows = .visible }
        self.query = query
    }
}

/// The server of one case: the state, then the changes when they are let go, and an answer for each edit.
final class Scene: Transport {
    private struct Told {
        var stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?
        var answered = 0
        var trouble: String?
    }

    private let scene: Case
    private let told = Mutex(Told())

    init(_ scene: Case) { self.scene = scene }

    /// What the client has not taken.
    var trouble: String? { told.withLock { $0.trouble } }

    func tell(_ change: JSONSlice) {
        let name = change["reset"] == nil ? "change" : "reset"
        told.withLock { _ = $0.stream?.yield(Self.event(name, change.bytes)) }
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        let (body, stream) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let (id, version) = (scene.state["id"]?.bytes ?? [], scene.state["version"]?.bytes ?? [])
        let data = [
            #"{"list":"#.utf8 + id, #","to":"#.utf8 + version, #","reset":true,"snapshot":"#.utf8 + scene.state.bytes,
            Array("}".utf8),
        ]
        stream.yield(Self.event("reset", data.flatMap { $0 }))
        told.withLock { $0.stream = stream }
        return (WireHead(code: 200, fields: [:]), body)
    }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        guard request.method == "POST" else {
            told.withLock { $0.trouble = "the client has not taken the changes, and asks for \(request.target)" }
            return (WireHead(code: 503, fields: [:]), [])
        }
        let edit = scene.pending[told.withLock { $0.answered }]
        guard edit["answered"] != nil || edit["refused"] != nil else {
            // An edit without an answer to the end keeps its request open.
            try await Task.sleep(for: .seconds(60))
            throw CancellationError()
        }
        told.withLock { $0.answered += 1 }
        var fields = request.fields.filter { $0.key == "Client-Sequence" }
        if let code = edit["refused"] {
            return (WireHead(code: 409, fields: fields), #"{"status":409,"code":"#.utf8 + code.bytes + Array("}".utf8))
        }
        fields["Content-Type"] = "application/json"
        let outcomes = (edit["operations"]?.elements ?? []).map { _ in #"{"status":"applied"}"# }
        let operations = #","operations":[\#(outcomes.joined(separator: ","))]}"#
        return (
            WireHead(code: 200, fields: fields),
            #"{"version":"#.utf8 + (edit["answered"]?.bytes ?? []) + Array(operations.utf8)
        )
    }

    private static func event(_ name: String, _ data: [UInt8]) -> [UInt8] {
        "event: \(name)\ndata: ".utf8 + data + Array("\n\n".utf8)
    }
}

extension JSONSlice {
    /// The value of a member; nil if this is no object, or lacks it.
    subscript(name: ByteText) -> JSONSlice? {
        guard case .object(let members) = form else { return nil }
        return members.first { $0.key == name }?.value
    }

    var elements: [JSONSlice] {
        guard case .array(let elements) = form else { return [] }
        return Array(elements)
    }

    var bytes: [UInt8] { bytes(extent) }
}

/// Contents whose members nobody reads.
struct Anything: Codable, Sendable {}

/// What the client shows in the end, as a snapshot.
@MainActor func rows(of scene: Case) async throws -> [UInt8] {
    let server = Scene(scene)
    let client = try await ListStateClient(server, store: .memory)
    defer { client.close() }
    guard case .string(let id)? = scene.state["id"]?.form else { throw Trouble(text: "no id") }
    let list =
        if let query = scene.query {
            try await client.list("\(id)", of: Anything.self, showing: query)
        } else {
            try await client.list("\(id)", of: Anything.self)
        }
    let decoder = WireDecoder(limits: .init(contentBytesMax: 65_536, operationsMax: 10_000)) { "" }
    for edit in scene.pending {
        let body = #"{"operations":"#.utf8 + (edit["operations"]?.bytes ?? []) + Array("}".utf8)
        let operations = try decoder.transactionBody(JSONSlice(checking: body, levelsAround: 8)).value
        let sent = list.edit { for operation in operations { $0.perform(operation) } }
        if edit["answered"] != nil || edit["refused"] != nil { _ = await sent.settled }
    }
    for change in scene.changes { server.tell(change) }
    guard case .string(let version)? = scene.changes.last?["to"]?.form else { throw Trouble(text: "no changes") }
    for _ in 0..<10_000 where list.version?.description != "\(version)" {
        if let trouble = server.trouble { throw Trouble(text: trouble) }
        try await Task.sleep(for: .milliseconds(1))
    }
    guard let shown = list.version, shown.description == "\(version)" else {
        throw Trouble(text: "nothing came of it within 10 s")
    }
    if let query = scene.query { return Array(JSONText(try rows(of: list, query)).bytes) }
    return ListSnapshot(id: list.id, version: shown, state: list.state).body(RowQuery(scene.view))
}

/// What a part shows, as a snapshot.
@MainActor func rows(of list: LiveList<Anything>, _ query: ListQuery) throws -> JSONValue {
    let sections = try list.sections.map { section in
        let properties = section.properties
        let items = try section.items.map { item in
            try list.row(item).map { try json(of: $0, showsLevels: query.rows == .visible) } ?? .null
        }
        var members: [(key: ByteText, value: JSONValue)] = [
            ("id", .string(section.id.rawValue)), ("items", .array(items)),
        ]
        if let title = properties.title { members.append(("title", .string(title))) }
        if !properties.isReorderable { members.append(("reorderable", false)) }
        let values = [("layout", properties.layout), ("header", properties.header), ("footer", properties.footer)]
        for case (let name, let value?) in values {
            members.append((ByteText(name), try JSONValue(parsing: Array(value.bytes))))
        }
        return JSONValue.object(JSONObject(members))
    }
    let layout = try list.properties.layout.map { try JSONValue(parsing: Array($0.bytes)) } ?? .null
    return ["title": .string(list.properties.title), "layout": layout, "sections": .array(sections)]
}

@MainActor func json(of row: LiveRow<Anything>, showsLevels: Bool) throws -> JSONValue {
    guard let item = row.item else { return .null }
    var members: [(key: ByteText, value: JSONValue)] = [
        ("id", .string(item.id.rawValue)), ("kind", .string(item.kind)),
        ("content", try JSONValue(parsing: Array(item.content.bytes))), ("starred", .bool(item.isStarred)),
        ("expanded", .bool(item.isExpanded)), ("reorderable", .bool(item.isReorderable)),
    ]
    if let parent = row.parent { members.append(("parent", .string(parent.rawValue))) }
    if showsLevels {
        members.append(("level", .integer(row.level)))
        if row.childCount > 0 { members.append(("childCount", .integer(row.childCount))) }
    }
    return .object(JSONObject(members))
}

extension ListQuery {
    /// - Parameter view: The parameters of section 8 of the contract, as JSON.
    init(_ view: JSONSlice) {
        func texts(_ name: ByteText) -> [String]? {
            guard let value = view[name] else { return nil }
            return (value.elements.isEmpty ? [value] : value.elements).map { one in
                if case .string(let text) = one.form { return "\(text)" }
                return String(decoding: one.bytes, as: UTF8.self)
            }
        }
        func text(_ name: ByteText) -> String? { texts(name)?.first }
        self.init(
            text("view") == "items" || text("view") == nil && view["around"] == nil ? .items : .visible,
            sections: texts("section")?.compactMap { SectionID(ByteText($0)) },
            expanded: texts("expanded")?.compactMap { ItemID(ByteText($0)) }, filter: text("filter"),
            field: text("field"), where: texts("where") ?? [], isStarred: text("starred").map { $0 == "true" },
            kind: text("kind"), sort: text("sort"))
        guard let item = text("around").flatMap({ ItemID(ByteText($0)) }) else { return }
        let (before, after) = (text("before").flatMap { Int($0) }, text("after").flatMap { Int($0) })
        window = Window(around: item, before: before ?? 20, after: after ?? 60)
    }
}

@MainActor func answer(to line: String) async -> [UInt8] {
    do {
        return try await rows(of: Case(Array(line.utf8)))
    } catch {
        return Array(JSONText(["error": .string(ByteText(String(describing: error)))]).bytes)
    }
}

while let line = readLine() {
    FileHandle.standardOutput.write(Data(await answer(to: line) + [UInt8(ascii: "\n")]))
}
