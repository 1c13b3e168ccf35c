import Foundation
import Testing

/// The patches that `make soak-faults` applies to a copy of the sources.
@Suite struct PlantedFaultsTests {
    private static let patches = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".patch") }.sorted()
    private static let folder = SourceFile.top.appending(path: "Tests/PlantedFaults")

    @Test func theyFitTheSources() throws {
        let patches = try #require(Self.patches)
        #expect(patches.count >= 10)
        for patch in patches {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["patch", "--dry-run", "--strip", "1", "--silent"]
            process.currentDirectoryURL = SourceFile.top
            process.standardInput = try FileHandle(forReadingFrom: Self.folder.appending(path: patch))
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(patch) no longer fits")
        }
    }
}
