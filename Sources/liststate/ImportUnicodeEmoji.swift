import ArgumentParser
import JSONValue
import ListModel
import SampleLists
import Texts

struct ImportUnicodeEmoji: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unicode-emoji",
        abstract: "Makes an outline of Unicode's emoji, by group and subgroup.",
        discussion: """
            The file is Unicode's emoji-test.txt; Debian has it in the package unicode-data, as \
            /usr/share/unicode/emoji/emoji-test.txt. A list that is there is changed to what the file says; what it has \
            open stays open.
            """)

    @Argument(help: "The path of emoji-test.txt.")
    var file: String
    @Option(help: "The server.")
    var url = ServerAddress.standard
    @Option(help: "The id of the list.")
    var list = "unicode-emoji"

    func validate() throws {
        guard ListID(ByteText(list)) != nil else {
            throw ValidationError("--list begins with a-z or 0-9 and has at most 128 of those and '.', '_', '-'.")
        }
    }

    func run() throws(Failure) {
        let text = try bytes(of: file)
        let emoji: UnicodeEmoji
        do throws(UnicodeEmoji.Malformed) {
            emoji = try UnicodeEmoji(parsing: text)
        } catch {
            throw .malformed(error, file: file)
        }
        let answer = try url.ask("PUT", "/v1/lists/\(list)", json: emoji.snapshot)
        let counts = "\(emoji.emojiCount) emoji in \(emoji.subgroupCount) subgroups of \(emoji.groupCount) groups"
        guard case .string(let version)? = answer["version"] else { return try printLine("\(list): \(counts)") }
        try printLine("\(list) \(version): \(counts)")
    }
}
