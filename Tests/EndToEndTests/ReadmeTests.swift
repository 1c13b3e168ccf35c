import Foundation
import Testing

/// What the README says that a server answers is what it answers.
@Suite struct ReadmeTests {
    /// The commands are run by one shell in the README's order, since later ones use what earlier ones have set.
    @Test func theConsoleBlocksAreTrue() throws {
        let steps = try Self.steps()
        try #require(steps.count >= 10)
        let server = try ServerProcess(["--memory", "--samples"])

        let answers = try Self.run(steps.map(\.command), port: server.port)

        try #require(answers.count == steps.count)
        for (step, answer) in zip(steps, answers) {
            #expect(Self.matches(answer, step.expected), "\(step.command)\nanswered\n\(answer)")
        }
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

    struct Step {
        var command: String
        var expected: String
    }

    /// The lines that begin with `$ ` in the `console` blocks, each with the lines up to the next one.
    private static func steps() throws -> [Step] {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
        var steps: [Step] = []
        for block in text.components(separatedBy: "```console\n").dropFirst() {
            for line in block.components(separatedBy: "\n```")[0].components(separatedBy: "\n") {
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2)), expected: ""))
                } else if !steps.isEmpty {
                    steps[steps.count - 1].expected += line + "\n"
                }
            }
        }
        return steps
    }

    /// What each command printed.
    private static func run(_ commands: [String], port: UInt16) throws -> [String] {
        let end = "\u{1e}"
        let script = commands.map { "\($0)\nprintf '\(end)'\n" }.joined()
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
