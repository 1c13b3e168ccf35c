import Foundation
import Testing

@Suite struct LinkTests {
    @Test("A page's links lead to files that are there", arguments: SourceFile.pages)
    func links(_ page: SourceFile) {
        let folder = SourceFile.top.appending(path: page.path).deletingLastPathComponent()
        for link in page.lines.flatMap(links(in:)) {
            let file = folder.appending(path: link)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
        }
    }

    @Test func thePagesAreFound() {
        #expect(SourceFile.pages.map(\.path).contains("README.md"))
    }

    /// The targets of `[text](target)` in a line that are paths, without the part behind `#`.
    private func links(in line: String) -> [String] {
        line.components(separatedBy: "](").dropFirst().compactMap { rest in
            guard let end = rest.firstIndex(of: ")") else { return nil }
            let path = rest[..<end].prefix { $0 != "#" }
            return path.isEmpty || path.contains(":") ? nil : String(path)
        }
    }
}
