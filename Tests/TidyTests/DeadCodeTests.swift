import Testing

/// A name that is declared in `Sources` and occurs nowhere else in them is not used. It must be removed, or moved to
/// the tests that use it. If a name has several declarations, this is noticed only for the last one.
@Suite struct DeadCodeTests {
    /// Names that protocols of Swift or of a package require.
    private static let required: Set<Substring> = [
        "checkIsolated", "unownedExecutor", "appendLiteral", "defaultValueDescription", "makeCounter",
        "makeFloatingPointCounter", "makeMeter", "makeRecorder", "makeTimer", "destroyCounter",
        "destroyFloatingPointCounter", "destroyMeter", "destroyRecorder", "destroyTimer", "decrement",
        "numberOfSections",
    ]
    /// Names that only tests use, to wait for work that a server does at any time.
    private static let awaited: Set<Substring> = ["waitForCompaction"]
    /// The targets whose public names are for other programs.
    private static let products: Set<String> = ["ClientState", "ListStateClient"]
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
        let code = products.contains(file.target) ? file.code.filter { !$0.contains("public ") } : file.code
        return code.flatMap { line in
            let words = words(line)
            return zip(words, words.dropFirst()).filter { keywords.contains($0.0) }.map(\.1)
        }
    }

    private static func words(_ line: String) -> [Substring] {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
}
