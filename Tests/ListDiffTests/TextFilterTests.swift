import JSONValue
import ListModel
import Threads
import TestSupport
import Testing

@testable import ListDiff

@Suite struct TextFilterTests {
    private static func content(_ json: String) throws -> JSONText {
        JSONText(try JSONValue(parsing: Array(json.utf8)))
    }

    @Test(
        "case 62: a filter finds texts whatever their case and composition, and nothing else",
        arguments: [
            ("mount", #"{"name":"MOUNT Fuji"}"#, true),
            ("MoUnT f", #"{"name":"mount FUJI"}"#, true),
            ("mountx", #"{"name":"Mount Fuji"}"#, false),
            (" mount", #"{"name":"mount"}"#, false),
            ("fuji", #"{"name":"Mount Fuji "}"#, true),
            ("e\u{301}", #"{"name":"caf\#u{E9}"}"#, true),
            ("\u{E9}", #"{"name":"CAFE\#u{301}"}"#, true),
            ("e", #"{"name":"caf\#u{E9}"}"#, false),
            ("e", #"{"name":"cafe\#u{301}"}"#, false),
            ("É", #"{"name":"é"}"#, true),
            ("привет", #"{"name":"ПРИВЕТ"}"#, true),
            ("k", #"{"name":"\#u{212A}"}"#, true),
            ("👩", #"{"name":"👩‍💻"}"#, false),
            ("👩‍💻", #"{"name":"a👩‍💻b"}"#, true),
            ("\"", #"{"name":"a\"b"}"#, true),
            ("\\", #"{"name":"a\\b"}"#, true),
            ("n", #"{"name":"\n"}"#, false),
            ("\n", #"{"name":"\r\n"}"#, false),
            ("name", #"{"name":"x"}"#, false),
            ("1", #"{"name":1}"#, false),
            ("true", #"{"name":true}"#, false),
            ("deep", #"{"a":[{"b":["x","DEEP"]}]}"#, true),
            ("b", #"{"a":[{"b":["x"]}]}"#, false),
            ("x", "{}", false),
        ])
    func finds(_ text: String, in json: String, _ isFound: Bool) throws {
        let filter = try #require(TextFilter(ByteText(text)))
        #expect(try filter.matches(Self.content(json)) == isFound)
    }

    @Test(
        "A field narrows where a filter looks",
        arguments: [
            ("name", #"{"name":"fox","text":"x"}"#, true), ("text", #"{"name":"fox"}"#, false),
            ("a.b", #"{"a":{"b":"fox"}}"#, true), ("a.b", #"{"a":{"c":"fox"}}"#, false),
            ("a", #"{"a":{"c":["fox"]}}"#, true), ("a.b", #"{"a":"fox"}"#, false),
            ("a", #"{"b":{"a":"fox"}}"#, false), ("é", #"{"é":"fox"}"#, true), ("q\"", #"{"q\"":"fox"}"#, true),
        ])
    func field(_ path: String, _ json: String, _ isFound: Bool) throws {
        let filter = try #require(TextFilter("FOX", in: ContentPath(ByteText(path))))
        #expect(try filter.matches(Self.content(json)) == isFound)
    }

    /// Texts of two letters have many partial matches, so that almost every way of going on after one occurs.
    @Test func findsWhereverATextIs() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let text = (0..<random.below(24)).map { _ in random.below(2) }
            let sought = (0...random.below(6)).map { _ in random.below(2) }
            let isThere = text.indices.contains { text[$0...].starts(with: sought) }
            var search = SoughtRun.Search(SoughtRun(sought))
            let isFound = text.contains { search.isAtEnd(after: $0) }
            #expect(isFound == isThere, "\(sought) in \(text)")
        }
    }

    /// A letter that counts its comparisons.
    private struct Letter: Hashable, Sendable {
        let value: Int
        let comparisons: Locked<Int>

        static func == (left: Letter, right: Letter) -> Bool {
            left.comparisons.withLock { $0 += 1 }
            return left.value == right.value
        }

        func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    @Test func aTextThatIsNearlyFoundEverywhereCostsNoMore() {
        let comparisons = Locked(0)
        let (first, last) = (Letter(value: 0, comparisons: comparisons), Letter(value: 1, comparisons: comparisons))
        var search = SoughtRun.Search(SoughtRun(Array(repeating: first, count: 255) + [last]))
        comparisons.withLock { $0 = 0 }
        let isFound = (0..<10_000).contains { _ in search.isAtEnd(after: first) }
        #expect(!isFound)
        #expect(comparisons.withLock { $0 } < 40_000)
    }

    @Test func nothingToSearchForIsNoFilter() { #expect(TextFilter("") == nil) }

    @Test func pathsAreNamesJoinedByDots() {
        for text in ["", ".", "a.", ".a", "a..b"] as [ByteText] { #expect(ContentPath(text) == nil) }
        #expect(ContentPath("a.b") != nil)
    }

    @Test func keysSortByValue() throws {
        let ascending = [
            "-1e400", "-12", "-1.5", "-0.05", "0", "5e-400", "0.05", "0.5", "1", "1.25", "9", "10", "9007199254740993",
            "9007199254740993.1", "1e400", #""""#, #""A""#, #""Z""#, #""a""#, #""z""#, #""é""#, #""ｆ""#, #""😀""#,
        ]
        let path = try #require(ContentPath("k"))
        let keys = try ascending.map { try Self.content(#"{"k":\#($0)}"#).sortKey(at: path) }
        for (left, right) in zip(keys, keys.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
        let equal = try ["1", "1.0", "10e-1", "0.1e1", "1.000"].map {
            try Self.content(#"{"k":\#($0)}"#).sortKey(at: path)
        }
        for key in equal { #expect(!(key < equal[0]) && !(equal[0] < key)) }
        let zero = try ["0", "-0", "0.00", "0e9"].map { try Self.content(#"{"k":\#($0)}"#).sortKey(at: path) }
        for key in zero { #expect(!(key < zero[0]) && !(zero[0] < key)) }
        for json in ["null", "true", "[1]", "{}"] {
            #expect(try Self.content(#"{"k":\#(json)}"#).sortKey(at: path) == .none)
        }
        #expect(SortKey.isDescending(keys[3], keys[2]))
        #expect(SortKey.isDescending(keys[0], .none))
        #expect(SortKey.isDescending(keys[0], keys[20]))
    }
}
