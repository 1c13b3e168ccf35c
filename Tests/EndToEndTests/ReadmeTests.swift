import Foundation
import TestSupport
import Testing

/// The blocks of a page do what the page says when they are pasted into a shell.
@Suite struct ReadmeTests {
    /// A page and the least number of its blocks. The number makes the test fail if the blocks are not recognized.
    struct Page: Sendable, CustomTestStringConvertible {
        let path: String
        let stepsMin: Int
        var testDescription: String { path }
    }

    static let pages = [
        Page(path: "README.md", stepsMin: 16), Page(path: "docs/examples.md", stepsMin: 8),
        Page(path: "docs/operations.md", stepsMin: 7), Page(path: "docs/command.md", stepsMin: 6),
        Page(path: "docs/absence.md", stepsMin: 9),
    ]

    /// The blocks of a page run in one shell, in order, because later blocks use variables of earlier ones.
    @Test("A page's blocks are true", arguments: pages)
    func blocks(_ page: Page) throws {
        try #require(try Self.steps(page.path).count >= page.stepsMin)
        let folder = try TemporaryFolder()
        let server = try ServerProcess(["--data", folder.path + "/data", "--samples"])
        try Self.check(page.path, on: server.port, in: folder.path)
    }

    /// Runs the blocks of a page against a server that has the samples, and compares the answers.
    static func check(_ page: String, on port: UInt16, in folder: String) throws {
        let steps = try steps(page)
        let answers = try run(steps.map(\.commands), in: folder, port: port)
        try #require(answers.count == steps.count)
        for (step, answer) in zip(steps, answers) {
            guard let expected = step.expected else { continue }
            #expect(matches(answer, expected), "\(step.commands)\nanswered\n\(answer)")
        }
    }

    @Test func theFirstBlocksAreTargets() throws {
        let targets = try Self.text("Makefile").components(separatedBy: "\n").map { $0.prefix { $0 != ":" } }
        let blocks = try Self.blocks("README.md").filter { $0.language == "sh" }.prefix(2).map(\.text)
        #expect(blocks == ["make run", "make test"])
        #expect(blocks.allSatisfy { targets.contains($0.dropFirst("make ".count)) })
    }

    /// Tests the comparison itself. A comparison that accepts everything would hide all errors of a page.
    @Test(arguments: [
        ("{\"a\": 1,\n \"b\":2}", "{\"a\":1, \"b\":2}", true),
        ("k3v9-1 x", "…-1x", true), ("k3v9-2", "…-1", false), ("ab", "a…b", true), ("abc", "a…b", false),
        ("aXbYc", "a…b…c", true), ("aXcYb", "a…b…c", false), ("ba", "…b", false), ("aba", "ab…ba", false),
        ("", "", true), ("x", "", false), ("anything", "…", true),
    ])
    func comparison(_ answer: String, _ expected: String, _ isMatch: Bool) {
        #expect(Self.matches(answer, expected) == isMatch)
    }

    /// A block of commands, and the block with the expected answer that follows it before the next commands.
    struct Step {
        var commands: String
        var expected: String?
    }

    /// The blocks that are pasted: all blocks of commands except the two that build and test.
    private static func steps(_ page: String) throws -> [Step] {
        var steps: [Step] = []
        for block in try blocks(page) {
            if block.language == "sh" {
                steps.append(Step(commands: block.text, expected: nil))
            } else if !steps.isEmpty, steps[steps.count - 1].expected == nil, ["json", "text"].contains(block.language)
            {
                steps[steps.count - 1].expected = block.text
            }
        }
        return steps.filter { !$0.commands.hasPrefix("make ") }
    }

    static func blocks(_ page: String) throws -> [(language: String, text: String)] {
        let parts = try text(page).components(separatedBy: "\n```")
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

    /// The output of each block, in a shell that finds `liststate`.
    private static func run(_ blocks: [String], in folder: String, port: UInt16) throws -> [String] {
        let end = "\u{1e}"
        let script = blocks.map { "\($0)\nprintf '\(end)'\n" }.joined()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script.replacingOccurrences(of: "localhost:8080", with: "127.0.0.1:\(port)")]
        process.currentDirectoryURL = URL(filePath: folder)
        var environment = ProcessInfo.processInfo.environment
        let programs = ServerProcess.executable.deletingLastPathComponent().path
        environment["PATH"] = "\(programs):\(environment["PATH"] ?? "")"
        environment["LISTSTATE_PORT"] = "\(port)"
        environment["XDG_STATE_HOME"] = folder + "/state"
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.runAlone()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: end).dropLast()
    }

    /// Whether the answer is the expected text. `…` stands for any text, and white space is not compared.
    static func matches(_ answer: String, _ expected: String) -> Bool {
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
