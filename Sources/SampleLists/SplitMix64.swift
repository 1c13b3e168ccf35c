/// A small generator whose numbers depend on its seed alone: the same in every process and version.
///
/// Source: Guy L. Steele Jr., Doug Lea and Christine H. Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    ///
    /// Not `Int.random(in:using:)`, whose way of drawing is the standard library's to change. The bias of the
    /// remainder is below `bound` / 2^64.
    mutating func draw(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}

extension Array {
    /// Puts the elements into an order that depends on the generator alone (Fisher and Yates).
    mutating func shuffle(with generator: inout SplitMix64) {
        for end in stride(from: count, to: 1, by: -1) { swapAt(end - 1, generator.draw(below: end)) }
    }
}
