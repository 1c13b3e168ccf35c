import ListModel
import TestSupport
import Testing

@Suite struct NotationTests {
    @Test(
        "a list is read and printed alike",
        arguments: [
            "", "A:", "A:a", "A:a,b B:c", "A: B: C:x", "O:f{w,p},s{h{q}},x", "O:+f{+w{v},p} L:*a,+*b{c{d{e}}},f2",
        ])
    func roundTrip(_ text: String) throws {
        #expect(try ListState(notation: text).notation == text)
    }

    @Test func marksAndParentsAreRead() throws {
        let list = try ListState(notation: "O:+f{w},*s B:x")
        let flags = try (["f", "w", "s"] as [ItemID]).map { id in
            let item = list[try #require(list.handle(of: id))]
            return [item.isExpanded, item.isStarred]
        }
        #expect(flags == [[true, false], [false, false], [false, true]])
        let child = try #require(list.handle(of: "w" as ItemID))
        #expect(list.parent(of: child) == list.handle(of: "f" as ItemID))
        #expect(list.level(of: child) == 1)
    }

    @Test(arguments: ["A", "A:a,b}", "A:{a}", "A:a{b"])
    func mistakesAreRefused(_ text: String) {
        #expect(throws: NotationError.self) { try ListState(notation: text) }
    }

    @Test(arguments: ["", "a", "+a", "0{1,2},3", "+p{+q{r}},s", "a{b{c{d}}},e"])
    func trees(_ text: String) throws {
        #expect(try SectionSnapshot(notation: text).notation == text)
    }
}
