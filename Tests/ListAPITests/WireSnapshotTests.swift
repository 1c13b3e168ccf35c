import JSONValue
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

@Suite struct WireSnapshotTests {
    @Test(arguments: [0, 7, 10, 99, 100, 1_000_001, 1 << 53, .max, -1, .min])
    func integersAreDecimal(_ integer: Int) {
        var splicer = JSONSplicer(capacity: 0)
        splicer.integer(integer)
        let bytes = splicer.bytes
        #expect(text(bytes) == String(integer))
    }

    /// The pieces are correct wherever the splicer's room ends.
    @Test func piecesFollowOneAnother() {
        for first in Array(900...1000) + Array(1900...1930) {
            var splicer = JSONSplicer(capacity: 0)
            let start = Array(repeating: UInt8(ascii: " "), count: first)
            splicer.json(start)
            splicer.beginArray()
            for integer in [0, Int.min, Int.max] {
                splicer.separate()
                splicer.integer(integer)
            }
            splicer.separate()
            splicer.string("fox \"🦊\"")
            splicer.separate()
            splicer.quote(String(repeating: "x", count: 1000))
            splicer.endArray()
            let bytes = splicer.bytes
            let end =
                #"[0,-9223372036854775808,9223372036854775807,"fox \"🦊\"",""# + String(repeating: "x", count: 1000)
                + "\"]"
            #expect(bytes == start + Array(end.utf8))
        }
    }

