import ListModel
import TestSupport
import Testing

/// Editing a section snapshot: docs/model.md section 13 and cases 29 to 40, on trees such as `0{1,2},3`.
@Suite struct SectionSnapshotTests {
    typealias Edit = @Sendable (inout SectionSnapshot) throws(ModelError) -> Void

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var tree: String
        var edit: Edit
        var result: String

        init(_ name: String, _ tree: String, to result: String, _ edit: @escaping Edit) {
            self.name = name
            self.tree = tree
            self.edit = edit
            self.result = result
        }

        var testDescription: String { name }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var name: String
        var tree: String
        var edit: Edit
        var error: ModelError

        init(_ name: String, _ tree: String, _ error: ModelError, _ edit: @escaping Edit) {
            self.name = name
            self.tree = tree
            self.edit = edit
            self.error = error
        }

        var testDescription: String { name }
    }

    static let edits = [
        Row("append without parent: roots at the end", "0{1,2},3", to: "0{1,2},3,a,b") { s throws(ModelError) in
            try s.append(["a", "b"])
        },
        Row("append to a parent: behind its children", "0{1,2},3", to: "0{1,2,a,b},3") { s throws(ModelError) in
            try s.append(["a", "b"], to: "0")
        },
        Row("append to a leaf", "0{1,2},3", to: "0{1,2},3{a}") { s throws(ModelError) in try s.append(["a"], to: "3") },
        Row("append nothing to an unknown parent", "0{1,2},3", to: "0{1,2},3") { s throws(ModelError) in
            try s.append([], to: "zz")
        },
        Row("case 29: insert before 1", "0{1,2},3", to: "0{INS,1,2},3") { s throws(ModelError) in
            try s.insert(["INS"], before: "1")
        },
        Row("case 29: insert after 0 is behind its subtree", "0{1,2},3", to: "0{1,2},INS,3") { s throws(ModelError) in
            try s.insert(["INS"], after: "0")
        },
        Row("case 29: insert after 2 of 0{1,2{3}},4", "0{1,2{3}},4", to: "0{1,2{3},INS},4") { s throws(ModelError) in
            try s.insert(["INS"], after: "2")
        },
        Row("insert before the first root", "0{1},3", to: "a,b,0{1},3") { s throws(ModelError) in
            try s.insert(["a", "b"], before: "0")
        },
        Row("insert after the last root", "0{1},3", to: "0{1},3,a,b") { s throws(ModelError) in
            try s.insert(["a", "b"], after: "3")
        },
        Row("insert nothing near an unknown item", "0", to: "0") { s throws(ModelError) in
            try s.insert([], before: "zz")
            try s.insert([], after: "zz")
            try s.insert(SectionSnapshot(), before: "zz")
            try s.insert(SectionSnapshot(), after: "zz")
        },
        Row("insert a tree before a child, as it is", "0{1,2},3", to: "0{1,+a{b{c}},d,2},3") { s throws(ModelError) in
            try s.insert(tree(), before: "2")
        },
        Row("insert a tree after an item with children", "0{1{9},2},3", to: "0{1{9},+a{b{c}},d,2},3") {
            s throws(ModelError) in
            try s.insert(tree(), after: "1")
        },
        Row("insert a tree among the roots", "0{1},3", to: "0{1},+a{b{c}},d,3") { s throws(ModelError) in
            try s.insert(tree(), after: "0")
        },
        Row("delete takes the subtree", "0{1{9},2},3", to: "0{2},3") { s throws(ModelError) in try s.delete(["1"]) },
        Row("case 31: delete a parent and its child", "0{1,2},3", to: "3") { s throws(ModelError) in
            try s.delete(["0", "1"])
        },
        Row("case 31: delete a child and its parent", "0{1,2},3", to: "3") { s throws(ModelError) in
            try s.delete(["1", "0"])
        },
        Row("delete the same item twice", "0{1,2},3", to: "0{2},3") { s throws(ModelError) in try s.delete(["1", "1"])
        },
        Row("delete all, and fill again", "+0{1,2},3", to: "0") { s throws(ModelError) in
            s.deleteAll()
            try s.append(["0"])
        },
        Row("case 32: delete forgets the children and the flag", "0{1,2},3", to: "3,0") { s throws(ModelError) in
            s.expand(["0"])
            try s.delete(["0"])
            try s.append(["0"])
        },
        Row("case 33: expand a leaf, give it a child", "0{1,2},3", to: "0{1,2},+3{a}") { s throws(ModelError) in
            s.expand(["3"])
            try s.append(["a"], to: "3")
        },
        Row("case 33: expand and collapse of unknown items are passed over", "0{1,2},3", to: "+0{1,2},3") { s in
            s.expand(["zz", "0"])
            s.collapse(["zz"])
        },
        Row("case 35: replace children, with what is expanded", "+0{1,2},3", to: "+0{7,+8{9}},3") {
            s throws(ModelError) in
            try s.replace(childrenOf: "0", using: sevenEight())
        },
        Row("case 35: replace by an empty tree", "+0{1,2},3", to: "+0,3") { s throws(ModelError) in
            try s.replace(childrenOf: "0", using: SectionSnapshot())
        },
        Row("replace leaves a collapsed parent collapsed", "0{1,2},3", to: "0{7,+8{9}},3") { s throws(ModelError) in
            try s.replace(childrenOf: "0", using: sevenEight())
        },
        Row("case 36: replace by its own children in another order", "0{1,2},3", to: "0{2,1},3") {
            s throws(ModelError) in
            try s.replace(childrenOf: "0", using: roots("2", "1"))
        },
        Row("replace by a grandchild", "0{1{9},2},3", to: "0{9},3") { s throws(ModelError) in
            try s.replace(childrenOf: "0", using: roots("9"))
        },
        Row("a child that stays takes its flag from the new tree", "0{+1{9},2},3", to: "0{1},3") {
            s throws(ModelError) in
            try s.replace(childrenOf: "0", using: roots("1"))
        },
        Row("case 37: replace where children overlap", "s,n,+f{w,a,p}", to: "s,n,+f{p,z,w}") { s throws(ModelError) in
            try s.replace(childrenOf: "f", using: roots("p", "z", "w"))
        },
    ]

    static func tree() throws(ModelError) -> SectionSnapshot {
        var tree = SectionSnapshot()
        try tree.append(["a", "d"])
        try tree.append(["b"], to: "a")
        try tree.append(["c"], to: "b")
        tree.expand(["a"])
        return tree
    }

    static func sevenEight() throws(ModelError) -> SectionSnapshot {
        var tree = try roots("7", "8")
        try tree.append(["9"], to: "8")
        tree.expand(["8"])
        return tree
    }

    static func roots(_ items: ItemID...) throws(ModelError) -> SectionSnapshot {
        var tree = SectionSnapshot()
        try tree.append(items)
        return tree
    }

    @Test(arguments: edits)
    func edit(_ row: Row) throws {
        var snapshot = try SectionSnapshot(notation: row.tree)
        try row.edit(&snapshot)
        #expect(try snapshot.notation == row.result)
        // The comparison includes parents and flags that deleted items might have left.
        #expect(try snapshot == SectionSnapshot(notation: row.result))
    }

    static let refusals = [
        Refusal("case 30: append an item that exists, and one that does not", "0{1,2},3", .itemExists("1")) {
            s throws(ModelError) in
            try s.append(["n", "1"], to: "3")
        },
        Refusal("append an item that exists as a root", "0{1,2},3", .itemExists("2")) { s throws(ModelError) in
            try s.append(["2"])
        },
        Refusal("append an item to itself", "0{1,2},3", .itemExists("3")) { s throws(ModelError) in
            try s.append(["3"], to: "3")
        },
        Refusal("append a repeat", "0{1,2},3", .repeatedItem("a")) { s throws(ModelError) in
            try s.append(["a", "b", "a"])
        },
        Refusal("append to an unknown parent", "0{1,2},3", .unknownItem("zz")) { s throws(ModelError) in
            try s.append(["a"], to: "zz")
        },
        Refusal("insert a repeat", "0{1,2},3", .repeatedItem("a")) { s throws(ModelError) in
            try s.insert(["a", "a"], before: "1")
        },
        Refusal("insert an item that exists", "0{1,2},3", .itemExists("3")) { s throws(ModelError) in
            try s.insert(["a", "3"], after: "1")
        },
        Refusal("insert the anchor itself", "0{1,2},3", .itemExists("1")) { s throws(ModelError) in
            try s.insert(["1"], after: "1")
        },
        Refusal("insert near an unknown item", "0{1,2},3", .unknownItem("zz")) { s throws(ModelError) in
            try s.insert(["a"], before: "zz")
        },
        Refusal("insert a tree near an unknown item", "0{1,2},3", .unknownItem("zz")) { s throws(ModelError) in
            try s.insert(tree(), after: "zz")
        },
        Refusal("insert a tree that holds an item of this one", "0{1,2},c", .itemExists("c")) { s throws(ModelError) in
            try s.insert(tree(), after: "1")
        },
        Refusal("case 31: delete with an unknown item", "0{1,2},3", .unknownItem("zz")) { s throws(ModelError) in
            try s.delete(["3", "zz"])
        },
        Refusal("case 36: replace by a tree that holds an item from elsewhere", "+0{1,2},3", .itemExists("3")) {
            s throws(ModelError) in
            try s.replace(childrenOf: "0", using: roots("1", "3"))
        },
        Refusal("replace by a tree that holds the parent", "0{1,2},3", .itemExists("0")) { s throws(ModelError) in
            try s.replace(childrenOf: "0", using: roots("0"))
        },
        Refusal("replace by a tree that holds an ancestor", "0{1{9},2},3", .itemExists("0")) { s throws(ModelError) in
            try s.replace(childrenOf: "1", using: roots("8", "0"))
        },
        Refusal("replace the children of an unknown item", "0{1,2},3", .unknownItem("zz")) { s throws(ModelError) in
            try s.replace(childrenOf: "zz", using: SectionSnapshot())
        },
        Refusal("is an unknown item expanded?", "0", .unknownItem("zz")) { s throws(ModelError) in
            _ = try s.isExpanded("zz")
        },
        Refusal("is an unknown item visible?", "0", .unknownItem("zz")) { s throws(ModelError) in
            _ = try s.isVisible("zz")
        },
        Refusal("case 39: the level of an unknown item", "0", .unknownItem("zz")) { s throws(ModelError) in
            _ = try s.level(of: "zz")
        },
        Refusal("the parent of an unknown item", "0", .unknownItem("zz")) { s throws(ModelError) in
            _ = try s.parent(of: "zz")
        },
        Refusal("the tree below an unknown item", "0", .unknownItem("zz")) { s throws(ModelError) in
            _ = try s.snapshot(of: "zz")
        },
    ]

    @Test(arguments: refusals)
    func refuse(_ row: Refusal) throws {
        let before = try SectionSnapshot(notation: row.tree)
        var after = before
        #expect(throws: row.error) { try row.edit(&after) }
        #expect(after == before)
    }
}
