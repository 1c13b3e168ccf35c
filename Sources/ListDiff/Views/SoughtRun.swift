/// A run of elements to search for. The search never goes back in the searched sequence, because somebody could write
/// one in which going back is expensive.
///
/// Source: Knuth, Morris, Pratt, "Fast Pattern Matching in Strings" (1977).
struct SoughtRun<Element: Hashable & Sendable>: Sendable, Hashable {
    /// The sought elements, at least one.
    private let elements: [Element]
    /// For each number of matching elements, the number that still match if the next element is a different one.
    private let fallbacks: [Int]

    init(_ elements: [Element]) {
        self.elements = elements
        var fallbacks = [0, 0]
        for element in elements.dropFirst() {
            var count = fallbacks[fallbacks.count - 1]
            while count > 0, elements[count] != element { count = fallbacks[count] }
            fallbacks.append(elements[count] == element ? count + 1 : 0)
        }
        self.fallbacks = fallbacks
    }

    /// - Complexity: Over *n* elements at most 3*n* comparisons.
    struct Search {
        private let sought: SoughtRun
        /// The number of sought elements that the newest ones match.
        private var count = 0

        init(_ sought: SoughtRun) { self.sought = sought }

        /// Takes the next element. Returns true if it completes the sought run. After that no more elements may be
        /// taken.
        mutating func isAtEnd(after element: Element) -> Bool {
            while count > 0, sought.elements[count] != element { count = sought.fallbacks[count] }
            if sought.elements[count] == element { count += 1 }
            return count == sought.elements.count
        }
    }
}
