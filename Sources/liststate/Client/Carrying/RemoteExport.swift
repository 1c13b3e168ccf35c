import Glibc
import JSONValue
import ListModel
import Texts

/// Writes the lists of a server as lines of JSON. A list is read page by page, all of one version.
struct RemoteExport {
    let server: RemoteServer
    /// The lists that are wanted; all if there are none.
    let names: [String]
    let file: String
    let isResumed: Bool

    private static let pageSize = 5_000

    private struct Listing {
        let id: ByteText
        let itemCount: Int
    }

    func run() throws(Failure) {
        let begun = isResumed ? try begun() : nil
        let (all, unreadable) = try listings()
        let wanted = Set(names.map { ByteText($0) })
        let lists = wanted.isEmpty ? all : all.filter { wanted.contains($0.id) }
        let unknown = wanted.subtracting(lists.map(\.id) + unreadable).sorted()
        guard unknown.isEmpty else {
            throw .failed("There is no list \(unknown.map(\.description).joined(separator: ", ")).", 66)
        }
        let output = try LineOutput(file, keepsUnfinished: true, after: begun?.length ?? 0)
        let bar = ProgressBar("export")
        let itemCount = lists.reduce(0) { $0 + $1.itemCount }
        var done = 0
        if begun == nil { try output.write(line: ["liststate": "export", "format": 1]) }
        for list in lists {
            if begun?.last.map({ list.id <= $0 }) != true { try export(list.id, to: output) }
            done += list.itemCount
            bar.show(done, of: itemCount)
        }
        try output.end()
        bar.end()
        let missing = wanted.isEmpty ? unreadable : unreadable.filter(wanted.contains)
        guard missing.isEmpty else {
            let names = missing.map(\.description).joined(separator: ", ")
            throw .failed("The server cannot read these lists, and they are not in what was written: \(names).", 72)
        }
    }

    /// The lists of the server in the order of their ids, and those that it cannot read.
    private func listings() throws(Failure) -> (lists: [Listing], unreadable: [ByteText]) {
        var (lists, unreadable): ([Listing], [ByteText]) = ([], [])
        var path: String? = "/v1/lists?limit=1000"
        while let page = path {
            let answer = try server.answer("GET", page)
            let object = try server.object(in: answer)
            for list in object["lists"]?.arrayValue ?? [] {
                guard let id = list.member("id")?.textValue, ListID(id) != nil else { throw server.noForm }
                lists.append(Listing(id: id, itemCount: list.member("counts")?.member("items")?.integerValue ?? 0))
            }
            for name in object["unreadable"]?.arrayValue.compactMap(\.textValue) ?? [] where !unreadable.contains(name)
            {
                unreadable.append(name)
            }
            path = try server.next(after: answer)
        }
        return (lists, unreadable)
    }

    /// How much of an unfinished file is whole lists, and the last of them. Nil if it does not begin an export.
    private func begun() throws(Failure) -> (length: Int, last: ByteText?)? {
        let path = LineOutput.unfinished(file)
        guard access(path, F_OK) == 0 else { return nil }
        let lines: ExportedLines
        do throws(Failure) { lines = try ExportedLines(path) } catch { return nil }
        // The first line is always the same.
        var length = JSONValue.object(["liststate": "export", "format": 1]).bytes.count + 1
        var whole = (length: length, last: ByteText?.none)
        do throws(Failure) {
            while let line = try lines.next() {
                length += line.bytes.count + 1
                if let list = line.list, length <= lines.size { whole = (length, list.id.rawValue) }
            }
        } catch {
            // What follows the last whole list was cut off, and is written anew.
        }
        return whole
    }

    /// Writes a list. One that has been deleted meanwhile is left out.
    private func export(_ id: ByteText, to output: LineOutput) throws(Failure) {
        var path: String? = "/v1/lists/\(id)?limit=\(Self.pageSize)"
        var (sectionCount, itemCount, isBegun) = (0, 0, false)
        // The id of the section that was written last.
        var last: ByteText?
        while let page = path {
            let answer = try server.send("GET", page)
            guard answer.status != 404 || isBegun else { return }
            guard answer.status == 200 else {
                let problem = RemoteProblem(answer).sentence(of: server.address)
                throw .failed("\(problem)\nRun it again with --resume: what is whole in the file stays.", 76)
            }
            let snapshot = try server.object(in: answer)
            let sections = snapshot["sections"]?.arrayValue.compactMap(\.objectValue) ?? []
            if !isBegun { try write("list", snapshot, ImportReader.listNames, to: output) }
            isBegun = true
            path = try server.next(after: answer)
            // A page begins with the section in which the page before has ended, if that has more rows.
            for section in sections {
                let id = section["id"]?.textValue
                if id != last || sectionCount == 0 {
                    try write("section", section, ImportReader.sectionNames, to: output)
                    sectionCount += 1
                    last = id
                }
                for item in section["items"]?.arrayValue.compactMap(\.objectValue) ?? [] {
                    try write("item", item, ImportReader.itemNames, to: output)
                    itemCount += 1
                }
            }
        }
        try output.write(
            line: ["end": ["id": .string(id), "sections": .integer(sectionCount), "items": .integer(itemCount)]])
    }

    /// Writes the members that lines of an export have.
    private func write(
        _ kind: ByteText, _ object: JSONObject, _ names: [ByteText], to output: LineOutput
    ) throws(Failure) {
        var members = names.compactMap { name in object[name].map { (key: name, value: $0) } }
        if kind == "list", object["title"] == nil { members.insert(("title", ""), at: 1) }
        try output.write(line: .object(JSONObject([(kind, .object(JSONObject(members)))])))
    }
}
