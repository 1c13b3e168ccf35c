/// A dense number that stands for one item id while state or kept history names it.
public struct ItemHandle: Sendable, Hashable {
    package let raw: Int32
    package init(raw: Int32) { self.raw = raw }
    package init(_ index: Int) { raw = Int32(truncatingIfNeeded: index) }
    package var index: Int { Int(raw) }
}

/// A dense number that stands for one section id while state or kept history names it.
public struct SectionHandle: Sendable, Hashable {
    package let raw: Int32
    package init(raw: Int32) { self.raw = raw }
    package init(_ index: Int) { raw = Int32(truncatingIfNeeded: index) }
    package var index: Int { Int(raw) }
}
