import JSONValue
import Texts

/// A write to one list, as it is sent, now or later.
struct ListWrite: Equatable {
    let list: ByteText
    let method: String
    let path: String
    let body: JSONValue?

    /// Operations that apply all or not at all.
    static func transaction(_ list: String, _ operations: [JSONValue], label: String?) -> ListWrite {
        post(list, "transactions", ["operations": .array(operations)], label: label)
    }

    /// A write with a body to something of the list.
    static func post(_ list: String, _ part: String, _ body: JSONObject, label: String?) -> ListWrite {
        ListWrite(
            list: ByteText(list), method: "POST", path: "/v1/lists/\(list)/\(part)", body: labelled(body, label))
    }

    /// Makes a list, or applies a snapshot to it.
    static func put(_ list: String, _ snapshot: JSONObject, label: String?) -> ListWrite {
        ListWrite(list: ByteText(list), method: "PUT", path: "/v1/lists/\(list)", body: labelled(snapshot, label))
    }

    /// Makes a list that must not be there.
    static func create(_ list: String, _ snapshot: JSONObject, label: String?) -> ListWrite {
        var snapshot = snapshot
        snapshot.set(.string(ByteText(list)), for: "id")
        return ListWrite(list: ByteText(list), method: "POST", path: "/v1/lists", body: labelled(snapshot, label))
    }

    static func delete(_ list: String) -> ListWrite {
        ListWrite(list: ByteText(list), method: "DELETE", path: "/v1/lists/\(list)", body: nil)
    }

    private static func labelled(_ body: JSONObject, _ label: String?) -> JSONValue {
        var body = body
        if let label { body.set(.string(ByteText(label)), for: "label") }
        return .object(body)
    }

    /// What the write does, in a few words.
    var deed: ByteText {
        let isTransaction = body?.member("operations") != nil
        guard isTransaction, let body else { return "\(method) \(path.split(separator: "/").last ?? "")" }
        return HistoryCommand.deed(of: body)
    }
}

/// The result of a write, for a person.
struct ResultLines {
    let lines: [ByteText]

    init(_ answer: HTTPClient.Answer, of write: ListWrite) {
        guard let result = JSONObject(answer: answer.body) else {
            let isDeleted = write.method == "DELETE" && answer.status == 204
            lines = ["\(write.list) \(isDeleted ? "deleted" : "done")"]
            return
        }
        let isSame = result["changed"] == false
        var lines: [ByteText] = [
            "\(write.list) \(result["version"]?.textValue ?? "")\(isSame ? ": nothing has changed" : "")"
        ]
        for (index, outcome) in (result["operations"]?.arrayValue ?? []).enumerated() {
            lines += (outcome.member("created")?.arrayValue ?? []).compactMap(\.textValue).map { "created \($0)" }
            let status = outcome.member("status")?.textValue ?? ""
            guard status != "applied" else { continue }
            let reason = outcome.member("reason")?.textValue.map { " (\($0))" } ?? "" as ByteText
            lines.append("operation \(index): \(status)\(reason)\(Self.names(outcome))")
        }
        lines += (result["warnings"]?.arrayValue ?? []).compactMap { warning in
            warning.member("detail")?.textValue.map { "warning: \($0)\(Self.names(warning))" }
        }
        self.lines = lines.map(printable)
    }

    /// The first items and sections that an outcome or a warning is about.
    private static func names(_ value: JSONValue) -> ByteText {
        let items = (value.member("items")?.arrayValue ?? []) + (value.member("sections")?.arrayValue ?? [])
        let names = items.prefix(10).compactMap(\.textValue) + (items.count > 10 ? ["…"] : [])
        return names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    }
}
