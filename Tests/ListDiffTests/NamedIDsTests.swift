import ListDiff
import ListModel
import Testing

@Suite struct NamedIDsTests {
    /// Two sets of the same ids in another order are equal, also as a part of a dictionary's key.
    @Test func areTheSameByTheirIDs() {
        let ids = (0..<100).map { ItemID("i\($0)")! }
        let (one, other) = (NamedIDs(Set(ids)), NamedIDs(Set(ids.reversed())))
        #expect(one == other && one.hashValue == other.hashValue && one == one)
        #expect(ids.allSatisfy(other.contains) && !other.contains("i100"))
        for fewer in [NamedIDs(Set(ids.dropLast())), [], ["i0"], NamedIDs(Set(ids.dropLast() + ["i100"]))] {
            #expect(one != fewer)
        }
        var query = RowQuery(.visible)
        query.expanded = one
        let known = [query: 1]
        query.expanded = other
        #expect(known[query] == 1)
        query.expanded = []
        #expect(known[query] == nil)
    }
}
