import Foundation
import Testing

/// The targets of the Makefile, and the pages that name them.
@Suite struct MakefileTests {
    @Test("A target that a page names is there", arguments: SourceFile.pages)
    func named(_ page: SourceFile) throws {
        let targets = try targets()
        for line in page.lines {
            for target in Self.named(in: line) { #expect(targets.contains(target), "make \(target): \(line)") }
        }
    }

    @Test func theTargetsAreFound() throws {
        #expect(try targets().isSuperset(of: ["build", "test", "deb-test", "soak", ".venv"]))
        #expect(Set(SourceFile.pages.flatMap(\.lines).flatMap { Self.named(in: $0) }).count > 20)
    }

    @Test(arguments: [
        ("Run `make soak-nodes`, or `make`.", ["soak-nodes"]), ("make run ARGS=\"--port 9000\"", ["run"]),
        ("They make lists of `make`s.", []), ("`make bench-http ARGS=--quick` and `make deb`", ["bench-http", "deb"]),
    ])
    func finder(_ line: String, _ targets: [String]) {
        #expect(Self.named(in: line) == targets)
    }

    /// A file of the name of a target would otherwise stop it.
    @Test func aTargetThatIsNoFileIsPhony() throws {
        let lines = try SourceFile.read("Makefile").lines
        let phony = Set(
            lines.joined(separator: "\n").replacing("\\\n", with: " ").components(separatedBy: "\n")
                .filter { $0.hasPrefix(".PHONY:") }.flatMap {
                    $0.split(whereSeparator: \.isWhitespace).dropFirst().map(String.init)
                })
        #expect(try targets().filter { !$0.hasPrefix(".") } == phony)
    }

    /// The targets that a line names: in code within prose, and at the beginning of a line of a block.
    private static func named(in line: String) -> [String] {
        line.matches(of: #/(?:^|`)make ([a-z][a-z-]*)(?=[` ]|$)/#).map { String($0.1) }
    }

    private func targets() throws -> Set<String> {
        Set(
            try SourceFile.read("Makefile").lines.compactMap { line in
                line.prefixMatch(of: #/([.\/a-z-]+):(?!=)/#).map { String($0.1) }
            }
        ).subtracting([".DEFAULT_GOAL", ".PHONY"])
    }
}
