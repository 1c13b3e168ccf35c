/// The sizes of the measurements.
struct Sizes {
    var small = 1_000
    var middle: Int
    var large: Int
    var rounds: Int

    static let full = Sizes(middle: 100_000, large: 1_000_000, rounds: 31)
    static let quick = Sizes(middle: 10_000, large: 100_000, rounds: 11)
}
