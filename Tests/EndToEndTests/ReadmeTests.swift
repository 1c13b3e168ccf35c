import Foundation
import Testing

/// What the README says that a server answers is what it answers.
@Suite struct ReadmeTests {
    /// The blocks are pasted into one shell in the README's order, since later ones use what earlier ones have set.
    @Test func theBlocksAreTrue() throws {
        let steps = try Self.steps()
        try #require(steps.count >= 20)
        let server = try ServerProcess(["--memory", "--samples"])

        let answers = try Self.run(steps.map(\.commands), port: server.port)

        try #require(answers.count == steps.count)
        for (step, answer) in zip(steps, answers) {
            guard let expected = step.expected else { continue }
            #expect(Self.matches(answer, expected), "\(step.commands)\nanswered\n\(answer)")
        }
    }

    @Test func theFirstBlocksAreTargets() throws {
        let targets = try Self.text("Makefile").components(separatedBy: "\n").map { $0.prefix { $0 != ":" } }
        let blocks = try Self.blocks().filter { $0.language == "sh" }.prefix(2).map(\.text)
        #expect(blocks == ["make run", "make test"])
        #expect(blocks.allSatisfy { targets.contains($0.dropFirst("make ".count)) })
    }

    /// The comparison itself: without this, a pattern that matches everything would go unnoticed.
    @Test(arguments: [
        ("{\"a\": 1,\n \"b\":2}", "{\"a\":1, \"b\":2}", true),
        ("k3v9-1 x", "…-1x", true), ("k3v9-2", "…-1", false), ("ab", "a…b", true), ("abc", "a…b", false),
        ("aXbYc", "a…b…c", true), ("aXcYb", "a…b…c", false), ("ba", "…b", false), ("aba", "ab…ba", false),
        ("", "", true), ("x", "", false), ("anything", "…", true),
    ])
    func comparison(_ answer: String, _ expected: String, _ isMatch: Bool) {
        #expect(Self.matches(answer, expected) == isMatch)
    }

    /// A block for a shell, and the block that stands behind it before the next one: its answer.
    struct Step {
        var commands: String
        var expected: String?
    }

    /// The blocks that are pasted: those for a shell, but for the two that set all of this up.
    private static func steps() throws -> [Step] {
        var steps: [Step] = []
        for block in try blocks() {
            if block.language == "sh" {
                steps.append(Step(commands: block.text, expected: nil))
            } else if !steps.isEmpty, steps[steps.count - 1].expected == nil, ["json", "text"].contains(block.language)
            {
                steps[steps.count - 1].expected = block.text
            }
        }
        return steps.filter { !$0.commands.hasPrefix("make ") }
    }

    private static func blocks() throws -> [(language: String, text: String)] {
        let parts = try text("README.md").components(separatedBy: "\n```")
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let lines = parts[index].components(separatedBy: "\n")
            return (lines[0], lines.dropFirst().joined(separator: "\n"))
        }
    }

    private static func text(_ path: String) throws -> String {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: top.appending(path: path), encoding: .utf8)
    }

    /// What each block printed.
    private static func run(_ blocks: [String], port: UInt16) throws -> [String] {
        let end = "\u{1e}"
        let script = blocks.map { "\($0)\nprintf '\(end)'\n" }.joined()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script.replacingOccurrences(of: "localhost:8080", with: "127.0.0.1:\(port)")]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: end).dropLast()
    }

    /// Whether the answer is the expected text, where `…` stands for anything and white space does not count.
    private static func matches(_ answer: String, _ expected: String) -> Bool {
        var rest = answer.filter { !$0.isWhitespace }[...]
        var pieces = expected.filter { !$0.isWhitespace }.components(separatedBy: "…")
        let last = pieces.removeLast()
        guard let first = pieces.first else { return rest == last }
        guard rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        for piece in pieces.dropFirst() where !piece.isEmpty {
            guard let found = rest.range(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= last.count && rest.hasSuffix(last)
    }
}
