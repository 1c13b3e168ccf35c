/// An array in pages, of which copies share those that neither has written to since.
///
/// A snapshot is a copy. The first write after one costs the list of pages and the page that it falls in, not all
/// elements.
package struct PagedArray<Element: Sendable>: Sendable, Sequence {
    private static var shift: Int { 8 }
    private static var pageSize: Int { 1 << shift }

    private var pages: [[Element]] = []
    package private(set) var count = 0

    package init() {}

    package subscript(index: Int) -> Element {
        _read { yield pages[index >> Self.shift][index & (Self.pageSize - 1)] }
        _modify { yield &pages[index >> Self.shift][index & (Self.pageSize - 1)] }
    }

    package mutating func append(_ element: Element) {
        if count & (Self.pageSize - 1) == 0 {
            pages.append([])
            // The first page grows as it is filled: most lists have no second.
            if count > 0 { pages[pages.endIndex - 1].reserveCapacity(Self.pageSize) }
        }
        pages[pages.endIndex - 1].append(element)
        count += 1
    }

    package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { pages.joined().makeIterator() }

    package mutating func popLast() -> Element? {
        guard let last = pages.last?.last else { return nil }
        pages[pages.endIndex - 1].removeLast()
        if pages[pages.endIndex - 1].isEmpty { pages.removeLast() }
        count -= 1
        return last
    }
}
