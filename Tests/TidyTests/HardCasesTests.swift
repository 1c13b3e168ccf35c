import Testing

/// Compares the hard cases of list differences in Tests/CASES.md with the tests that the page names.
@Suite struct HardCasesTests {
    /// A row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: String
        let name: String
        let tests: [NamedTest]
        let note: String

        var testDescription: String { "\(kind): \(name)" }
    }

    struct NamedTest: Sendable, Hashable {
        let path: String
        let name: String
    }

    static let rows: [Row] = {
        guard let page = try? SourceFile.read("Tests/CASES.md") else { return [] }
        return page.lines.drop { $0 != "## Hard cases of list differences" }.compactMap { line in
            let cells = SourceFile.cells(of: line)
            guard cells.count == 4, cells[0] != "kind", !cells[0].hasPrefix("-") else { return nil }
            return Row(kind: cells[0], name: cells[1], tests: tests(in: cells[2]), note: cells[3])
        }
    }()

    /// Reads `[File](path): "name", "name"; [File](path): "name"`.
    private static func tests(in cell: String) -> [NamedTest] {
        var path = ""
        return cell.matches(of: /\]\(([^)]+)\)|"([^"]+)"/).compactMap { match in
            if let link = match.1 { path = "Tests/" + link }
            return match.2.map { NamedTest(path: path, name: String($0)) }
        }
    }

    /// The display names of the tests and rows of a file.
    private static func names(in file: SourceFile) -> Set<String> {
        let text = file.lines.joined(separator: "\n")
        let names = text.matches(
            of: /(?:@Test|[ .](?:Case|Order|Row|Refusal|Repeat|BadID|IndexMove))\(\s*(?:name: )?"([^"]+)"/)
        return Set(names.map { String($0.1) })
    }

    @Test func everyKindIsListed() {
        #expect(
            Set(Self.rows.map(\.kind)) == [
                "flat", "identity", "index spaces", "sections", "composition", "concurrency", "service",
            ])
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count)
    }

    @Test("A hard case is tested where the page says, or the page says why not", arguments: rows)
    func tested(_ row: Row) throws {
        #expect(!row.tests.isEmpty || !row.note.isEmpty)
        for test in row.tests {
            let isThere = Self.names(in: try SourceFile.read(test.path)).contains(test.name)
            #expect(isThere, "\(test)")
        }
    }

    @Test(
        "The page knows every hard case",
        arguments: SourceFile.tests.filter { $0.path.contains("/Hard") && $0.target != "TidyTests" })
    func listed(_ file: SourceFile) {
        let known = Self.rows.flatMap(\.tests).filter { $0.path == file.path }.map(\.name)
        #expect(!known.isEmpty)
        #expect(Self.names(in: file).subtracting(known) == [])
    }
}
