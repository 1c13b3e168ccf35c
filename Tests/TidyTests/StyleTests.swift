import Testing

@Suite struct StyleTests {
    /// A line that steps outside the compiler's proof must say why it is safe.
    @Test("What is unchecked says why it is safe", arguments: SourceFile.sources)
    func safety(_ file: SourceFile) {
        for (index, line) in file.lines.enumerated() where isUnchecked(line) {
            #expect(comment(above: index, in: file).contains { $0.contains("- Safety:") }, "line \(index + 1)")
        }
    }

    /// Each of these words stops the server, or says that something is not finished.
    @Test("No line gives up or puts off", arguments: SourceFile.sources)
    func unfinished(_ file: SourceFile) {
        let words = ["TODO", "FIXME", "XXX", "try!", "fatalError"]
        for (index, line) in file.lines.enumerated() {
            #expect(words.filter(line.contains) == [], "line \(index + 1)")
        }
    }

    @Test("A file is short enough to read", arguments: SourceFile.sources + SourceFile.tests)
    func length(_ file: SourceFile) {
        #expect(file.lines.count <= 400)
    }

    @Test("A file imports a module once", arguments: SourceFile.sources + SourceFile.tests)
    func imports(_ file: SourceFile) {
        #expect(file.importLines.count == file.imports.count)
    }

    private func isUnchecked(_ line: String) -> Bool {
        guard !isComment(line) else { return false }
        return line.contains("@unchecked") || line.contains("nonisolated(unsafe)")
    }

    /// The comment right above a line. Attributes may stand between.
    private func comment(above index: Int, in file: SourceFile) -> ArraySlice<String> {
        let above = file.lines[..<index]
        let start = above.lastIndex { !isComment($0) && !isAttribute($0) }.map { $0 + 1 } ?? 0
        return above[start...]
    }

    private func isComment(_ line: String) -> Bool { line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }

    private func isAttribute(_ line: String) -> Bool { line.trimmingPrefix(while: \.isWhitespace).hasPrefix("@") }
}
