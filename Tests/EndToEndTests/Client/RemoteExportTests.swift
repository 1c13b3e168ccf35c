import Foundation
import JSONValue
import TestSupport
import Testing

/// `export` and `import` with `--url`.
@Suite struct RemoteExportTests {
    /// A list of several pages, with sections that are empty, and one that goes over the end of a page.
    private static func large() -> String {
        let rows = { (name: String, count: Int) in
            (0..<count).map { #"{"id":"\#(name)\#($0)","starred":\#($0 % 7 == 0),"content":{"title":"\#($0)"}}"# }
                .joined(separator: ",")
        }
        return #"""
            {"title":"Large","layout":{"kind":"grid"},"sections":[{"id":"e"},{"id":"a","title":"A","items":[\#(rows("a", 3_000))]},
            {"id":"b","header":"H","items":[\#(rows("b", 7_500))]},{"id":"f"},{"id":"c","reorderable":false,"items":[
            {"id":"p","expanded":true},{"id":"q","parent":"p"}]},{"id":"g","items":[]}]}
            """#
    }

    private func scene() throws -> ClientScene {
        let scene = try ClientScene(["--samples"])
        try #require(try scene.server.client.send("PUT", "/v1/lists/large", json: Self.large()).status == 201)
        return scene
    }

    @Test func theLinesAreThoseOfAnExportOfTheFolder() throws {
        let scene = try scene()
        let (far, near) = (scene.folder.path + "/far", scene.folder.path + "/near")
        try scene.done("export \(far) --url \(scene.url)")
        try scene.done("export \(near) --data \(scene.folder.path)/data")
        #expect(FileManager.default.contentsEqual(atPath: far, andPath: near))
        #expect(try scene.done("export --url \(scene.url) --list large --list grid").hasSuffix("\"items\":10502}}\n"))
        #expect(try scene.run("export --url \(scene.url) --list none").exitCode == 66)
        #expect(try scene.run("export \(far) --url \(scene.url)").exitCode == 73)
        #expect(try scene.run("export --url \(scene.url) --data x").exitCode == 64)
        #expect(try scene.run("export --url \(scene.url) --resume").exitCode == 64)
    }

    @Test func anInterruptedExportGoesOn() throws {
        let scene = try scene()
        let whole = scene.folder.path + "/whole"
        try scene.done("export \(whole) --url \(scene.url)")
        let bytes = try Data(contentsOf: URL(filePath: whole))
        // Nothing, within the first line, within a list, right behind a list, and a torn line.
        let end = try #require(bytes.range(of: Data("\n{\"list\":{\"id\":\"grid\"".utf8))).lowerBound + 1
        for length in [0, 10, end - 30, end, end + 100, bytes.count - 1] {
            let file = "\(scene.folder.path)/part\(length)"
            try bytes.prefix(length).write(to: URL(filePath: file + ".new"))
            try scene.done("export \(file) --url \(scene.url) --resume")
            #expect(FileManager.default.contentsEqual(atPath: whole, andPath: file), "\(length)")
        }
        // The lists before are not asked for again.
        let file = scene.folder.path + "/kept"
        try bytes.prefix(end).write(to: URL(filePath: file + ".new"))
        try scene.done("rename cell-content Another")
        try scene.done("export \(file) --url \(scene.url) --resume")
        #expect(FileManager.default.contentsEqual(atPath: whole, andPath: file))
    }

    @Test func anImportMakesTheSameListsAndMayBeRunAgain() throws {
        let (scene, other) = (try scene(), try ClientScene())
        let file = scene.folder.path + "/lists"
        try scene.done("export \(file) --url \(scene.url)")
        // As after an interruption: some lists are there.
        try other.done("export \(other.folder.path)/none --url \(other.url)")
        let part = try String(contentsOfFile: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let cut = try #require(part.firstIndex { $0.hasPrefix("{\"list\":{\"id\":\"grid\"") })
        try part[..<cut].joined(separator: "\n").write(toFile: file + ".part", atomically: true, encoding: .utf8)
        try other.done("import \(file).part --url \(other.url)")
        let said = try other.run("import \(file) --url \(other.url)")
        #expect(said.exitCode == 0 && said.output.contains("were there already, with the same content."), "\(said)")
        #expect(try other.done("export --url \(other.url)") == String(contentsOfFile: file, encoding: .utf8))

        // A star is a difference, also where the line does not name it.
        try other.done("star large a1")
        let changed = try other.run("import \(file) --url \(other.url)")
        #expect(changed.exitCode == 73 && changed.errors.hasSuffix("left as they are: large.\n"), "\(changed)")
        #expect(try other.json("/v1/lists/large/items/a1")["starred"] == true)
        #expect(try other.done("history large").contains("\"import\""))
    }

    @Test func anImportSaysWhatIsWrong() throws {
        let scene = try ClientScene(["--items-max", "3"])
        let file = scene.folder.path + "/lists"
        let begun = #"{"liststate":"export","format":1}"# + "\n"
        let items = (0..<4).map { #"{"item":{"id":"i\#($0)","kind":"item","content":{}}}"# }.joined(separator: "\n")
        let rows: [(text: String, exitCode: Int32, says: String)] = [
            ("", 65, "There are no lines."), (begun + "{}", 65, "Line 2"),
            (begun + #"{"list":{"id":"l","title":"L"}}"#, 65, "inside a list"),
            (
                begun + #"{"list":{"id":"l","title":"L"}}"# + "\n" + #"{"section":{"id":"s"}}"# + "\n" + items + "\n"
                    + #"{"end":{"id":"l","sections":1,"items":4}}"#, 76, "run"
            ),
        ]
        for row in rows {
            try row.text.write(toFile: file, atomically: true, encoding: .utf8)
            let said = try scene.run("import \(file) --url \(scene.url)")
            #expect(
                said.exitCode == row.exitCode && said.errors.lowercased().contains(row.says.lowercased()), "\(said)")
        }
        #expect(try scene.done("lists").split(separator: "\n").count == 1)
    }
}
