import Foundation
import TestSupport
import Testing

/// The program of docs/tutorial.md in Swift does what the page says. Tests/Browser/test_tutorial.py runs the other parts.
///
/// A package of its own builds the library once more, which takes minutes. So the program is compiled with the modules
/// and the object files of this build.
@Suite struct TutorialInSwiftTests {
    /// Whether this build has the library, and its object files ask for no sanitizer.
    static let hasLibrary =
        ServerProcess.productsFolder.path.contains("/.build/")
        && FileManager.default.fileExists(
            atPath: ServerProcess.productsFolder.appending(path: "Modules/ListStateClient.swiftmodule").path)

    /// The list as the parts before have left it.
    private static let list = """
        {"title": "Shopping", "sections": [{"id": "today", "items": [
          {"id": "bread", "content": {"title": "Bread"}, "starred": true},
          {"id": "tea", "content": {"title": "Green tea"}, "starred": true},
          {"id": "milk", "content": {"title": "Milk"}, "starred": true}]}, {"id": "later"}]}
        """

    @Test(.enabled(if: hasLibrary, "This build has no ListStateClient."))
    func theProgramShowsAndEdits() async throws {
        let folder = try TemporaryFolder()
        let blocks = try Self.blocks()
        try #require(blocks.map(\.language) == ["sh", "swift", "swift", "sh", "text", "sh", "text"])
        let server = try ServerProcess(["--memory"])
        try #require(try server.client.send("PUT", "/v1/lists/shopping", json: Self.list).status == 201)
        let program = try Self.build(
            blocks[2].text.replacing("localhost:8080", with: "127.0.0.1:\(server.port)"), in: folder.path)

        let output = folder.path + "/output"
        let process = try Self.start(program, in: folder.path, output: output)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        try await Self.wait(for: blocks[4].text, in: output)
        let star = blocks[5].text.split(separator: " ").dropFirst().map(String.init)
        let run = try ServerProcess.run(star + ["--url", "http://127.0.0.1:\(server.port)"])
        #expect(run.exitCode == 0, "\(run.errors)")
        try await Self.wait(for: blocks[4].text + "\n" + blocks[6].text, in: output)
    }

    /// The package of the page names the product by which an application depends on this one.
    @Test func thePackageDependsOnTheProduct() throws {
        let package = try #require(try Self.blocks().first { $0.language == "swift" }).text
        #expect(package.contains(".product(name: \"ListStateClient\", package: \"liststate\")"))
        #expect(package.contains(".package(name: \"liststate\", path: \"/home/me/liststate\")"))
    }

    /// The blocks of the part in Swift.
    private static func blocks() throws -> [(language: String, text: String)] {
        let all = try ReadmeTests.blocks("docs/tutorial.md")
        let first = try #require(all.firstIndex { $0.text.hasPrefix("mkdir -p ~/shopping/swift/") })
        return Array(all[first..<min(first + 7, all.count)])
    }

    /// Compiles a program, and links what it needs of this build.
    private static func build(_ code: String, in folder: String) throws -> String {
        try code.write(toFile: folder + "/main.swift", atomically: true, encoding: .utf8)
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let script = """
            set -eu
            find "$PRODUCTS" -path '*.build/*' -name '*.o' \
                | grep -v 'Tests.build/\\|-tool.build/\\|/liststate.build/\\|Benchmark.build/\\|/generate_' \
                | tr '\\n' '\\0' | xargs -0 ar rcsT all.a
            modules=()
            for folder in "$TOP"/Sources/C*/ "$TOP"/Sources/C*/include "$TOP"/.build/checkouts/*/Sources/*SQLite; do
                modules+=(-I "$folder")
            done
            for map in "$PRODUCTS"/C*.build/module.modulemap; do
                modules+=(-Xcc "-fmodule-map-file=$map")
            done
            swiftc -swift-version 6 -I "$PRODUCTS/Modules" "${modules[@]}" main.swift all.a -lsqlite3 -lnettle -o program
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PRODUCTS": ServerProcess.productsFolder.path, "TOP": top]) { $1 }
        let errors = Pipe()
        process.standardError = errors
        try process.runAlone()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
        return folder + "/program"
    }

    private static func start(_ program: String, in folder: String, output: String) throws -> Process {
        try #require(FileManager.default.createFile(atPath: output, contents: nil))
        let process = Process()
        // Lines come at once, as on a terminal.
        process.executableURL = URL(filePath: "/usr/bin/stdbuf")
        process.arguments = ["-oL", program]
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        try process.runAlone()
        return process
    }

    /// Waits until a file has the expected text. The time only ends a wait for what never comes.
    private static func wait(for expected: String, in file: String) async throws {
        var found = ""
        for _ in 0..<1_500 {
            found = try String(contentsOfFile: file, encoding: .utf8)
            if ReadmeTests.matches(found, expected) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("The program has printed\n\(found)\nnot\n\(expected)")
    }
}
