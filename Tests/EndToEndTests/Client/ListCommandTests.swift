import Foundation
import JSONValue
import TestSupport
import Testing

/// The commands that read and write lists of a server.
@Suite struct ListCommandTests {
    /// A command, the order of the ids in `fruit` and `bread` after it, and what it prints.
    struct Row: Sendable, CustomTestStringConvertible {
        var words: String
        var fruit: String
        var bread: String
        var prints = "l "
        var testDescription: String { words }
    }

    private static let writes = [
        Row(words: "add l Apple pie --id apple --section fruit", fruit: "apple", bread: "", prints: "l "),
        Row(words: "add l Pear --id pear --before apple", fruit: "pear apple", bread: ""),
        Row(words: "add l Rye --id rye", fruit: "pear apple", bread: "rye"),
        Row(words: "add l Rolls --id rolls --parent rye --starred", fruit: "pear apple", bread: "rye rolls"),
        Row(words: "move l rolls --first --section fruit", fruit: "rolls pear apple", bread: "rye"),
        Row(words: "move l rolls --after pear --section fruit", fruit: "pear rolls apple", bread: "rye"),
        Row(words: "move l pear --section fruit", fruit: "rolls apple pear", bread: "rye"),
        Row(words: "move l pear --parent rye --last", fruit: "rolls apple", bread: "rye pear"),
        Row(words: "star l apple", fruit: "rolls apple*", bread: "rye pear"),
        Row(words: "star l rolls --off", fruit: "rolls apple*", bread: "rye pear"),
        Row(
            words: "star l apple", fruit: "rolls apple*", bread: "rye pear", prints: "nothing has changed"),
        Row(words: "delete l rolls nope", fruit: "apple*", bread: "rye pear", prints: "(nope)"),
        Row(words: "undo l", fruit: "rolls apple*", bread: "rye pear"),
        Row(words: "undo l", fruit: "rolls apple*", bread: "rye pear"),
        Row(words: "delete l --section bread", fruit: "rolls apple*", bread: ""),
    ]

    @Test func writesAreDone() throws {
        let scene = try ClientScene()
        try scene.done("create l My List --section fruit --section bread")
        for row in Self.writes {
            let output = try scene.done(row.words)
            #expect(output.contains(row.prints), "\(row.words): \(output)")
            let list = try scene.json("/v1/lists/l")
            for (name, wanted) in [("fruit", row.fruit), ("bread", row.bread)] {
                let section = list["sections"]?.elements.first { $0["id"]?.string == name }
                let ids = (section?["items"]?.elements ?? []).map { item in
                    "\(item["id"]?.string ?? "")\(item["id"]?.string == "apple" && item["starred"] == true ? "*" : "")"
                }
                #expect(ids.joined(separator: " ") == wanted, "\(row.words)")
            }
        }
        #expect(try scene.json("/v1/lists/l/items/apple")["content"] == ["title": "Apple pie"])
    }

    /// The second undo of the table must take back what came before the first one's transaction: a star.
    @Test func undoGoesFurtherBackEachTime() throws {
        let scene = try ClientScene()
        try scene.done("create l --section fruit")
        for id in ["a", "b", "c"] { try scene.done("add l \(id) --id \(id)") }
        try scene.done("undo l")
        try scene.done("undo l")
        #expect(try scene.fruit() == ["a"])
        let version = try scene.done("get l").split(separator: "\n")[0].split(separator: " ").last ?? ""
        try scene.done("undo l \(version)")
        #expect(try scene.fruit() == ["a", "b"])
        #expect(try scene.run(["undo", "l", "x-9"]).exitCode == 76)
    }

