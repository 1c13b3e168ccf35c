import Testing

/// A name that is declared in `Sources` and stands nowhere else in them is of no use: it is taken out, or it moves to
/// the tests that use it. Of several declarations of one name only the last one goes unnoticed.
@Suite struct DeadCodeTests {
    /// Called by others: what a protocol of Swift or of a package asks for.
    private static let required: Set<Substring> = [
        "checkIsolated", "unownedExecutor", "appendLiteral", "defaultValueDescription",
    ]
    /// By which tests wait for what a server does when it likes.
    private static let awaited: Set<Substring> = ["waitForCompaction"]
    private static let keywords: Set<Substring> = [
        "func", "var", "let", "struct", "class", "enum", "actor", "protocol", "typealias",
    ]

    @Test func everyNameIsUsed() {
        let counts = Self.counts(SourceFile.sources)
        let once = SourceFile.sources.flatMap(Self.declared).filter { counts[$0] == 1 }
        #expect(Set(once).subtracting(Self.required.union(Self.awaited)) == [])
    }

    @Test func anUnusedNameIsFound() {
        let file = SourceFile(path: "a.swift", lines: ["let used = 1", "// dead", "func dead() {}", "print(used)"])
        let counts = Self.counts([file])
        #expect(Self.declared(file).filter { counts[$0] == 1 } == ["dead"])
    }

    private static func counts(_ files: [SourceFile]) -> [Substring: Int] {
        files.flatMap { $0.code.flatMap(words) }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private static func declared(_ file: SourceFile) -> [Substring] {
        file.code.flatMap { line in
            let words = words(line)
            return zip(words, words.dropFirst()).filter { keywords.contains($0.0) }.map(\.1)
        }
    }

    private static func words(_ line: String) -> [Substring] {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
}
