import Foundation
import JSONValue
import TestSupport
import Testing

/// Writes with `--queue` are done exactly once, whoever is away, is killed or loses an answer.
@Suite struct QueueCommandTests {
    private func scene(_ options: [String] = []) throws -> ClientScene {
        let scene = try ClientScene(options)
        try #require(
            try scene.server.client.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"fruit"}]}"#).status == 201)
        return scene
    }

    /// The titles of the items, which the server has given ids: a write that is done twice shows.
    private func titles(_ scene: ClientScene) throws -> [String] {
        try scene.json("/v1/lists/l/sections/fruit")["items"]?.elements.compactMap { $0["content"]?["title"]?.string }
            ?? []
    }

    @Test func writesWaitForTheServerAndComeInOrder() throws {
        let scene = try scene()
        #expect(try scene.done("add l one --queue").contains("created "))
        scene.server.crash()
        for title in ["two", "three"] {
            let said = try scene.run("add l \(title) --queue")
            #expect(said.exitCode == 0 && said.errors.contains("is kept as"), "\(said)")
        }
        let away = try scene.run("queue send")
        #expect(away.exitCode == 75 && away.output == "0 sent, 2 waiting.\n", "\(away)")
        #expect(try scene.done("queue").contains("Connection refused"))
        try scene.restart()
        // The next write takes those before it along, and what it prints of them is on its output, too.
        let said = try scene.done("add l four --queue")
        #expect(said.matches(of: #/created/#).count == 3)
        #expect(try titles(scene) == ["one", "two", "three", "four"])
        #expect(try scene.done("queue").split(separator: "\n").count == 1)
        #expect(try scene.done("queue --json") == "{\"writes\":[]}\n")
    }

    @Test func aWriteWhoseAnswerWasLostIsDoneOnce() throws {
        let scene = try scene()
        let thief = try AnswerThief(to: scene.server.port)
        defer { thief.end() }
        thief.steal(.cut, .cut)
        #expect(try scene.run("add l one --queue", url: thief.url).errors.contains("is kept as 1"))
        #expect(try scene.run("add l two --queue", url: thief.url).errors.contains("is kept as 2"))
        #expect(try titles(scene) == ["one"])
        #expect(try scene.run("queue send", url: thief.url).output.hasSuffix("2 sent, 0 waiting.\n"))
        #expect(try titles(scene) == ["one", "two"])
    }

    @Test func aCommandThatIsKilledWhileItSendsLeavesItsWrite() throws {
        let scene = try scene()
        let thief = try AnswerThief(to: scene.server.port)
        defer { thief.end() }
        thief.steal(.hold)
        let command = try scene.start("add l one --queue", url: thief.url)
        thief.waitForTheft()
        command.kill()
        scene.server.crash()
        try scene.restart()
        #expect(try titles(scene) == ["one"])
        #expect(try scene.run("queue send", url: thief.url).output.hasSuffix("1 sent, 0 waiting.\n"))
        #expect(try scene.run("add l two --queue", url: thief.url).exitCode == 0)
        #expect(try titles(scene) == ["one", "two"])
    }

    @Test func aDroppedWriteLeavesNoGapAndTakesNoOtherAlong() throws {
        let scene = try scene()
        let thief = try AnswerThief(to: scene.server.port)
        defer { thief.end() }
        // The first was done although its answer was lost. Its number is used up, which the next write finds out.
        thief.steal(.cut)
        try scene.run("add l one --queue", url: thief.url)
        #expect(try scene.done("queue drop 1") == "1 is dropped: appendItems\n")
        #expect(try scene.run("queue drop 1").exitCode == 66)
        #expect(try scene.run("add l two --queue", url: thief.url).exitCode == 0)
        #expect(try titles(scene) == ["one", "two"])
        // The third was not done. Its number is still free.
        scene.server.crash()
        try scene.run("add l three --queue", url: thief.url)
        try scene.done("queue drop 3")
        try scene.restart()
        try scene.done("add l four --queue", url: thief.url)
        #expect(try titles(scene) == ["one", "two", "four"])
    }

    @Test func aRefusalIsToldAndDoesNotHoldTheOthersUp() throws {
        let scene = try scene()
        scene.server.crash()
        for words in ["star l nope", "add l one", "delete gone --whole", "add l two"] {
            try scene.done("\(words) --queue")
        }
        try scene.restart()
        let said = try scene.run("queue send")
        #expect(said.exitCode == 76 && said.output.hasSuffix("2 sent, 0 waiting.\n"), "\(said)")
        #expect(
            said.errors.contains("no item \"nope\"") && said.errors.contains(#"{"op":"starItems","items":["nope"]}"#))
        #expect(try titles(scene) == ["one", "two"])
        // The author of the write itself is told by the exit code.
        let own = try scene.run("star l nope --queue")
        #expect(own.exitCode == 76 && own.errors.contains("no item \"nope\""), "\(own)")
        #expect(try scene.run("queue send").output == "0 sent, 0 waiting.\n")
    }

    /// A server whose store is an older copy goes on with a lower number.
    @Test func anOlderCopyIsNoticedAndTakesTheNextWrites() throws {
        let scene = try scene()
        try scene.done("add l one --queue")
        #expect(scene.server.stop() == 0)
        let (data, old) = (scene.folder.path + "/data", scene.folder.path + "/old")
        try FileManager.default.copyItem(atPath: data, toPath: old)
        try scene.restart()
        try scene.done("add l two --queue")
        try scene.done("add l three --queue")
        #expect(scene.server.stop() == 0)
        try scene.restart(data: "old")
        let said = try scene.run("add l four --queue")
        #expect(said.exitCode == 0 && said.errors.contains("2 writes to l that the server had answered may be lost"))
        try scene.done("add l five --queue")
        #expect(try titles(scene) == ["one", "four", "five"])
    }

    @Test func manyCommandsAtATime() throws {
        let scene = try scene()
        let titles = Set((0..<12).map { "t\($0)" })
        let commands = try titles.map { try scene.start("add l \($0) --queue") }
        for command in commands { #expect(command.end() == 0) }
        let found = try self.titles(scene)
        #expect(found.count == titles.count && Set(found) == titles)
        #expect(try scene.done("queue --json") == "{\"writes\":[]}\n")
    }

    /// Sequences belong to callers. So each token has its own, and no write is taken for another one's.
    @Test func tokensAndServersAreKeptApart() throws {
        let scene = try ClientScene(["--first-token"])
        let admin = try #require(scene.server.linesBefore.first.map { String($0.suffix(47)) })
        #expect(try scene.run("create l --section fruit", token: admin).exitCode == 0)
        let made = try scene.run("token create --name b --lists l --can write --server \(scene.url)", token: admin)
        let other = try #require(made.output.split(separator: "\n").last.map(String.init))
        func titles() throws -> [String] {
            let get = try scene.run("get l --json", token: admin).output
            let list = try JSONValue(parsing: Array(get.utf8), levelsAround: 12)
            return list.value(at: "/sections/0/items")?.elements.compactMap { $0["content"]?["title"]?.string } ?? []
        }
        for (title, token) in [("one", admin), ("two", admin), ("three", other), ("four", admin), ("five", other)] {
            #expect(try scene.run("add l \(title) --queue", token: token).exitCode == 0)
        }
        #expect(try titles() == ["one", "two", "three", "four", "five"])
        // Without a right the write waits, and another one's list goes on.
        let refused = try scene.run("add l six --queue", token: nil)
        #expect(refused.exitCode == 0 && refused.errors.contains("has the token"), "\(refused)")
        #expect(try scene.run("add l seven --queue", url: "http://127.0.0.1:1", token: nil).exitCode == 0)
        let sent = try scene.run("queue send", token: admin)
        #expect(sent.output.hasSuffix("1 sent, 0 waiting, and 1 for other servers.\n"), "\(sent)")
        #expect(try titles().suffix(2) == ["five", "six"])
        let file = try String(contentsOfFile: scene.state + "/liststate/queue.json", encoding: .utf8)
        #expect(!file.contains(admin.suffix(20)) && !file.contains(other.suffix(20)))
        // A new secret of the same caller begins a sequence of its own.
        let rotated = try scene.run("token rotate b --server \(scene.url)", token: admin)
        let fresh = try #require(rotated.output.split(separator: "\n").last.map(String.init))
        #expect(try scene.run("add l eight --queue", token: fresh).exitCode == 0)
        #expect(try titles().last == "eight")
    }

    @Test func whatIsNoQueueIsLeftAlone() throws {
        let scene = try scene()
        try scene.done("add l one --queue")
        let path = scene.state + "/liststate/queue.json"
        let good = try String(contentsOfFile: path, encoding: .utf8)
        for bad in ["", "{}", good.replacing("\"format\":1", with: "\"format\":2"), String(good.dropLast(3))] {
            try bad.write(toFile: path, atomically: true, encoding: .utf8)
            for words in ["queue", "queue send", "add l two --queue"] {
                let said = try scene.run(words)
                #expect(said.exitCode == 65 && said.errors.contains("is no queue"), "\(words): \(said)")
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == bad)
        }
        #expect(try titles(scene) == ["one"])
        let none = try ServerProcess.run(["add", "l", "x", "--queue"], environment: ["LISTSTATE_URL": scene.url])
        #expect(none.exitCode == 64 && none.errors.contains("XDG_STATE_HOME"), "\(none)")
    }
}
