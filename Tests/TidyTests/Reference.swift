import Foundation

/// A file of the repository that a text names, with its sections and rules if the text names them.
struct Reference: Hashable {
    /// The path from the top of the repository, or the bare name of a page.
    let path: String
    /// The numbers of headings such as `## 5. Change sets`.
    var sections: [Int] = []
    /// The numbers of list items in the section, if the text names only one section.
    var rules: [Int] = []

    /// The references in a text, such as `Tests/CASES.md`, `docs/model.md sections 3 to 6` and `docs/contract.md
    /// section 5, rules 1, 2 and 4`.
    static func all(in text: String) -> [Reference] {
        let pattern =
            #/
            (?: ^ | [^\w./\-] )
            ( (?: docs | Sources | Tests | docker | \.ci ) / [\w+./\-]* \w | [\w\-]+\.md )
            (?: `? ,? \s sections? \s ( \d+ (?: (?: \s to \s | ,\s | \s and \s ) \d+ )* )
                (?: ,\s rules? \s ( \d+ (?: (?: ,\s | \s and \s ) \d+ )* ) )? )?
            /#
        return text.matches(of: pattern).map { match in
            Reference(
                path: String(match.1), sections: match.2.map { numbers(in: String($0)) } ?? [],
                rules: match.3.map { numbers(in: String($0)) } ?? [])
        }
    }

    /// The numbers in `1, 2 and 4` and in `3 to 6`.
    static func numbers(in text: String) -> [Int] {
        let numbers = text.matches(of: /\d+/).compactMap { Int($0.0) }
        guard text.contains(" to "), let first = numbers.first, let last = numbers.last, first < last else {
            return numbers
        }
        return Array(first...last)
    }

    /// The part of the reference that does not exist; nil if everything exists.
    var fault: String? {
        let isBare = !path.contains("/")
        let file = isBare ? SourceFile.pages.first { $0.isNamed(path) }?.path : path
        guard let file, FileManager.default.fileExists(atPath: SourceFile.top.appending(path: file).path) else {
            return "\(path) is not there"
        }
        guard !sections.isEmpty else { return nil }
        guard let page = try? SourceFile.read(file) else { return "\(path) has no sections" }
        for number in sections {
            guard let section = page.section(number) else { return "\(path) has no section \(number)" }
            for rule in rules where !section.contains(where: { $0.hasPrefix("\(rule). ") }) {
                return "\(path) section \(number) has no rule \(rule)"
            }
        }
        return nil
    }
}

extension SourceFile {
    /// Whether this is the path of the file, or its last part.
    fileprivate func isNamed(_ name: String) -> Bool { path == name || path.hasSuffix("/\(name)") }

    /// The lines of a page without those of its code.
    var proseLines: [String] {
        var isCode = false
        return lines.filter { line in
            let isFence = line.hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }
    }

    /// The numbers of the page's headings, such as 5 in `## 5. Change sets`.
    var sectionNumbers: [Int] {
        proseLines.compactMap { $0.firstMatch(of: #/^## (\d+)\. /#).flatMap { Int($0.1) } }
    }

    /// The lines below the heading with this number; nil if there is no such heading.
    fileprivate func section(_ number: Int) -> ArraySlice<String>? {
        let lines = proseLines
        guard let start = lines.firstIndex(where: { $0.hasPrefix("## \(number). ") }) else { return nil }
        return lines[lines.index(after: start)...].prefix { !$0.hasPrefix("## ") }
    }

    /// The file's text for people, in one line: the comments of a program, or everything of another file. Only lines
    /// that may name a file are included, with the line behind each, which may go on with a section.
    var prose: String {
        let texts = isProgram ? lines.compactMap(Self.comment) : lines[...].map { $0.drop { " #".contains($0) } }
        let names = texts.map { text in Self.marks.contains { text.contains($0) } }
        let near = texts.indices.filter { names[$0] || $0 > 0 && names[$0 - 1] }
        return near.map { texts[$0] }.joined(separator: " ")
    }

    private static let marks = ["docs/", "Sources/", "Tests/", "docker/", ".ci/", ".md"]

    private var isProgram: Bool { [".swift", ".js", ".ts", ".c", ".h"].contains { path.hasSuffix($0) } }

    private static func comment(in line: String) -> Substring? {
        let start = line.drop { $0 == " " }
        if start.hasPrefix("*") { return start.drop { "* ".contains($0) } }
        guard line.utf8.contains(UInt8(ascii: "/")) else { return nil }
        let marks = ["//", "/*"].compactMap { line.firstRange(of: $0)?.lowerBound }
        return marks.min().map { line[$0...].drop { "/* ".contains($0) } }
    }
}
