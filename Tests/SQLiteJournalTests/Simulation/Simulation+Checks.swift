import ListDiff
import ListModel
import TestSupport

@testable import ListStore
@testable import SQLiteJournal

// Compares what readers see with what was acknowledged and with what was written.

extension Simulation {
    /// The snapshot of a list that readers see.
    func snapshot(of list: ListID) throws -> ListSnapshot? {
        do throws(StoreError) { return try store.list(list)?.enter { $0.snapshot() } } catch {
            guard case .unreadable(_, let cause) = error else { throw error }
            throw cause
        }
    }

    /// The version that the next write to a list builds on.
    func head(of list: ListID) -> Version? {
        guard let life = try? store.newest(list), !life.isEnding else { return nil }
        return life.list.enter { $0.head }
    }

    /// Checks after a start that each list is at an acknowledged version, or at one whose write had no answer.
    func check(_ lists: [ListID]) throws {
        for id in lists {
            let head = try snapshot(of: id)
            let known = newest[id]
            let mayBeGone = known?.isDeleted ?? true || ending.contains(id)
            guard let head else {
                guard mayBeGone else { throw violation("the list \(id) is gone") }
                continue
            }
            try checkContent(head)
            guard let known, !mayBeGone else { continue }
            guard head.version.epoch == known.version.epoch, head.version.revision >= known.version.revision else {
                throw violation("the list \(id) is at \(head.version), and \(known.version) was acknowledged")
            }
        }
    }

    /// Checks at every step that readers see all acknowledged writes and no others, whatever waits for the disk.
    func checkReaders(isThorough: Bool) throws {
        if number.isMultiple(of: 2) { try checkPage() }
        let listed = store.lists(after: nil, limit: .max).map(\.id)
        for id in Self.lists {
            let head = try snapshot(of: id)
            guard head?.version == shown[id], listed.contains(id) == (head != nil) else {
                let (seen, known) = [head?.version, shown[id]].map { $0.map { "\($0)" } ?? "nothing" }.pair
                throw violation("readers see \(seen) of the list \(id), and \(known) was acknowledged")
            }
            if isThorough, let head { try checkContent(head) }
        }
    }

    /// Checks that a page of lists shows what readers of the lists see.
    private func checkPage() throws {
        let page = store.lists(after: nil, limit: 9, looksMax: 9, bytesMax: .max, among: nil) { _ in true }.lists
        for list in page {
            guard case .readable(let summary) = list else { throw JournalError.io("the page") }
            guard shown[list.id] == summary.version, let image = images[summary.version],
                image.properties.title == summary.title, image.itemCount == summary.counts.items,
                image.sections.count == summary.counts.sections
            else { throw violation("the page shows \(summary)") }
        }
        guard page.map(\.id) == Self.lists.filter({ shown[$0] != nil }) else {
            throw violation("the page shows \(page.map(\.id))")
        }
    }

    private func checkContent(_ head: ListSnapshot) throws {
        guard images[head.version] == ListImage(head.state) else {
            throw violation("the list \(head.id) is not what it was at \(head.version)")
        }
    }
}

extension [String] {
    fileprivate var pair: (String, String) { (self[0], self[1]) }
}
