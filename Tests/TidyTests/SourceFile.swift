import Foundation
import Testing

/// A text file of the repository, by its path from the top.
struct SourceFile: Sendable, CustomTestStringConvertible {
    let path: String
    let lines: [String]

    var testDescription: String { path }

    /// The folder below `Sources` or `Tests`, which is the name of the target.
    var target: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// The lines that are not comments.
    var code: [String] {
        lines.filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
    }

    /// The modules of the lines that import one, without access levels, attributes and the kind of a scoped import.
    var importLines: [String] { lines.compactMap(Self.importedModule) }

    /// The modules that the file imports.
    var imports: Set<String> { Set(importLines) }

    private static func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import"), words.count > keyword + 1 else { return nil }
        let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        guard words[..<keyword].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }) else { return nil }
        // `import struct Glibc.stat` names the module before the dot.
        return words.last?.split(separator: ".").first.map(String.init)
    }
}

extension SourceFile {
    static let sources = swiftFiles(below: "Sources")
    static let tests = swiftFiles(below: "Tests")
    static let pages = [".", ".ci", "docker", "docs", "Sources", "Tests"].flatMap { folder in
        files(below: folder, suffix: ".md", deep: folder != ".")
    }

    /// Scripts, scripts of the page, C sources, and other files that may name files.
    static let otherTexts =
        ["Sources", "Tests"].flatMap { folder in
            [".js", ".ts", ".c", ".h", ".py"].flatMap { files(below: folder, suffix: $0, deep: true) }
        } + ["Makefile", "openapi.yaml"].flatMap { files(below: ".", suffix: $0, deep: false) }
        + files(below: ".ci", suffix: "", deep: true)

    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func read(_ path: String) throws -> SourceFile {
        var lines = try String(contentsOf: top.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
        // The empty text behind the last line feed is not a line.
        if lines.last == "" { lines.removeLast() }
        return SourceFile(path: path, lines: lines)
    }

    private static func swiftFiles(below folder: String) -> [SourceFile] {
        files(below: folder, suffix: ".swift", deep: true)
    }

    private static func files(below folder: String, suffix: String, deep: Bool) -> [SourceFile] {
        let manager = FileManager.default
        let path = top.appending(path: folder).path
        // The folder need not exist. A test of its own checks that the required files are found.
        let names = try? deep ? manager.subpathsOfDirectory(atPath: path) : manager.contentsOfDirectory(atPath: path)
        return (names ?? []).filter { $0.hasSuffix(suffix) && !$0.contains(".build") }.sorted()
            .compactMap { try? read(folder == "." ? $0 : "\(folder)/\($0)") }
    }
}

extension SourceFile {
    /// The cells of a line of a table, such as `| a | b |`, without the blanks around them.
    static func cells(of line: String) -> [String] {
        line.split(separator: "|").map { String($0.trimming(while: \.isWhitespace)) }
    }
}

extension StringProtocol {
    fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> SubSequence {
        let end = lastIndex { !isTrimmed($0) }.map(index(after:)) ?? startIndex
        return self[..<end].drop(while: isTrimmed)
    }
}
