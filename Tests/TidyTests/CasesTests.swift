import Testing

/// Compares Tests/CASES.md with the tests that it names.
@Suite struct CasesTests {
    /// A row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int
        let files: [String]
        let note: String

        var testDescription: String { "case \(number)" }
    }

    static let rows: [Row] = {
        guard let page = try? SourceFile.read("Tests/CASES.md") else { return [] }
        return page.lines.compactMap { line in
            let cells = SourceFile.cells(of: line)
            guard cells.count == 4, let number = Int(cells[0]) else { return nil }
            let files = cells[2].matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
            return Row(number: number, files: files, note: cells[3])
        }
    }()

    /// The numbers at the beginning of the names of a file's tests, as in `case 31: …` and `cases 49 and 56: …`.
    private static func numbers(in file: SourceFile) -> Set<Int> {
        Set(
            file.lines.filter { $0.contains("\"case") }.flatMap { line in
                line.matches(of: #/"cases? (\d+(?:(?:, | and )\d+)*): /#).flatMap { match in
                    match.1.matches(of: /\d+/).compactMap { Int($0.0) }
                }
            })
    }

    @Test func allOfThemAreListed() {
        #expect(Self.rows.map(\.number) == Array(1...68))
    }

    @Test func theModelStatesEachOfThem() throws {
        let page = try SourceFile.read("docs/model.md")
        let numbers = page.lines.compactMap { $0.firstMatch(of: #/^- \*\*(\d+)\*\* /#).flatMap { Int($0.1) } }
        #expect(numbers == Array(1...68))
    }

    @Test("A case is tested where the page says, or the page says why not", arguments: rows)
    func tested(_ row: Row) throws {
        #expect(!row.files.isEmpty || !row.note.isEmpty)
        for path in row.files {
            let file = try SourceFile.read("Tests/" + path)
            #expect(Self.numbers(in: file).contains(row.number), "\(path)")
        }
    }

    @Test("The page knows every file that names a case", arguments: SourceFile.tests)
    func listed(_ file: SourceFile) {
        for number in Self.numbers(in: file) {
            let row = Self.rows.first { $0.number == number }
            #expect(row?.files.contains { "Tests/" + $0 == file.path } == true, "case \(number)")
        }
    }
}
