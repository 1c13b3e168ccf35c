import JSONValue
import ListModel
import SampleLists
import Testing

@Suite struct EmojiTextTests {
    /// The catalogue as code points, written independently of the source that makes it.
    static let scalars: [(category: String, texts: [[UInt32]])] = [
        (
            "recents",
            [
                [0x1F923], [0x1F943], [0x1F60E], [0x1F3D4], [0x26FA, 0xFE0F], [0x231A, 0xFE0F], [0x1F4AF], [0x2705],
            ]
        ),
        ("smileys", [[0x1F600], [0x1F602], [0x1F923]]),
        ("nature", [[0x1F98A], [0x1F41D], [0x1F422]]),
        ("food", [[0x1F943], [0x1F34E], [0x1F351]]),
        ("activities", [[0x1F3C8], [0x1F6B4, 0x200D, 0x2640, 0xFE0F], [0x1F3A4]]),
        ("travel", [[0x1F3D4], [0x26FA, 0xFE0F], [0x1F3D6]]),
        ("objects", [[0x1F5A5], [0x231A, 0xFE0F], [0x1F4F1]]),
        ("symbols", [[0x2764, 0xFE0F], [0x262E, 0xFE0F], [0x1F4AF]]),
    ]

    @Test("case 60: texts are exact to the code point")
    func texts() {
        #expect(EmojiCatalogue.categories.map(\.id.string) == Self.scalars.map(\.category))
        let texts = EmojiCatalogue.categories.map { $0.emoji.map { $0.text.string.unicodeScalars.map(\.value) } }
        #expect(texts == Self.scalars.map(\.texts))
    }

    @Test("case 60: the watch's title starts with the private-use apple")
    func watch() throws {
        let titles = EmojiCatalogue.categories.flatMap { $0.emoji.map(\.title) }
        let watches = titles.filter { $0.hasSuffix("Watch") }
        #expect(
            watches.map { Array($0.utf8) } == Array(repeating: [0xEF, 0xA3, 0xBF] + Array(" Watch".utf8), count: 2))
    }

    @Test("case 60: an emoji is one grapheme, the cyclist and the face in clouds too")
    func graphemes() throws {
        #expect(EmojiCatalogue.categories.allSatisfy { $0.emoji.allSatisfy { $0.text.string.count == 1 } })
        let faces = try installed(.emojisAndNumbers).strings("text", in: "emojis")
        #expect(faces.count == 17)
        #expect(faces.allSatisfy { $0.count == 1 })
        #expect(faces.last?.unicodeScalars.map(\.value) == [0x1F636, 0x200D, 0x1F32B, 0xFE0F])
    }

    @Test("case 60: texts survive a list byte for byte", arguments: [Sample.emojiExplorerList, .reorderable])
    func surviveAList(_ sample: Sample) throws {
        let list = try installed(sample)
        for category in EmojiCatalogue.categories {
            let section = SectionID(unchecked: category.id)
            #expect(
                list.strings("text", in: section).map { Array($0.utf8) } == category.emoji.map { Array($0.text.utf8) })
            #expect(
                list.strings("title", in: section).map { Array($0.utf8) } == category.emoji.map { Array($0.title.utf8) }
            )
        }
    }
}
