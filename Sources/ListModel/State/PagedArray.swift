internal import Texts

/// An array in pages, with the pages in groups. Copies share the pages that neither of them has written since.
///
/// The first write after a copy copies the list of groups, one group and one page. It copies neither all elements nor
/// all pages.
package struct PagedArray<Element: Sendable>: Sendable, Sequence {
    /// A page has as many elements as a group has pages.
    private static var shift: Int { 7 }
    static var size: Int { 1 << shift }
    private static var mask: Int { size - 1 }

    private var groups: [[[Element]]] = []
    package private(set) var count = 0

    package init() {}

    /// The same element `count` times. All full pages share one memory.
    package init(repeating element: Element, count: Int) {
        let page = Array(repeating: element, count: Self.size)
        let group = Array(repeating: page, count: Self.size)
        groups = Array(repeating: group, count: count / (Self.size * Self.size))
        self.count = groups.count * Self.size * Self.size
        while self.count + Self.size <= count {
            add(page)
            self.count += Self.size
        }
        append(repeating: element, count: count - self.count)
    }

    package subscript(index: Int) -> Element {
        _read { yield groups[index >> (2 * Self.shift)][(index >> Self.shift) & Self.mask][index & Self.mask] }
        _modify { yield &groups[index >> (2 * Self.shift)][(index >> Self.shift) & Self.mask][index & Self.mask] }
    }

    /// Calls `body` with an element in place. The subscript makes a copy of the element, unless the caller uses only a
    /// member of it.
    @inline(__always)
    func withElement<Result>(at index: Int, _ body: (Element) -> Result) -> Result {
        let page = groups[index >> (2 * Self.shift)][(index >> Self.shift) & Self.mask]
        return page.withSpan { body($0[index & Self.mask]) }
    }

    package mutating func append(_ element: Element) {
        if count & Self.mask == 0 { addPage() }
        let (group, page) = last
        groups[group][page].append(element)
        count += 1
    }

    /// Appends the elements of `page`, and empties it with room for the next ones.
    ///
    /// - Precondition: All pages so far are full. So is this one, unless it is the last.
    mutating func append(page: inout [Element]) {
        count += page.count
        add(page)
        page = []
        page.reserveCapacity(Self.size)
    }

    package mutating func append(repeating element: Element, count number: Int) {
        var rest = number
        while rest > 0 {
            if count & Self.mask == 0 { addPage() }
            let (group, page) = last
            let part = Swift.min(rest, Self.size - count & Self.mask)
            groups[group][page].append(contentsOf: repeatElement(element, count: part))
            count += part
            rest -= part
        }
    }

    private mutating func addPage() {
        var page: [Element] = []
        // The first page grows as it is filled: most lists have no second.
        if count > 0 { page.reserveCapacity(Self.size) }
        add(page)
    }

    private mutating func add(_ page: [Element]) {
        if groups.last.map({ $0.count == Self.size }) ?? true { groups.append([]) }
        groups[groups.endIndex - 1].append(page)
    }

    /// The last page and its group.
    private var last: (group: Int, page: Int) {
        let group = groups.endIndex - 1
        return (group, groups[group].endIndex - 1)
    }

    package func makeIterator() -> FlattenSequence<FlattenSequence<[[[Element]]]>>.Iterator {
        groups.joined().joined().makeIterator()
    }

    package mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        let (group, page) = last
        let element = groups[group][page].removeLast()
        count -= 1
        if groups[group][page].isEmpty { groups[group].removeLast() }
        if groups[group].isEmpty { groups.removeLast() }
        return element
    }
}
