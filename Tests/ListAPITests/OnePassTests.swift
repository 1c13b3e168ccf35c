import HTTPTypes
import JSONValue
import ListModel
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// A body that is read in one pass is read as its values are.
@Suite struct OnePassTests {
    private static let list = ListID("l")
    private static let levels = Endpoint.putList.levelsAroundContent

    private static func inOnePass(_ bytes: [UInt8]) -> WriteBody<WantedSnapshot>? {
        list.flatMap { WireProperties.decoder.snapshotBody(whole: bytes, levels: levels, list: $0) }
    }

    private static func byValues(_ bytes: [UInt8]) throws -> WriteBody<WantedSnapshot> {
        let value = try JSONSlice(checking: bytes, levelsAround: levels)
        return try WireProperties.decoder.snapshotBody(value, list: #require(list))
    }

    private static func requireSame(
        _ left: WriteBody<WantedSnapshot>, _ right: WriteBody<WantedSnapshot>
    ) throws {
        try #require(left.value == right.value)
        try #require(left.base == right.base && left.isBaseOfSnapshot == right.isBaseOfSnapshot)
        try #require(left.label == right.label && left.isAnimated == right.isAnimated)
        // Equal contents may be spelled in two ways, and that of the writer is kept.
        for (left, right) in zip(left.contents, right.contents) { try #require(left.bytes == right.bytes) }
    }

    // MARK: Right bodies

    static let right = [
        "{}", #" { } "#, #"{"title":"T","base":"e-6","label":"why","animated":false}"#, #"{"version":"e-7"}"#,
        #"{"id":"l","counts":{"items":7},"sections":[],"layout":null,"partial":false}"#,
        #"{"sections":[{"id":"s"},{"id":"t","items":[]},{"items":["a","b"],"id":"u","title":null,"header":"h"}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b","parent":"a"},{"id":"c","parent":null}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"content":{},"id":"a","kind":"k"},{"content":null,"kind":null,"id":"b"}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","starred":true,"expanded":false,"reorderable":false},"#
            + #"{"id":"b","starred":null,"expanded":null,"reorderable":null,"level":[{}],"childCount":"x"}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"é \"\\\u0041","content":{"\u0061":"\/","b":"\ud83d\ude36"}}]}]}"#,
        "\n{ \"sections\" :\t[ { \"id\" : \"s\" , \"items\" : [ { \"id\" : \"a\" , \"content\" : { \"b c\" : [ 1 , "
            + "{ } , [ ] ] , \"d\" :\r\n\"e  \\\" f\" } } , \"g\" ] } ] } ",
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"a":1,"b":-0,"c":1.50e+7,"d":true,"e":null,"f":[[]],"#
            + #""g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0,"q":0,"r":0}}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":\#(deep(32))}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"n":\#(String(repeating: "1", count: 1024))}}]}]}"#,
    ]

    private static func deep(_ levels: Int) -> String {
        String(repeating: #"{"a":"#, count: levels - 1) + "{}" + String(repeating: "}", count: levels - 1)
    }

    @Test(arguments: right) func readsARightBody(text: String) throws {
        let bytes = Array(text.utf8)
        try Self.requireSame(#require(Self.inOnePass(bytes)), Self.byValues(bytes))
    }

    @Test(arguments: Soak.seeds(150)) func readsAnySnapshot(seed: UInt64) throws {
        var strange = StrangeSnapshots(seed: seed)
        var random = SeededGenerator(seed: seed)
        let bytes = strange.snapshot().bytes
        let spaced = Self.spaced(bytes, using: &random)
        try Self.requireSame(#require(Self.inOnePass(bytes)), Self.byValues(bytes))
        try Self.requireSame(#require(Self.inOnePass(spaced)), Self.byValues(bytes))
    }

    /// Thousands of items, so that their contents have several buffers.
    @Test func readsManyItems() throws {
        let items = (0..<3_000).map {
            #"{"id":"i\#($0)","content":{"n":"\#(String(repeating: "x", count: $0 % 400))"}}"#
        }
        let halves = [items.prefix(1_000), items.dropFirst(1_000)].map { $0.joined(separator: ",") }
        let text = #"{"sections":[{"id":"s","items":[\#(halves[0])]},{"id":"t","items":[\#(halves[1])]}]}"#
        let bytes = Array(text.utf8)
        let read = try #require(Self.inOnePass(bytes))
        try Self.requireSame(read, Self.byValues(bytes))
        #expect(read.contents.count == 3_000)
    }

    @Test func aNewListHasItsID() throws {
        let bytes = Array(#"{"id":"m","version":"e-7","sections":[{"id":"s","items":["a"]}]}"#.utf8)
        let body = try #require(WireProperties.decoder.newListBody(whole: bytes, levels: Self.levels))
        #expect(body.value.id == ListID("m") && body.base == nil)
        #expect(body.value.snapshot.sections == [WantedSection("s", items: [NewItem("a")])])
    }

    // MARK: Wrong bodies

    static let wrong = [
        "", " ", "null", "[]", "{", "{}x", "{} {}", "\u{FEFF}{}", #"{"sections":null}"#, #"{"sections":[1]}"#,
        #"{"title":1}"#, #"{"titel":"T"}"#, #"{"title":"T","title":"T"}"#, #"{"id":"m"}"#, #"{"partial":true}"#,
        #"{"sections":[{}]}"#, #"{"sections":[{"id":"s"},{"id":"s"}]}"#, #"{"sections":[{"id":"s","items":null}]}"#,
        #"{"sections":[{"id":"s","items":["a","a"]}]}"#, #"{"sections":[{"id":"s","items":[""]}]}"#,
        #"{"sections":[{"id":"s","items":["a"]},{"id":"t","items":[{"id":"a"}]}]}"#,
        #"{"sections":[{"id":"s","items":[{}]}]}"#, #"{"sections":[{"id":"s","items":[{"id":null}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","id":"b"}]}]}"#, #"{"sections":[{"id":"s","items":[1]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","text":"b"}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","kind":"b c"}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","starred":1}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":[]}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"b":1,"b":1}}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"b":1,"\u0062":1}}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"b":01}}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"b":1,}}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{}}]}}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":\#(deep(33))}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","level":\#(deep(34))}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"n":\#(String(repeating: "1", count: 1025))}}]}]}"#,
        #"{"sections":[{"id":"s","items":[{"id":"a","content":{"n":"\#(String(repeating: "x", count: 1 << 16))"}}]}]}"#,
    ]

    @Test(arguments: wrong) func leavesAWrongBody(text: String) throws {
        let bytes = Array(text.utf8)
        #expect(throws: (any Error).self) { try Self.byValues(bytes) }
        #expect(Self.inOnePass(bytes) == nil)
    }

    /// An odd spelling of a name is right, but is not read in one pass.
    @Test func leavesAnOddBody() throws {
        let bytes = Array(#"{"\u0074itle":"T"}"#.utf8)
        #expect(try Self.byValues(bytes).value.changes.title == .set("T"))
        #expect(Self.inOnePass(bytes) == nil)
    }

    /// Of damaged bodies, those that are still right are read as their values are.
    @Test(arguments: Soak.seeds(200)) func agreesAboutDamage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = Array(#"{}[]\",:\\u0e1-. nullt"#.utf8) + [0x0A, 0x01, 0xC3, 0xA9, 0xFF]
        for text in Self.right {
            var bytes = Array(text.utf8)
            for _ in 0..<random.below(3) + 1 { bytes[random.below(bytes.count)] = random.pick(pieces) }
            guard let read = Self.inOnePass(bytes) else { continue }
            try Self.requireSame(read, Self.byValues(bytes))
        }
    }

    // MARK: Memory

    /// The bytes of a body are freed when the write begins. A wrong body is read twice, and is needed till its end.
    @Test(arguments: [(#"{"title":"T"}"#, 201, true), (#"{"title":1}"#, 422, false)])
    func theBytesAreDropped(text: String, status: Int, isDropped: Bool) throws {
        let body = Body(Array(text.utf8))
        let head = Harness.head("PUT", "/v1/lists/m", Harness.json)
        guard case .send(let response) = try Harness().api.respond(to: Request(head: head, body: body)) else {
            Issue.record("no answer")
            return
        }
        #expect(response.status.code == status && body.isEmpty == isDropped)
    }

    /// White space between the parts of a document.
    private static func spaced(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var (spaced, isInString, isEscaped): ([UInt8], Bool, Bool) = ([], false, false)
        for byte in bytes {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            spaced.append(byte)
            let isBetween = !isInString && #"{}[],:""#.utf8.contains(byte)
            if isBetween, random.once(in: 2) { spaced.append(random.pick([0x20, 0x09, 0x0A, 0x0D])) }
        }
        return spaced
    }
}

extension WriteBody<WantedSnapshot> {
    fileprivate var contents: [JSONText] {
        value.sections.flatMap(\.items).compactMap { item in
            if case .replace(let text)? = item.value?.content { text } else { nil }
        }
    }
}
