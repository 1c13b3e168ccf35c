import Foundation
import Testing

/// Benchmarks and soaks run rarely. A script of theirs that lacks a module of the project is found here.
@Suite struct ScriptTests {
    /// The scripts that have options, and import nothing but Python's own modules and those of the project.
    static let scripts = SourceFile.otherTexts.filter { file in
        file.path.hasSuffix(".py") && file.lines.contains { $0.contains("ArgumentParser(") }
            && !file.lines.contains { $0.hasPrefix("import schemathesis") }
    }

    @Test("A script finds all that it imports, and says how it is used", arguments: scripts)
    func help(_ script: SourceFile) throws {
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = ["python3", "-B", SourceFile.top.appending(path: script.path).path, "--help"]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
        #expect(said.hasPrefix("usage: "))
    }

    @Test func theScriptsAreFound() {
        let known: Set = ["Tests/Benchmarks/crowd/bench.py", "Tests/Nodes/nodes.py"]
        #expect(known.subtracting(Self.scripts.map(\.path)) == [])
    }
}
