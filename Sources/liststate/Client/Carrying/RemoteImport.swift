import Glibc
import JSONValue
import ListModel
import Texts

/// Makes the lists of an export on a server, each with one request. A list that is there is compared and not changed.
struct RemoteImport {
    private let server: RemoteServer
    /// The lists that did not exist, those with the same content, and those with another.
    private(set) var made = 0
    private(set) var same = 0
    private(set) var others: [ListID] = []

    /// How often a list is sent while the server is away or has too much to do, with twice the pause each time.
    private static let triesMax = 6
    private static let pauseMax = 30

    static func run(_ lines: ExportedLines, _ server: RemoteServer) throws(Failure) -> RemoteImport {
        var lists = RemoteImport(server: server)
        var body = SnapshotBody()
        let bar = ProgressBar("import")
        while let line = try lines.next() {
            body.add(line.bytes)
            if let list = line.list { try lists.add(list.id, body.end()) }
            bar.show(lines.done, of: lines.size)
        }
        try lines.checkComplete()
        bar.end()
        return lists
    }

    private init(server: RemoteServer) { self.server = server }

    private mutating func add(_ id: ListID, _ body: [UInt8]) throws(Failure) {
        let answer = try put(id, body, "", [("If-None-Match", "*")])
        guard answer.status == 412 else {
            made += 1
            return
        }
        let trial = try server.object(in: put(id, body, "?dryRun=true", []))
        if trial["changed"] == false { same += 1 } else { others.append(id) }
    }

    /// - Returns: A success, or 412.
    private func put(
        _ id: ListID, _ body: [UInt8], _ query: String, _ fields: [(name: String, value: String)]
    ) throws(Failure) -> HTTPClient.Answer {
        var pause = 1
        for isLast in (1...Self.triesMax).map({ $0 == Self.triesMax }) {
            var wait = pause
            do throws(Failure) {
                let answer = try server.send("PUT", "/v1/lists/\(id.rawValue)\(query)", fields: fields, json: body)
                guard answer.status != 412, !(200..<300).contains(answer.status) else { return answer }
                guard answer.isForNow, !isLast else {
                    let problem = RemoteProblem(answer).sentence(of: server.address)
                    throw .failed(
                        "The list \(id.rawValue): \(problem)\nRun the import again: what is there is skipped.", 76)
                }
                wait = max(wait, answer["Retry-After"].flatMap { Int($0) } ?? 0)
            } catch .client(let fault, let address) {
                guard !isLast, made + same > 0 else { throw .client(fault, address) }
            } catch {
                throw error
            }
            sleep(UInt32(min(wait, Self.pauseMax)))
            pause *= 2
        }
        throw .client(.timedOut, server.address)
    }
}

/// The body of a PUT, put together from the lines of a list. They have been checked.
private struct SnapshotBody {
    private var bytes: [UInt8] = []
    private var (sectionCount, itemCount) = (0, 0)

    mutating func add(_ line: [UInt8]) {
        guard let object = JSONObject(answer: line), let part = object.members.first,
            let members = part.value.objectValue
        else { return }
        switch part.key {
        case "list":
            bytes = []
            (sectionCount, itemCount) = (0, 0)
            let whole = complete(members, ["layout"]).members.filter { $0.key != "id" }
            open(JSONObject(whole + [("label", "import")]), with: "sections")
        case "section":
            bytes += sectionCount > 0 ? Array("]},".utf8) : []
            open(complete(members, ["title", "layout", "header", "footer", "reorderable"]), with: "items")
            (sectionCount, itemCount) = (sectionCount + 1, 0)
        case "item":
            if itemCount > 0 { bytes.append(UInt8(ascii: ",")) }
            complete(members, ["starred", "expanded", "reorderable"]).write(to: &bytes)
            itemCount += 1
        default: return
        }
    }

    /// The members, and null for those that are left out. A PUT keeps what is left out, and null is the default.
    private func complete(_ members: JSONObject, _ names: [ByteText]) -> JSONObject {
        var members = members
        for name in names where members[name] == nil { members.set(.null, for: name) }
        return members
    }

    /// Writes an object up to the beginning of an array that is its last member. It has other members.
    private mutating func open(_ members: JSONObject, with name: String) {
        members.write(to: &bytes)
        bytes.removeLast()
        bytes += ",\"\(name)\":[".utf8
    }

    mutating func end() -> [UInt8] {
        bytes += (sectionCount > 0 ? "]}" : "").utf8
        bytes += "]}".utf8
        return bytes
    }
}
