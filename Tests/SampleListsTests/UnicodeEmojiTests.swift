import JSONValue
import Layouts
import SampleLists
import TestSupport
import Testing

@Suite struct UnicodeEmojiTests {
    /// An invented text in the form of the file.
    private static let excerpt = """
        # a test of ours
        # Version: 99.1

        # group: Faces & Moods
        # subgroup: face-cheerful
        1F600        ; fully-qualified     # 😀 E1.0 first face
        263A FE0F    ; fully-qualified     # ☺️ E0.6 second face: relaxed
        263A         ; unqualified         # ☺ E0.6 second face: relaxed
        # subgroup: nobody
        1F636 200D 1F32B ; minimally-qualified # 😶‍🌫 E13.1 face in clouds

        # group: Parts
        # subgroup: tones
        1F3FB        ; component           # 🏻 E1.0 a tone

        # group: Signs
        # subgroup: keys
        0023 FE0F 20E3 ; fully-qualified   # #️⃣ E0.6 keycap: #
        # subgroup: face-cheerful
        1F680 ; fully-qualified # 🚀 E0.6 rocket; and # more
        #EOF
        """

    private func emoji(_ text: String) throws -> UnicodeEmoji { try UnicodeEmoji(parsing: Array(text.utf8)) }

    @Test func countsWhatIsFullyQualified() throws {
        let emoji = try emoji(Self.excerpt)
        #expect(emoji.version == "99.1")
        #expect([emoji.groupCount, emoji.subgroupCount, emoji.emojiCount] == [2, 3, 4])
        #expect(try self.emoji(Self.excerpt.replacing("\n", with: "\r\n")) == emoji)
    }

    @Test func isAnOutlineOfThreeLevels() throws {
        let snapshot = try emoji(Self.excerpt).snapshot
        #expect(snapshot["title"] == "Unicode Emoji 99.1")
        _ = try Layout(#require(snapshot["layout"]))
        let items = try #require(snapshot["sections"]?[0]?["items"]).elements
        #expect(
            items.map { "\($0["parent"]?.string ?? "") > \($0["id"]?.string ?? "")" } == [
                " > group.faces-moods", "group.faces-moods > subgroup.face-cheerful",
                "subgroup.face-cheerful > emoji.1f600", "subgroup.face-cheerful > emoji.263a-fe0f",
                " > group.signs", "group.signs > subgroup.keys", "subgroup.keys > emoji.23-fe0f-20e3",
                "group.signs > subgroup.face-cheerful-2", "subgroup.face-cheerful-2 > emoji.1f680",
            ])
        #expect(items[1]["content"] == ["title": "face cheerful"])
        #expect(items[3]["content"] == ["text": "\u{263A}\u{FE0F}", "title": "second face: relaxed"])
        #expect(items[6]["content"] == ["text": "#\u{FE0F}\u{20E3}", "title": "keycap: #"])
        #expect(items[8]["content"]?["title"] == "rocket; and # more")
    }

    static let malformed: [(String, UnicodeEmoji.Malformed.Fault, Int)] = [
        ("", .noEmoji, 1),
        ("# group: A\n# subgroup: b\n1F600 ; unqualified # 😀 E1.0 face", .noEmoji, 3),
        ("# subgroup: b", .noGroup, 1),
        ("\n1F600 ; fully-qualified # 😀 E1.0 face", .noGroup, 2),
        ("# group: A\n1F600 ; fully-qualified # 😀 E1.0 face", .noGroup, 2),
        ("# group: A\n# subgroup: b\nhello", .badLine, 3),
        ("# group: A\n# subgroup: b\n; fully-qualified # 😀 E1.0 face", .badLine, 3),
        ("# group: A\n# subgroup: b\n ; fully-qualified # 😀 E1.0 face", .badLine, 3),
        ("# group: A\n# subgroup: b\n1F600 ; fully-qualified", .badLine, 3),
        ("# group: A\n# subgroup: b\n1F600 ; fully-qualified # 😀 E1.0", .badLine, 3),
        ("# group: A\n# subgroup: b\nXYZ ; fully-qualified # 😀 E1.0 face", .badLine, 3),
        ("# group: A\n# subgroup: b\nD800 ; fully-qualified # 😀 E1.0 face", .badLine, 3),
        ("# group: A\n# subgroup: b\n110000 ; fully-qualified # 😀 E1.0 face", .badLine, 3),
    ]

    @Test(arguments: malformed)
    func refuses(_ text: String, _ fault: UnicodeEmoji.Malformed.Fault, _ line: Int) throws {
        let error = #expect(throws: UnicodeEmoji.Malformed.self) { try emoji(text) }
        #expect(error?.fault == fault)
        #expect(error?.line == line)
    }

    @Test func refusesWhatIsNotUTF8() {
        let error = #expect(throws: UnicodeEmoji.Malformed.self) { try UnicodeEmoji(parsing: [0x23, 0xFF]) }
        #expect(error?.fault == .notUTF8)
    }
}
