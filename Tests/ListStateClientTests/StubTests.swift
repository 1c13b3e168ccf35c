import Foundation
import TestSupport
import Testing

/// The code for Apple's user interfaces is checked against the signatures in `Tests/Stubs`, and so are the snippets of
/// the pages. Nothing of it runs.
@Suite struct StubTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// The folder of the test program.
    private static let build = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    private static let sources = top.appending(path: "Sources/ListStateClient")
    /// The module of the client with its parts for UIKit, and the stubs.
    private static let modules = Result { try Modules() }

    @Test func theClientFitsUIKit() throws { _ = try Self.modules.get() }

    @Test(
        "A mistake is found",
        arguments: [
            ("moveRow(at: indexPath", "moveRow(from: indexPath"), ("completion: nil", "animated: true"),
            ("reconfigureItems(rows.reconfiguredItems)", "reconfigureItems(rows.reloadedSections)"),
            ("func numberOfSections(in", "func sectionCount(in"),
            ("final class TableRows", "nonisolated final class TableRows"),
        ])
    func mistakes(_ right: String, _ wrong: String) throws {
        let modules = try Self.modules.get()
        let text = try String(contentsOf: Self.sources.appending(path: "Views/UIKit.swift"), encoding: .utf8)
        try #require(text.contains(right))
        let planted = modules.folder.appending(path: "\(UUID()).swift")
        try text.replacing(right, with: wrong).write(to: planted, atomically: true, encoding: .utf8)
        let others = try Modules.client().filter { !$0.path.hasSuffix("/UIKit.swift") }.map(\.path)
        let said = try Modules.swift(
            ["-frontend", "-typecheck", "-primary-file", planted.path] + others + ["-module-name", "ListStateClient"]
                + Modules.ours + modules.flags)
        #expect(said.contains("error:"))
    }

    @Test("The snippets of a page compile", arguments: ["collection-view", "swiftui", "swift"])
    func snippets(_ page: String) throws {
        let modules = try Self.modules.get()
        let text = try String(contentsOf: Self.top.appending(path: "docs/\(page).md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        try #require(!blocks.isEmpty)
        let folder = modules.folder.appending(path: page)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appending(path: "main.swift")
        try blocks.joined(separator: "\n").write(to: program, atomically: true, encoding: .utf8)
        let around = Self.top.appending(path: "Tests/Stubs/Around.swift")
        let said = try Modules.swift(
            ["-typecheck", "-swift-version", "6", "-module-name", "Page"] + modules.flags + [program.path, around.path])
        #expect(!said.contains("error:"), "\(said)")
    }

    /// The stubs and the client as modules.
    private struct Modules {
        let folder: URL
        let flags: [String]

        static let ours =
            ["-swift-version", "6", "-warnings-as-errors", "-package-name", packageName]
            + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].flatMap {
                ["-enable-upcoming-feature", $0]
            }

        /// The name that SwiftPM gives to the package, which is that of its folder.
        private static let packageName = String(
            StubTests.top.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "stubs-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let scratch = StubTests.build.deletingLastPathComponent().deletingLastPathComponent()
            let sqlite = scratch.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap").path
            flags = [
                "-I", folder.path, "-I", StubTests.build.appending(path: "Modules").path,
                "-Xcc", "-fmodule-map-file=\(sqlite)",
            ]
            for stub in ["UIKit", "SwiftUI"] {
                let file = StubTests.top.appending(path: "Tests/Stubs/\(stub)/\(stub).swift").path
                try emit(stub, ["-swift-version", "6", file])
            }
            try emit("ListStateClient", Self.ours + flags + Self.client().map(\.path))
        }

        static func client() throws -> [URL] {
            try FileManager.default.subpathsOfDirectory(atPath: StubTests.sources.path).filter {
                $0.hasSuffix(".swift")
            }
            .sorted().map { StubTests.sources.appending(path: $0) }
        }

        private func emit(_ module: String, _ arguments: [String]) throws {
            let path = folder.appending(path: "\(module).swiftmodule").path
            let said = try Self.swift(
                ["-emit-module", "-o", path, "-module-name", module, "-parse-as-library"] + arguments)
            guard !said.contains("error:") else { throw Failure(description: said) }
        }

        /// What the compiler says.
        static func swift(_ arguments: [String]) throws -> String {
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/usr/bin/env")
            compiler.arguments = ["swiftc"] + arguments
            let output = Pipe()
            (compiler.standardOutput, compiler.standardError) = (output, output)
            try compiler.runAlone()
            let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            compiler.waitUntilExit()
            // A compiler that cannot even begin says it without the word.
            return compiler.terminationStatus == 0 || said.contains("error:") ? said : "error: \(said)"
        }
    }

    private struct Failure: Error, CustomStringConvertible { let description: String }
}
