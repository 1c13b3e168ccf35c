import Foundation
import JSONValue
import TestSupport
import Testing

/// `liststate watch`, with others who write.
@Suite struct WatchCommandTests {
    /// The lines without the versions.
    private func deeds(_ lines: [String]) -> [String] {
        lines.map { $0.split(separator: "\t", omittingEmptySubsequences: true).dropFirst().joined(separator: " ") }
    }

    @Test func aLineForEachChangeAlsoAfterACrashOfTheServer() throws {
        let scene = try ClientScene()
        try scene.done("create l Fruit --section fruit --section bread")
        try scene.done("add l Apple --id apple --section fruit")
        let watch = try scene.start("watch l")
        #expect(deeds([watch.line() ?? ""]) == ["reset l 1 items Fruit"])
        try scene.done("add l Pear --id pear --section fruit")
        try scene.done("move l pear --first --section bread")
        try scene.done("star l pear")
        try scene.done("rename l Food")
        try scene.done("delete l --section fruit")
        let lines = watch.lines(to: "section deleted")
        #expect(
            deeds(lines) == [
                "inserted pear fruit 1 Pear", "moved pear bread 0 Pear", "reconfigured pear bread 0 ★ Pear",
                "renamed l Food", "section deleted fruit",
            ])

        scene.server.crash()
        try scene.restart()
        try scene.done("add l Plum --id plum")
        let after = watch.lines(to: "plum")
        #expect(deeds(after) == ["inserted plum bread 1 Plum"], "There is no reset: \(after)")
        // The version of each line is the one that the write made.
        let version = try #require(scene.json("/v1/lists/l")["version"]?.string)
        #expect(after.last?.hasPrefix(version + "\t") == true)
        try scene.done("delete l --whole")
        #expect(watch.line() == "The list l was deleted.")
        #expect(watch.end() == 0)
    }

    @Test func theEventsAreLinesOfJSON() throws {
        let scene = try ClientScene()
        try scene.done("create l --section fruit")
        let watch = try scene.start("watch l --json --filter pear")
        func next() throws -> JSONValue {
            try JSONValue(parsing: Array(#require(watch.line()).utf8), levelsAround: 12)
        }
        let first = try next()
        #expect(first["event"] == "reset")
        try scene.done("add l apple --id apple")
        try scene.done("add l pear --id pear")
        let change = try next()
        #expect(change["event"] == "change" && change["data"]?["to"] == change["id"])
        #expect(change["data"]?.value(at: "/items/inserted/0/item/id") == "pear")
        scene.server.crash()
        try scene.restart()
        try scene.done("star l pear")
        let later = try next()
        #expect(later["event"] == "change" && later["data"]?["from"] == change["id"], "\(later)")
        try scene.done("delete l --whole")
        #expect(try next()["event"] == "gone")
        #expect(watch.end() == 0)
    }

    @Test func anOlderCopyOfTheStoreBeginsWithAReset() throws {
        let scene = try ClientScene()
        try scene.done("create l Fruit --section fruit")
        #expect(scene.server.stop() == 0)
        let data = scene.folder.path + "/data"
        try FileManager.default.copyItem(atPath: data, toPath: scene.folder.path + "/old")
        try scene.restart()
        try scene.done("add l Apple --id apple")
        let watch = try scene.start("watch l")
        #expect(deeds([watch.line() ?? ""]) == ["reset l 1 items Fruit"])
        scene.server.crash()
        try scene.restart(data: "old")
        #expect(deeds([watch.line() ?? ""]) == ["reset l 0 items Fruit"])
    }

    /// What will not come back is not waited for.
    @Test func aListThatIsGoneAfterwardsEndsIt() throws {
        let scene = try ClientScene()
        try scene.done("create l")
        let watch = try scene.start("watch l")
        _ = watch.line()
        scene.server.crash()
        try scene.restart(data: "other")
        #expect(watch.line() == nil)
        #expect(watch.end() == 76)
    }

    @Test func aTerminalShowsTheOutline() throws {
        let scene = try ClientScene()
        try scene.done("create l Fruit --section fruit")
        try scene.done("add l Apple --id apple")
        let script = Process()
        script.executableURL = URL(filePath: "/usr/bin/script")
        script.arguments = [
            "-qec", "tty; stty rows 10 cols 80; exec \(ServerProcess.executable.path) watch l", "/dev/null",
        ]
        script.environment = scene.environment(nil, nil)
        let output = Pipe()
        script.standardOutput = output
        script.standardInput = Pipe()
        try script.runAlone()
        let watch = try RunningCommand(script)
        let terminal = try #require(watch.line()).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(watch.lines(to: "live").contains { $0.contains("    Apple  \u{1B}[2mapple") })
        try scene.done("star l apple")
        #expect(watch.lines(to: "live").contains { $0.contains("  ★ Apple  \u{1B}[2mapple") })
        for number in 0..<20 { try scene.done("add l Pear --id pear\(number)") }
        // Eight lines of the list, and one that says how it is, fit into ten rows.
        #expect(watch.lines(to: "… 16 more lines").last?.contains("… 16 more lines") == true)
        // A smaller terminal is drawn at once, without an event.
        let stty = try Process.run(
            URL(filePath: "/usr/bin/stty"), arguments: ["-F", terminal, "rows", "7", "cols", "24"])
        stty.waitUntilExit()
        #expect(watch.lines(to: "… 19 more lines").last?.contains("… 19 more lines") == true)
        // The reason is longer than a line, and is shown whole.
        scene.server.crash()
        let away = watch.lines(to: "again")
        #expect(away.last?.contains(#/Trying again in \d\.\d s\./#) == true, "\(away)")
        try scene.restart()
        #expect(watch.lines(to: "mlive").last?.contains("mlive") == true)
        try scene.done("delete l --whole")
        #expect(watch.lines(to: "deleted").last?.contains("The list l was deleted.") == true)
        #expect(watch.end() == 0)
    }
}
