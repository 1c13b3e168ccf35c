import Foundation
import Testing

@Suite struct PageTests {
    private static let columnsMax = 120

    /// Tables and code are exempt, because neither can be wrapped.
    @Test("A page's lines of prose are short", arguments: SourceFile.pages)
    func lines(_ page: SourceFile) {
        for line in page.proseLines where !line.hasPrefix("|") { #expect(line.count <= Self.columnsMax, "\(line)") }
    }

    @Test("A link's anchor is a heading of the page that it leads to", arguments: SourceFile.pages)
    func anchors(_ page: SourceFile) throws {
        let folder = (page.path as NSString).deletingLastPathComponent
        for link in page.proseLines.joined(separator: " ").matches(of: #/\]\(([^)\s#:]*)#([^)\s]+)\)/#) {
            let path = String(link.1)
            let target = path.isEmpty ? page.path : (folder as NSString).appendingPathComponent(path)
            let headings = try SourceFile.read((target as NSString).standardizingPath).proseLines
                .filter { $0.hasPrefix("#") }.map { anchor(of: $0) }
            #expect(headings.contains(String(link.2)), "\(path)#\(link.2)")
        }
    }

    @Test func theFilesThatTheMapNamesAreThere() throws {
        let paths = (SourceFile.sources + SourceFile.tests).map { "/" + $0.path }
        let named = try SourceFile.read("Sources/README.md").lines
            .flatMap { $0.matches(of: #/`([\w\/+]+\.swift)`/#).map { "/" + $0.1 } }
        try #require(named.count > 10)
        for name in named { #expect(paths.contains { $0.hasSuffix(name) }, "\(name)") }
    }

    @Test func theAnchorOfAHeading() {
        #expect(anchor(of: "### 4.2 What `PUT` does, once more") == "42-what-put-does-once-more")
    }

    /// The anchor as GitHub makes it: in lower case, with hyphens for spaces, without punctuation.
    private func anchor(of heading: String) -> String {
        heading.drop { $0 == "#" || $0 == " " }.lowercased().map { $0 == " " ? "-" : String($0) }.joined()
            .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
}