    /// A snapshot as docs/contract.md section 2 has it, with its members in the order in which the server writes them.
    static let emoji = #"""
        {"id":"l","title":"Emoji Explorer","version":"e1-1","counts":{"sections":3,"items":4,"visibleItems":3},"sections":[
        {"id":"recents","title":"Recents","layout":{"kind":"orthogonal"},
        "items":[{"id":"recents.whiskey","kind":"emoji","content":{"text":"🥃","title":"Whiskey","category":"recents"}}]},
        {"id":"outline","items":[{"id":"outline.nature","kind":"category","content":{"title":"Nature"}},
        {"id":"outline.fox","kind":"emoji","parent":"outline.nature","content":{"text":"🦊","title":"Fox","category":"nature"}}]},
        {"id":"list","items":[{"id":"list.fox","kind":"emoji","starred":true,"content":{"text":"🦊","title":"Fox","category":"nature"}}]}]}
        """#.replacing("\n", with: "")

    @Test func writesWhatTheContractShows() throws {
        let snapshot = try ListSnapshot(putting: Self.emoji)
        #expect(text(snapshot.body(view: .items)) == Self.emoji)
    }

    /// State that was read from a stored snapshot is written in the same way as state that a client has put, in every
    /// view.
    @Test(arguments: Soak.seeds(30))
    func whatWasReadIsWrittenAlike(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 40, bias: Bias.allCases[Int(seed) % Bias.allCases.count])
        var state = lists.list()
        let odd = NewSection(
            SectionProperties(id: "odd"),
            items: ["q\"b\\", "e\u{301}/\u{2028}", String(repeating: "🦊", count: 60)].map { id in
                var value = ItemChanges()
                value.kind = .set("A-z0._")
                value.content = .replace(JSONText(["\"": .string(id)]))
                return NewItem(ItemID(unchecked: id), value: value)
            })
        try state.commit(.appendSections([odd]))
        let read = try #require(state.reloaded())
        let list = try #require(ListID("l"))
        for view in [View.items, .visible] {
            let bodies = [state, read].map { state in
                ListSnapshot(id: list, version: Version(epoch: "e", revision: 1), state: state).body(view: view)
            }
            try #require(text(bodies[0]) == text(bodies[1]))
        }
    }

    @Test func visibleRowsTellTheirLevel() throws {
        var snapshot = try ListSnapshot(putting: Self.emoji)
        let outline = try #require(snapshot.state.handle(of: SectionID("outline")))
        let collapsed = #"""
            {"id":"outline","list":"l","version":"e1-1","partial":true,"items":[{"id":"outline.nature","kind":"category",
            "level":0,"childCount":1,"content":{"title":"Nature"}}]}
            """#.replacing("\n", with: "")
        #expect(text(snapshot.body(of: outline, view: .visible)) == collapsed)

        var state = snapshot.state
        try state.commit(.setExpanded(["outline.nature"], true))
        snapshot = ListSnapshot(id: snapshot.id, version: snapshot.version.next, state: state)
        let expanded = #"""
            {"id":"outline","list":"l","version":"e1-2","partial":true,"items":[{"id":"outline.nature","kind":"category",
            "expanded":true,"level":0,"childCount":1,"content":{"title":"Nature"}},{"id":"outline.fox","kind":"emoji",
            "parent":"outline.nature","level":1,"content":{"text":"🦊","title":"Fox","category":"nature"}}]}
            """#.replacing("\n", with: "")
        #expect(text(snapshot.body(of: outline, view: .visible)) == expanded)
        let whole = try JSONValue(parsing: snapshot.body(view: .visible))
        #expect(whole["partial"] == true)
        #expect(whole["counts"] == ["sections": 3, "items": 4, "visibleItems": 4])
    }

    @Test func leavesOutWhatIsAtItsDefault() throws {
        let empty = try ListSnapshot(putting: #"{"title":"","sections":[]}"#)
        #expect(
            text(empty.body(view: .items))
                == #"{"id":"l","title":"","version":"e1-1","counts":{"sections":0,"items":0,"visibleItems":0}}"#)
        let section = try ListSnapshot(putting: #"{"title":"T","layout":{"kind":"list"},"sections":[{"id":"s"}]}"#)
        #expect(
            text(section.body(view: .items))
                == #"{"id":"l","title":"T","version":"e1-1","counts":{"sections":1,"items":0,"visibleItems":0},"layout":{"kind":"list"},"sections":[{"id":"s"}]}"#
        )
    }

    @Test func writesWhatIsNotAtItsDefault() throws {
        let body = #"""
            {"id":"s","title":"S","layout":{"kind":"orthogonal","insets":{"top":1.50}},"header":"H","footer":{"f":1},"reorderable":false,"items":[
            {"id":"a","kind":"item","expanded":true,"starred":true,"reorderable":false,"content":{}}]}
            """#.replacing("\n", with: "")
        let snapshot = try ListSnapshot(putting: #"{"title":"T","sections":[\#(body)]}"#)
        #expect(text(snapshot.body(view: .items)).hasSuffix(#""sections":[\#(body)]}"#))
    }

    @Test func itemAloneTellsWhereItIs() throws {
        let snapshot = try ListSnapshot(putting: Self.emoji)
        let fox = try #require(snapshot.state.handle(of: ItemID("outline.fox")))
        #expect(
            text(snapshot.body(of: fox))
                == #"""
                {"id":"outline.fox","kind":"emoji","parent":"outline.nature",
                "content":{"text":"🦊","title":"Fox","category":"nature"},
                "list":"l","version":"e1-1","section":"outline","index":1}
                """#.replacing("\n", with: ""))
    }

    @Test func listingTellsTheCounts() throws {
        let snapshot = try ListSnapshot(putting: Self.emoji)
        let entry =
            #"{"id":"l","title":"Emoji Explorer","version":"e1-1","counts":{"sections":3,"items":4,"visibleItems":3}}"#
        let list = ListedList.readable(
            ListSummary(
                id: snapshot.id, title: snapshot.state.properties.title, version: snapshot.version,
                counts: snapshot.state.counts, creator: nil, bytes: nil))
        #expect(text(listsBody([list, list])) == #"{"lists":[\#(entry),\#(entry)]}"#)
        #expect(text(listsBody([])) == #"{"lists":[]}"#)
        let unreadable = ListedList.unreadable(try #require(ListID("x")))
        #expect(text(listsBody([list, unreadable])) == #"{"lists":[\#(entry)],"unreadable":["x"]}"#)
    }

    /// A content comes back byte for byte: with the same digits, code points and order of members.
    @Test(arguments: [
        #"{"n":1.10,"big":1e400,"huge":123456789012345678901234567890,"minus":-0.0}"#,
        #"{"broken":"😶🌫️","whole":"😶‍🌫️","a":"\u0000","quote":"\"\\\/","line":"\u2028"}"#,
        #"{"\#u{e9}":1,"e\#u{301}":2,"z":[{},[],null,true],"a":{"b":{"c":false}}}"#,
    ])
    func keepsContent(_ content: String) throws {
        let snapshot = try ListSnapshot(
            putting: #"{"sections":[{"id":"s","items":[{"id":"a","content":\#(content)}]}]}"#)
        let body = try JSONValue(parsing: snapshot.body(view: .items))
        let kept = try #require(body["sections"]?[0]?["items"]?[0]?["content"])
        #expect(kept == (try json(content)))
        #expect(kept.bytes == (try json(content)).bytes)
    }
}
