import Foundation
import Testing

@testable import liststate

/// The tables of docs/operations.md agree with the program.
@Suite struct OperationsTests {
    @Test func everyOptionIsThereOnce() throws {
        let names = try rows().map(\.option)
        #expect(names.sorted() == (Environment.options + Environment.flags).sorted())
    }

    @Test func theDefaultsAreThoseOfTheHelp() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output.components(separatedBy: "\n  --")
        for row in try rows() where !row.standard.isEmpty {
            let entry = try #require(help.first { $0.prefix { $0.isLetter || $0 == "-" } == row.option })
            let words = entry.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let found = words.firstMatch(of: #/default: ([^\s;)]+)/#)?.1
            #expect(found.map(String.init) == row.standard, "--\(row.option): \(words)")
        }
    }

    /// Every number from 64 to 78 in the command's sources is an exit code of sysexits.h.
    @Test func everyExitCodeIsThere() throws {
        let told = try lines().compactMap { $0.firstMatch(of: #/^\| (\d+) \|/#)?.1 }
        let folder = Self.top.appending(path: "Sources/liststate")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let source = try files.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
        let codes = source.matches(of: #/\b(?:6[4-9]|7[0-8])\b/#).map(\.output)
        try #require(codes.contains("65"))
        #expect(Set(codes).isSubset(of: told))
    }

    /// The rows of the tables of options, such as `| \`--port\` | \`8080\` | meaning |`.
    private func rows() throws -> [(option: String, standard: String)] {
        try lines().compactMap { line in
            line.firstMatch(of: #/^\| `--([a-z-]+)` \| (?:`([^`]+)`)? ?\|/#).map {
                (String($0.1), $0.2.map(String.init) ?? "")
            }
        }
    }

    private func lines() throws -> [String] {
        try String(contentsOf: Self.top.appending(path: "docs/operations.md"), encoding: .utf8)
            .components(separatedBy: "\n")
    }

    private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
