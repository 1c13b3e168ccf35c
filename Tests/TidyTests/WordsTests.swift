import Foundation
import Testing

/// The glossary, docs/words.md: `- **word** (`names`): sentence`.
@Suite struct WordsTests {
    @Test func eachWordHasOneRow() throws {
        let words = try rows().map(\.word)
        try #require(words.count >= 100)
        #expect(words.count == Set(words).count)
    }

    @Test func theTypesAndFilesThatItNamesAreThere() throws {
        let declaration = #/(?:struct|class|enum|actor|protocol|typealias) ([A-Z]\w*)/#
        let declared = Set(
            SourceFile.sources.flatMap(\.lines).flatMap { $0.matches(of: declaration).map { String($0.1) } })
        let files = Set(SourceFile.sources.compactMap { $0.path.split(separator: "/").last.map(String.init) })
        for row in try rows() {
            for name in row.names {
                if name.hasSuffix(".swift") { #expect(files.contains(name), "\(row.word): \(name)") }
                guard name.wholeMatch(of: #/[A-Z]\w*(?:\.\w+)?/#) != nil, !name.hasSuffix(".swift") else { continue }
                for part in name.split(separator: ".") where part.first?.isUppercase == true {
                    #expect(declared.contains(String(part)), "\(row.word): \(name)")
                }
            }
        }
    }

    private func rows() throws -> [(word: String, names: [String])] {
        let row = #/- \*\*(.+?)\*\*(?: \((.+?)\))?:/#
        return try SourceFile.read("docs/words.md").lines.compactMap { line in
            line.prefixMatch(of: row).map { match in
                (String(match.1), match.2.map { $0.split(separator: "`").map(String.init) } ?? [])
            }
        }
    }
}
