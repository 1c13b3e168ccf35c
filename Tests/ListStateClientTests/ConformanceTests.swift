import Foundation
import TestSupport
import Testing

/// The cases for others hold for the client in Swift, too.
@Suite struct ConformanceTests {
    @Test func theClientPassesTheCases() throws {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("ConformanceAdapter")
        let runner = Process()
        runner.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        runner.arguments = [
            "python3", top.appendingPathComponent("Tests/Conformance/conformance.py").path, "--client",
            "'\(program.path)'",
        ]
        let output = Pipe()
        (runner.standardOutput, runner.standardError) = (output, output)
        try runner.runAlone()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        runner.waitUntilExit()
        #expect(runner.terminationStatus == 0, "\(text)")
        let passed = text.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) }.first
        #expect(passed ?? 0 > 200, "\(text)")
    }
}
