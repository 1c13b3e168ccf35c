/// Elements that are looked for in a row, without ever going back in what they are looked for in: that may have been
/// written so that going back is dear.
///
/// Source: Knuth, Morris, Pratt, "Fast Pattern Matching in Strings" (1977).
struct SoughtRun<Element: Hashable & Sendable>: Sendable, Hashable {
    /// Not empty.
    private let elements: [Element]
    /// For each count of elements found, how many of them are found still when the next is another.
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
        /// How many of the elements the newest ones are.
        private var count = 0

        init(_ sought: SoughtRun) { self.sought = sought }

        /// Takes the next element; true if it is the end of what is sought, behind which there is nothing to take.
        mutating func isAtEnd(after element: Element) -> Bool {
            while count > 0, sought.elements[count] != element { count = sought.fallbacks[count] }
            if sought.elements[count] == element { count += 1 }
            return count == sought.elements.count
        }
    }
}