    @Test func titlesAndContents() throws {
        let scene = try ClientScene()
        try scene.done("create l Old --section s")
        let content = #"{"name":"Rye","n":1.50}"#
        #expect(try scene.run(["add", "l", "--id", "rye", "--content", content, "--label", "first"]).exitCode == 0)
        try scene.done("rename l A new title")
        try scene.done("rename l Bread --section s")
        try scene.done("rename l Rye bread --item rye --member name")
        let made = try scene.done("add l Plum --kind fruit --json")
        let plum = try JSONValue(parsing: Array(made.utf8), levelsAround: 12)
        let id = try #require(plum.value(at: "/operations/0/created/0")?.string)
        #expect(try scene.done("add l Fig").contains("\ncreated "))
        let list = try scene.json("/v1/lists/l")
        #expect(list["title"] == "A new title")
        #expect(list.value(at: "/sections/0/title") == "Bread")
        let rye = try JSONValue(parsing: Array(#"{"name":"Rye bread","n":1.50}"#.utf8))
        #expect(list.value(at: "/sections/0/items/0/content") == rye)
        #expect(list.value(at: "/sections/0/items/1/id")?.string == id)
        #expect(list.value(at: "/sections/0/items/1/kind") == "fruit")
        #expect(try scene.done("history l --limit 9").contains(#"appendItems ("first")"#))
        #expect(try scene.done("history l --limit 1").split(separator: "\n").count == 2)
    }

    @Test func aFileIsATransactionAReorderOrASnapshot() throws {
        let scene = try ClientScene()
        func apply(_ json: String) throws -> ClientScene.Said {
            let file = scene.folder.path + "/file.json"
            try json.write(toFile: file, atomically: true, encoding: .utf8)
            return try scene.run(["apply", "l", file])
        }
        #expect(try apply(#"{"sections":[{"id":"fruit","items":[{"id":"a"},{"id":"b"},{"id":"c"}]}]}"#).exitCode == 0)
        #expect(try scene.fruit() == ["a", "b", "c"])
        #expect(try apply(#"{"sections":{"fruit":{"final":["c","a","b"]}}}"#).exitCode == 0)
        #expect(try scene.fruit() == ["c", "a", "b"])
        #expect(try apply(#"{"operations":[{"op":"deleteItems","items":["a"]}]}"#).exitCode == 0)
        #expect(try scene.fruit() == ["c", "b"])
        for (json, exitCode, says) in [
            ("{", 65, "no object of JSON"), ("{}", 65, "neither operations nor sections"),
            (#"{"operations":[{"op":"deleteItem"}]}"#, 76, #"Did you mean "deleteItems"?"#),
        ] as [(String, Int32, String)] {
            let said = try apply(json)
            #expect(said.exitCode == exitCode && said.errors.contains(says), "\(json): \(said)")
        }
        #expect(try scene.fruit() == ["c", "b"])
    }

    @Test func listsAndOutlines() throws {
        let scene = try ClientScene(["--samples"])
        let lists = try scene.done("lists").split(separator: "\n")
        #expect(lists.count == 31 && lists[0].hasPrefix("LIST  "))
        #expect(try scene.done("lists --filter wi-fi").contains("  19     Settings: Wi-Fi\n"))
        #expect(try scene.json("/v1/lists?limit=1000") == JSONValue(parsing: Array(scene.done("lists --json").utf8)))
        try scene.done("delete wifi --whole")
        #expect(try scene.done("lists --deleted").contains("\nwifi  "))
        #expect(try scene.run("get wifi").exitCode == 76)

        let outline = try scene.done("get emoji-explorer --section outline")
        #expect(outline.contains("\n  ▸ Smileys  outline.smileys\n      Happy  outline.happy\n"), "\(outline)")
        let closed = try scene.done("get emoji-explorer --section outline --visible")
        #expect(closed.contains("\n  ▸ Smileys  outline.smileys\n  ▸ Nature"), "\(closed)")
        #expect(try scene.done("get emoji-explorer --filter turtle").contains("Turtle  outline.turtle"))
        try scene.done("star emoji-explorer outline.fox")
        #expect(try scene.done("get emoji-explorer --starred").contains("★ Fox  outline.fox"))
        let version = try #require(scene.json("/v1/lists/emoji-explorer")["version"]?.string)
        #expect(try scene.done("get emoji-explorer --at \(version)").hasPrefix("Emoji Explorer"))
    }

    /// A title could tell the terminal to do something, or turn the letters behind it around.
    @Test func noTextCommandsTheTerminal() throws {
        let scene = try ClientScene()
        try scene.done("create l --section s")
        let bad = "a\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}b\u{7F}"
        #expect(try scene.run(["add", "l", bad, "--id", "i"]).exitCode == 0)
        #expect(try scene.run(["rename", "l", bad]).exitCode == 0)
        for words in ["get l", "lists", "history l"] {
            let output = try scene.done(words).unicodeScalars
            #expect(!output.contains { (0x7F..<0xA0).contains($0.value) || $0 == "\u{1B}" || $0 == "\u{202E}" })
        }
        #expect(try scene.done("get l").contains("a\u{FFFD}]0;owned"))
    }

    static let mistakes: [(words: String, exitCode: Int32, says: String)] = [
        ("get nope", 76, "There is no such list"), ("get UPPER", 64, "An id of a list"),
        ("create l", 76, "There is a list \"l\" already"), ("add l", 64, "A title, or --content"),
        ("add l x --content [1]", 64, "no object of JSON"), ("move l a", 64, "The place is"),
        ("move l a --before b --after c", 64, "One of --before and --after"),
        ("move l a --before b --first", 64, "One of --before, --after, --first"),
        ("move l nope --section s", 76, "The list has no item \"nope\""),
        ("rename l x --item a --section s", 64, "One of --item"), ("delete l", 64, "--whole"),
        ("delete l a --whole", 64, "--whole"), ("star l", 64, "Missing expected argument"),
        ("history l --limit 0", 64, "--limit"), ("get l --token a --token-file b", 64, "One of --token"),
        ("get l --token-file /nope", 66, "No such file"), ("apply l /nope", 66, "No such file"),
        ("undo l", 76, "There is nothing to take back"),
        ("watch nope", 76, "There is no such list"), ("lists --url ftp://x", 64, "--url"),
        ("lists --url http://127.0.0.1:1", 69, "Connection refused"),
        ("lists --url http://lists.invalid --token lst_x", 64, "Use https"),
    ]

    @Test func mistakesAreSaidAndChangeNothing() throws {
        let scene = try ClientScene()
        try scene.done("create l --section s")
        let before = try scene.json("/v1/lists/l")
        for row in Self.mistakes {
            let said = try scene.run(row.words)
            #expect(said.exitCode == row.exitCode, "\(row.words): \(said)")
            #expect(said.errors.contains(row.says), "\(row.words): \(said)")
        }
        #expect(try scene.json("/v1/lists/l") == before)
        #expect(try scene.run("lists", url: "nonsense").exitCode == 64)
    }

    @Test func theTokenComesFromThreePlaces() throws {
        let scene = try ClientScene(["--first-token"])
        let secret = try #require(scene.server.linesBefore.first.map { String($0.suffix(47)) })
        let file = scene.folder.path + "/token"
        try (secret + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try scene.run("create l", token: secret).exitCode == 0)
        #expect(try scene.run("get l --token-file \(file)").exitCode == 0)
        #expect(try scene.run("get l --token \(secret)").exitCode == 0)
        #expect(try scene.run("get l").errors.contains("has the token"))

        // While it runs, lists of processes do not show it.
        let watch = try scene.start("watch l --token \(secret)")
        _ = watch.line()
        let line = try String(contentsOfFile: "/proc/\(watch.process.processIdentifier)/cmdline", encoding: .utf8)
        #expect(line.contains("watch") && !line.contains(secret.suffix(12)))
    }
}
