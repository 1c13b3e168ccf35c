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

    @Test("headers and footers are texts; whoever has none is silent")
    func headersAndFooters() throws {
        let list = try installed(.editing)
        let sections = list.sectionHandles.map { list[$0] }
        #expect(sections.map(\.title) == ["Visited", "Bucket List"])
        #expect(sections.map(\.header) == [JSONText("Visited"), JSONText("Bucket List")])
        #expect(
            sections.map(\.footer) == [JSONText("Summits already reached."), JSONText("Summits still to be reached.")])
        let reactor = try installed(.reactorSections)
        #expect(reactor.sectionHandles.map { reactor[$0].title } == ["Errands", "Garden", "Someday"])
        #expect(reactor.sectionHandles.allSatisfy { reactor[$0].header == nil && reactor[$0].footer == nil })
    }

    @Test("a section without cards can be filled, and one that is emptied stays")
    func emptySections() throws {
        var list = try installed(.reactorSections)
        var log = TransactionLog()
        let all: [ItemID] = ["errands.bakery", "errands.post-office", "errands.library"]
        try list.apply(.moveItem(all[0], .last(.section("someday"))), rules: .strict, into: &log)
        try list.apply(.deleteItems(Array(all[1...])), rules: .strict, into: &log)
        #expect(list.sectionHandles.map { list.rows(of: $0).count } == [0, 2, 1])
    }

    @Test(
        "layouts say their kind, appearance and what they measure",
        arguments: [
            (
                Sample.emojiExplorer, "recents",
                #"{"kind":"orthogonal","behavior":"continuousGroupLeadingBoundary","group":{"direction":"horizontal","width":{"fractionalWidth":0.28},"height":{"fractionalWidth":0.2},"item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1},"insets":{"top":5,"leading":5,"bottom":5,"trailing":5}}},"interGroupSpacing":10,"insets":{"top":10,"leading":10,"bottom":10,"trailing":10},"cells":{"emoji":{"configuration":"emoji","text":"text","background":{"corner":8,"stroke":"systemGray3"}}}}"#
            ),
            (
                .emojiExplorer, "outline",
                #"{"kind":"list","appearance":"sidebar","insets":{"top":10,"leading":10,"trailing":10},"cells":{"category":{"configuration":"header","text":"title","accessories":["outlineDisclosure"]},"emoji":{"configuration":"valueCell","text":"text","secondaryText":"category","accessories":["disclosure"]}}}"#
            ),
            (
                .emojiExplorer, "list",
                #"{"kind":"list","appearance":"insetGrouped","leadingSwipe":[{"action":"star","symbol":"star.fill","color":"systemBlue","whenStarred":{"symbol":"star.slash"}}],"cells":{"emoji":{"configuration":"valueCell","text":"text","secondaryText":"category","accessories":["disclosure","star"]}}}"#
            ),
            (
                .emojisAndNumbers, "emojis",
                #"{"kind":"orthogonal","behavior":"continuousGroupLeadingBoundary","group":{"direction":"horizontal","width":{"absolute":100},"height":{"absolute":100},"item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1},"insets":{"top":20,"leading":20,"bottom":20,"trailing":20}}},"cells":{"emoji":{"configuration":"emoji","text":"text"}}}"#
            ),
            (
                .emojisAndNumbers, "numbers",
                #"{"kind":"list","appearance":"insetGrouped","cells":{"number":{"configuration":"cell","text":"number"}}}"#
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
                #"{"kind":"list","appearance":"insetGrouped","cells":{"emoji":{"configuration":"valueCell","text":"text","secondaryText":"category","accessories":["disclosure"]}}}"#
            ),
            (
                .reorderable,
                #"{"kind":"list","appearance":"insetGrouped","cells":{"emoji":{"configuration":"valueCell","text":"text","secondaryText":"category","accessories":["disclosure","reorder"]}}}"#
            ),
            (
                .mainSub,
                #"{"kind":"list","appearance":"grouped","headerMode":"firstItemInSection","cells":{"header":{"configuration":"header","text":"title"},"text":{"configuration":"cell","text":"title"}}}"#
            ),
            (
                .mountains,
                #"{"kind":"grid","group":{"direction":"horizontal","width":{"fractionalWidth":1},"height":{"absolute":32},"item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}},"count":2,"interItem":{"fixed":10}},"variants":[{"when":{"widthAbove":800},"group":{"direction":"horizontal","width":{"fractionalWidth":1},"height":{"absolute":32},"item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}},"count":3,"interItem":{"fixed":10}}}],"interGroupSpacing":10,"insets":{"top":10,"leading":10,"bottom":10,"trailing":10},"cells":{"mountain":{"configuration":"cell","text":"name","background":{"stroke":"systemGray"}}}}"#
            ),
            (
                .editing,
                #"{"kind":"list","appearance":"insetGrouped","headerMode":"supplementary","footerMode":"supplementary","trailingSwipe":["delete"],"cells":{"mountain":{"configuration":"valueCell","text":"name","secondaryText":"height","accessories":[{"accessory":"delete","displayed":"whenEditing"},{"accessory":"reorder","displayed":"whenEditing"}]}}}"#
            ),
            (
                .reactorSections,
                #"{"kind":"orthogonal","behavior":"continuous","group":{"direction":"horizontal","width":{"estimated":1200},"height":{"absolute":72},"item":{"width":{"absolute":100},"height":{"absolute":72}}},"variants":[{"when":{"sectionEmpty":true},"group":{"direction":"horizontal","width":{"fractionalWidth":1},"height":{"absolute":0},"item":{"width":{"absolute":100},"height":{"absolute":72}}}}],"interGroupSpacing":8,"insets":{"leading":12,"bottom":12,"trailing":12},"supplementaries":[{"kind":"header","alignment":"top","width":{"fractionalWidth":1},"height":{"absolute":48},"pinned":true,"zIndex":2,"followsInsets":false,"accessories":["add"]}],"trailingSwipe":["delete"],"cells":{"card":{"configuration":"cell","text":"title","alignment":"center","background":{"color":"systemGray5","corner":8}}}}"#
            ),
        ])
    func listLayouts(sample: Sample, json: String) throws {
        let list = try installed(sample)
        #expect(list.properties.layout.map { String(decoding: $0.bytes, as: UTF8.self) } == json)
        #expect(list.sectionHandles.allSatisfy { list[$0].layout == nil })
    }
}
