import JSONValue
import Texts

extension WriteQueue {
    private static let format: JSONValue = 1

    /// The queue as its file has it.
    var json: JSONValue {
        let writes = entries.map(\.json)
        let known = clients.map { client -> JSONValue in
            let next = client.next.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue.integer($0.value)) }
            return [
                "server": .string(client.server), "caller": .string(client.caller), "client": .string(client.id),
                "next": .object(JSONObject(next)),
            ]
        }
        return [
            "liststate": "queue", "format": Self.format, "last": .integer(lastID), "writes": .array(writes),
            "clients": .array(known),
        ]
    }

    /// Nil if the value is no queue, or one of another format.
    init?(_ json: JSONValue) {
        guard json.member("liststate") == "queue", json.member("format") == Self.format,
            let last = json.member("last")?.integerValue, let writes = json.member("writes")?.arrayValue,
            let known = json.member("clients")?.arrayValue
        else { return nil }
        let entries = writes.compactMap(Entry.init)
        let clients = known.compactMap(Client.init)
        guard entries.count == writes.count, clients.count == known.count,
            Set(entries.map(\.id)).count == entries.count,
            entries.allSatisfy({ $0.id <= last })
        else { return nil }
        self.init(entries: entries, clients: clients, lastID: last)
    }
}

extension WriteQueue.Entry {
    /// As the file has it, and as `liststate queue --json` shows it.
    var json: JSONValue {
        var members: [JSONObject.Member] = [
            ("id", .integer(id)), ("server", .string(server)), ("time", .integer(time)),
            ("list", .string(write.list)), ("method", .string(ByteText(write.method))),
            ("path", .string(ByteText(write.path))), ("reason", .string(reason)),
        ]
        if let body = write.body { members.append(("body", body)) }
        if let number {
            members += [("client", .string(number.client)), ("number", .integer(number.value))]
        }
        return .object(JSONObject(members))
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json.member("id")?.integerValue, let server = json.member("server")?.textValue,
            let time = json.member("time")?.integerValue, let list = json.member("list")?.textValue,
            let method = json.member("method")?.textValue, let path = json.member("path")?.textValue,
            // They stand in the head of a request.
            let known = ["POST", "PUT", "DELETE"].first(where: { method == ByteText($0) }), path.hasPrefix("/v1/lists"),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        var number: WriteQueue.Number?
        if let client = json.member("client")?.textValue, let value = json.member("number")?.integerValue {
            guard WriteQueue.isClient(client) else { return nil }
            number = WriteQueue.Number(client: client, value: value)
        }
        let write = ListWrite(list: list, method: known, path: path.string, body: json.member("body"))
        self.init(
            id: id, server: server, write: write, time: time, number: number,
            reason: json.member("reason")?.textValue ?? "")
    }
}

extension WriteQueue {
    /// Whether a text can stand in the field `Client`.
    fileprivate static func isClient(_ text: ByteText) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}

extension WriteQueue.Client {
    fileprivate init?(_ json: JSONValue) {
        guard let server = json.member("server")?.textValue, let caller = json.member("caller")?.textValue,
            let id = json.member("client")?.textValue, WriteQueue.isClient(id),
            let next = json.member("next")?.objectValue
        else { return nil }
        var numbers: [ByteText: Int] = [:]
        for (list, value) in next.members {
            guard let number = value.integerValue, number >= 1 else { return nil }
            numbers[list] = number
        }
        self.init(server: server, caller: caller, id: id, next: numbers)
    }
}
