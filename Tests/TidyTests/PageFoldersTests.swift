import Foundation
import Testing

/// The folders of the page, each of which takes from those before it. Its `main.js` may take from all.
private let folders = ["base", "server", "rows", "item", "hand", "gallery", "list"]

/// The sources of the page know one another in one direction. What only names a type for comments does not count.
@Suite struct PageFoldersTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/CAssets/page")

    @Test func theFoldersAreThose() throws {
        let found = try FileManager.default.contentsOfDirectory(
            at: Self.page, includingPropertiesForKeys: [.isDirectoryKey]
        ).filter(\.hasDirectoryPath).map(\.lastPathComponent)
        #expect(found.sorted() == folders.sorted())
    }

    @Test(arguments: folders)
    func aFolderTakesFromThoseBeforeIt(_ folder: String) throws {
        let before = Set(folders.prefix { $0 != folder })
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.page.appending(path: folder).path)
            .filter { $0.hasSuffix(".js") }
        #expect(!names.isEmpty)
        for name in names {
            let text = try String(contentsOf: Self.page.appending(path: "\(folder)/\(name)"), encoding: .utf8)
            for found in text.matches(of: /from "\.\.\/([a-z]+)\//) {
                #expect(before.contains(String(found.1)), "\(folder)/\(name) takes from \(found.1)")
            }
        }
    }
}
