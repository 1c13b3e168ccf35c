/// A small random number generator. Its numbers depend only on its seed, in every process and every version.
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
    /// `Int.random(in:using:)` is not used, because the standard library may change how it draws. The remainder makes
    /// some numbers more likely, by less than `bound` / 2^64.
    mutating func draw(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}

extension Array {
    /// Shuffles the elements in an order that depends only on the generator (Fisher and Yates).
    mutating func shuffle(with generator: inout SplitMix64) {
        for end in stride(from: count, to: 1, by: -1) { swapAt(end - 1, generator.draw(below: end)) }
    }
}
