import Foundation
import ListModel

/// The rows of lists as they were last told, a file a list in the JSON of the server, so that a client that starts
/// without a network shows them. They are a copy: a file that is missing or damaged costs a snapshot.
struct RowFiles: Sendable {
    /// The most lists that are kept. The one that was kept longest ago goes first.
    static let listsMax = 100
    /// The most bytes of a list that is kept.
    static let bytesMax = 64 << 20

    let directory: URL

    private func file(of list: ListID) -> URL { directory.appendingPathComponent("\(list).json") }

    /// What is kept of a list; nil if nothing is.
    func rows(of list: ListID) -> [UInt8]? { (try? Data(contentsOf: file(of: list))).map { [UInt8]($0) } }

    /// Keeps the rows of a list as a whole, or forgets them. What the disk does not take is not kept.
    func keep(_ rows: [UInt8]?, of list: ListID) {
        guard let rows, rows.count <= Self.bytesMax else {
            try? FileManager.default.removeItem(at: file(of: list))
            return
        }
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try? Data(rows).write(to: file(of: list), options: .atomic)
        forgetOldest()
    }

    private func forgetOldest() {
        let key = URLResourceKey.contentModificationDateKey
        let files =
            (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: [key])) ?? []
        guard files.count > Self.listsMax else { return }
        let dated = files.map { ($0, (try? $0.resourceValues(forKeys: [key]).contentModificationDate) ?? .distantPast) }
        for (file, _) in dated.sorted(by: { $0.1 < $1.1 }).dropLast(Self.listsMax) {
            try? FileManager.default.removeItem(at: file)
        }
    }
}
