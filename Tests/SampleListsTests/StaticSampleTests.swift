import JSONValue
import ListModel
import SampleLists
import TestSupport
import Testing

@Suite struct StaticSampleTests {
    @Test func twoKindsInOneList() throws {
        let list = try installed(.emojisAndNumbers)
        let face = list[try #require(list.handle(of: "emojis.1f636-200d-1f32b-fe0f" as ItemID))]
        #expect(face.kind == "emoji")
        #expect(face.content == JSONText(["text": "\u{1F636}\u{200D}\u{1F32B}\u{FE0F}"]))
        let number = list[try #require(list.handle(of: "numbers.31" as ItemID))]
        #expect(number.kind == "number")
        #expect(number.content == JSONText(["number": 31]))
    }

    @Test("case 54: the first item of main and of sub is its header and stays first")
    func headerItems() throws {
        var list = try installed(.mainSub)
        #expect(list.strings("title", in: "main") == ["Main Item", "First", "Second", "Third"])
        #expect(list.strings("title", in: "sub") == ["Sub Item", "first", "second", "third"])
        #expect(list.sectionHandles.allSatisfy(list.keepsFirstItem))
        var log = TransactionLog()
        #expect(throws: ModelError.notReorderable("main.main-item")) {
            try list.apply(.moveItem("main.main-item", .last(.section("sub"))), rules: .strict, into: &log)
        }
    }

    @Test(
        "layouts say their kind, appearance and what they measure",
        arguments: [
            (
                Sample.emojiExplorer, "recents",
                #"{"kind":"orthogonal","behavior":"continuousGroupLeadingBoundary","group":{"direction":"horizontal","width":{"fractionalWidth":0.28},"height":{"fractionalWidth":0.2},"item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1},"insets":{"top":5,"leading":5,"bottom":5,"trailing":5}}},"interGroupSpacing":10,"insets":{"top":10,"leading":10,"bottom":10,"trailing":10},"cells":{"emoji":{"style":"grid"}}}"#
            ),
            (
                .emojiExplorer, "outline",
                #"{"kind":"list","appearance":"sidebar","insets":{"top":10,"leading":10,"bottom":0,"trailing":10},"cells":{"category":{"style":"header","accessories":["outlineDisclosure"]},"emoji":{"style":"value","accessories":["disclosure"]}}}"#
            ),
            (
                .emojiExplorer, "list",
                #"{"kind":"list","appearance":"insetGrouped","leadingSwipe":["star"],"cells":{"emoji":{"style":"value","accessories":["disclosure","star"]}}}"#
            ),
            (
                .emojisAndNumbers, "emojis",
                #"{"kind":"orthogonal","behavior":"continuousGroupLeadingBoundary","group":{"direction":"horizontal","width":{"absolute":100},"height":{"absolute":100},"item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1},"insets":{"top":20,"leading":20,"bottom":20,"trailing":20}}},"cells":{"emoji":{"style":"grid"}}}"#
            ),
            (
                .emojisAndNumbers, "numbers",
                #"{"kind":"list","appearance":"insetGrouped","cells":{"number":{"style":"text"}}}"#
            ),
        ] as [(Sample, SectionID, String)])
    func sectionLayouts(sample: Sample, section: SectionID, json: String) throws {
        let list = try installed(sample)
        let layout = list[try #require(list.handle(of: section))].layout
        #expect(layout.map { String(decoding: $0.bytes, as: UTF8.self) } == json)
    }

    @Test(
        "a list of one style has one layout",
        arguments: [
            (
                Sample.emojiExplorerList,
                #"{"kind":"list","appearance":"insetGrouped","cells":{"emoji":{"style":"value","accessories":["disclosure"]}}}"#
            ),
            (
                .reorderable,
                #"{"kind":"list","appearance":"insetGrouped","cells":{"emoji":{"style":"value","accessories":["disclosure","reorder"]}}}"#
            ),
            (
                .mainSub,
                #"{"kind":"list","appearance":"grouped","headerMode":"firstItemInSection","cells":{"header":{"style":"header"},"text":{"style":"text"}}}"#
            ),
        ])
    func listLayouts(sample: Sample, json: String) throws {
        let list = try installed(sample)
        #expect(list.properties.layout.map { String(decoding: $0.bytes, as: UTF8.self) } == json)
        #expect(list.sectionHandles.allSatisfy { list[$0].layout == nil })
    }
}
