import Foundation
import Testing

/// Checks that everything exists that pages and comments name: files, sections and rules.
@Suite struct LinkTests {
    @Test("A page's links lead to files that are there", arguments: SourceFile.pages)
    func links(_ page: SourceFile) {
        let folder = SourceFile.top.appending(path: page.path).deletingLastPathComponent()
        for link in page.lines.flatMap(links(in:)) {
            let file = folder.appending(path: link)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
        }
    }

    /// The paths among the targets of `[text](target)` in a line, without the part behind `#`.
    private func links(in line: String) -> [String] {
        line.components(separatedBy: "](").dropFirst().compactMap { rest in
            guard let end = rest.firstIndex(of: ")") else { return nil }
            let path = rest[..<end].prefix { $0 != "#" }
            return path.isEmpty || path.contains(":") ? nil : String(path)
        }
    }

    @Test(
        "A file that a text names is there, with the section that it names",
        arguments: SourceFile.pages + SourceFile.sources + SourceFile.tests + SourceFile.otherTexts)
    func references(_ file: SourceFile) {
        // This file has wrong references on purpose, below.
        guard !#filePath.hasSuffix(file.path) else { return }
        #expect(Reference.all(in: file.prose).compactMap(\.fault) == [])
    }

    @Test("A section of its own that a page names is there", arguments: SourceFile.pages)
    func ownSections(_ page: SourceFile) {
        let numbers = page.sectionNumbers
        guard !numbers.isEmpty else { return }
        let text = page.lines.joined(separator: " ")
        let named = text.matches(of: /\(section (\d+)\)|: section (\d+)/).compactMap { Int($0.1 ?? $0.2 ?? "") }
        #expect(Set(named).subtracting(numbers) == [])
    }

    @Test func theTextsAreFound() {
        #expect(SourceFile.pages.map(\.path).contains("README.md"))
        let others = Set(SourceFile.otherTexts.map(\.path))
        let known: Set = [
            "Makefile", "openapi.yaml", ".ci/run", "Sources/CAssets/page/main.js", "Sources/CReading/reading.c",
            "Tests/Hostile/hostile.py",
        ]
        #expect(known.subtracting(others) == [])
    }

    /// A text, and the fault that the finder must report.
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let fault: String?
        var testDescription: String { text }

        init(_ text: String, _ fault: String? = nil) {
            self.text = text
            self.fault = fault
        }
    }

    @Test(
        "A wrong reference is found",
        arguments: [
            Row("See Tests/CASES.md."), Row("`Sources/ListDiff`, and docs/."), Row("(docs/contract.md section 5)"),
            Row("docs/contract.md section 5, rules 1, 2 and 4."), Row("docs/model.md sections 3 to 6"),
            Row("`docs/contract.md` section 7, and RFC 9110, section 13.1"), Row("https://a.example/docs/none.md"),
            Row("See CONTRIBUTING.md."), Row("Nothing."),
            Row("See NOWHERE.md section 5.", "NOWHERE.md is not there"),
            Row("See docs/none.md.", "docs/none.md is not there"),
            Row("`Tests/None/none.swift`", "Tests/None/none.swift is not there"),
            Row("(docs/contract.md section 99)", "docs/contract.md has no section 99"),
            Row("`docs/contract.md` section 99", "docs/contract.md has no section 99"),
            Row("docs/model.md sections 3 to 66", "docs/model.md has no section 16"),
            Row("docs/model.md sections 3 and 66", "docs/model.md has no section 66"),
            Row("docs/contract.md section 5, rules 1 and 44", "docs/contract.md section 5 has no rule 44"),
            Row("Sources/ListDiff section 1", "Sources/ListDiff has no sections"),
        ])
    func finder(_ row: Row) {
        #expect(Reference.all(in: row.text).compactMap(\.fault) == [row.fault].compactMap(\.self))
    }

    @Test("Of a program only comments count", arguments: ["a.swift", "a.js", "a.c", "a.h"])
    func comments(_ path: String) {
        let lines = [
            "let a = 1  // docs/a.md", "  /// docs/b.md", "/* docs/c.md", " * docs/d.md */", "let b = \"docs/e.md\"",
            "/// docs/f.md", "/// section 7",
        ]
        let found = Reference.all(in: SourceFile(path: path, lines: lines).prose)
        #expect(found.map(\.path) == ["a", "b", "c", "d", "f"].map { "docs/\($0).md" })
        #expect(found.last?.sections == [7])
    }
}
