import Foundation
import Testing

/// The modules that each target may import. This table is the architecture, in the order in which a request flows.
///
/// A change of a row should be discussed before the code that needs it is written.
private let mayImport: [(target: String, modules: Set<String>)] = [
    ("CMicrohttpd", []),
    ("CSQLite", []),
    ("CCRC32C", []),
    ("CBirth", []),
    ("CPostgreSQL", []),
    ("CGnuTLS", []),
    ("CCurl", []),
    ("CMalloc", []),
    ("CReading", []),
    ("CZlib", []),
    ("CNettle", []),
    ("CAssets", []),
    ("Threads", ["Glibc", "Synchronization"]),
    ("Texts", []),
    ("Microhttpd", ["CMicrohttpd", "CReading", "HTTPTypes", "Threads", "Texts", "Glibc", "Synchronization"]),
    ("JSONValue", ["Texts"]),
    ("ListModel", ["JSONValue", "Texts"]),
    ("ListDiff", ["ListModel", "Texts"]),
    ("ListStore", ["ListModel", "ListDiff", "Threads", "Texts", "Glibc", "Synchronization"]),
    (
        "SQLiteJournal",
        ["CBirth", "CCRC32C", "CSQLite", "ListModel", "ListStore", "Threads", "Texts", "Glibc", "Synchronization"]
    ),
    (
        "PostgreSQLJournal",
        [
            "CCRC32C", "CNettle", "CPostgreSQL", "ListModel", "ListStore", "SHA256", "Threads", "Texts", "Glibc",
            "Synchronization",
        ]
    ),
    ("Layouts", ["JSONValue", "Texts"]),
    ("SampleLists", ["JSONValue", "Layouts", "ListModel", "Texts"]),
    ("Gzip", ["CZlib"]),
    ("SHA256", ["CNettle"]),
    ("JSONWebTokens", ["CCurl", "CGnuTLS", "JSONValue", "SHA256", "Threads", "Glibc"]),
    ("Access", ["JSONValue", "SHA256", "Texts", "Threads", "Synchronization"]),
    ("ServerMetrics", ["CoreMetrics", "Threads"]),
    ("ClientState", ["JSONValue", "ListDiff", "ListModel", "Texts"]),
    (
        "ListStateClient",
        [
            "CCurl", "ClientState", "JSONValue", "ListDiff", "ListModel", "ListWire", "Texts", "GRDB", "Foundation",
            "FoundationNetworking", "Observation", "UIKit",
        ]
    ),
    ("ListWire", ["JSONValue", "Layouts", "ListDiff", "ListModel", "Texts"]),
    (
        "ListAPI",
        [
            "Access", "CAssets", "HTTPTypes", "Gzip", "JSONWebTokens", "Threads", "Microhttpd", "JSONValue",
            "ListModel", "ListDiff", "ListStore", "ListWire", "SHA256", "SampleLists", "Synchronization", "Texts",
        ]
    ),
    (
        "liststate",
        [
            "Access", "CCurl", "CMalloc", "JSONWebTokens", "Threads", "HTTPTypes", "Microhttpd", "JSONValue",
            "ListDiff", "ListModel", "ListStore", "PostgreSQLJournal", "SQLiteJournal", "SampleLists", "ServerMetrics",
            "ListAPI", "SHA256", "Texts", "ArgumentParser", "Logging", "CoreMetrics", "Glibc",
        ]
    ),
]

/// The targets without those in C, which have neither Swift files nor dependencies.
private let swiftTargets = mayImport.map(\.target).filter {
    ![
        "CMicrohttpd", "CSQLite", "CCRC32C", "CBirth", "CPostgreSQL", "CGnuTLS", "CCurl", "CMalloc", "CReading",
        "CZlib", "CNettle", "CAssets",
    ].contains($0)
}

/// Modules of the toolchain, which a manifest does not name. Only the client in Swift may import Foundation.
private let toolchainModules: Set<String> = [
    "Foundation", "FoundationNetworking", "Glibc", "Observation", "Synchronization", "UIKit",
]

/// The names that the manifest gives to products of other packages.
private let productNames = [
    "httpTypes": "HTTPTypes", "argumentParser": "ArgumentParser", "logging": "Logging", "metrics": "CoreMetrics",
    "grdb": "GRDB", "curl": "CCurl",
]

@Suite struct ArchitectureTests {
    @Test("A file imports only what its target's row allows", arguments: SourceFile.sources)
    func imports(_ file: SourceFile) throws {
        let row = try #require(mayImport.first { $0.target == file.target }, "no row for \(file.target)")
        #expect(file.imports.subtracting(row.modules) == [])
    }

    @Test func everyTargetHasItsRow() throws {
        let sources = SourceFile.top.appending(path: "Sources").path
        let targets = try FileManager.default.contentsOfDirectory(atPath: sources).filter { !$0.contains(".") }
        #expect(targets.sorted() == mayImport.map(\.target).sorted())
    }

    /// `Synchronization` needs iOS 18. `make apple-check` looks more closely.
    @Test func theClientNeedsNothingThatOnlyLinuxHas() {
        var reached: Set = ["ListStateClient"]
        while true {
            let next = reached.union(mayImport.filter { reached.contains($0.target) }.flatMap(\.modules))
            guard next != reached else { break }
            reached = next
        }
        #expect(reached.isSuperset(of: ["ClientState", "ListWire", "ListModel", "Texts"]))
        let ours = Set(mayImport.map(\.target)).intersection(reached)
        #expect(ours.filter { $0.hasPrefix("C") && $0 != "ClientState" } == ["CCurl"])
        #expect(reached.isDisjoint(with: ["Glibc", "Synchronization", "Threads"]))
        for file in SourceFile.sources where ours.contains(file.target) {
            #expect(file.imports.isDisjoint(with: ["Glibc", "Synchronization"]), "\(file.path)")
            let guarded = file.lines.firstIndex { $0.contains("#if canImport(FoundationNetworking)") }
            let imported = file.lines.firstIndex { $0.hasSuffix("import FoundationNetworking") }
            #expect(imported == nil || guarded != nil && guarded! < imported!, "\(file.path)")
            #expect(!file.imports.contains("CCurl") || file.lines.first == "#if canImport(CCurl)", "\(file.path)")
        }
    }

    /// Without this test, all tests would pass in a checkout whose files are not found.
    @Test("The files of a target are found", arguments: swiftTargets)
    func files(of target: String) {
        #expect(SourceFile.sources.contains { $0.target == target })
    }

    @Test("The manifest gives a target what its row says", arguments: swiftTargets)
    func manifest(_ target: String) throws {
        let row = try #require(mayImport.first { $0.target == target })
        #expect(try dependencies(of: target) == row.modules.subtracting(toolchainModules))
    }

    /// The dependencies that Package.swift lists for a target.
    private func dependencies(of target: String) throws -> Set<String> {
        let manifest = try SourceFile.read("Package.swift").lines
            .filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
            .joined().filter { !$0.isWhitespace }
        let declarations = [
            "source(\"\(target)\"", ".executableTarget(name:\"\(target)\",dependencies:",
        ]
        let starts = declarations.compactMap { declaration in manifest.range(of: declaration)?.upperBound }
        let rest = manifest[try #require(starts.first)...].drop { $0 == "," }
        guard rest.first == "[", let end = rest.firstIndex(of: "]") else { return [] }
        let names = rest[..<end].dropFirst().split(separator: ",").map { $0.filter { $0 != "\"" } }
        return Set(names.map { productNames[$0] ?? $0 })
    }
}
