import Glibc

/// The time of a clock in nanoseconds.
private func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The CPU time of `body` on this thread in nanoseconds, because other processes use the machine too.
func cpuTime(_ body: () -> Void) -> Double {
    let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    body()
    return Double(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start)
}

/// The time of `body` by the wall clock, in nanoseconds.
func wallTime(_ body: () -> Void) -> Double {
    let start = nanoseconds(CLOCK_MONOTONIC)
    body()
    return Double(nanoseconds(CLOCK_MONOTONIC) - start)
}

func median(_ samples: [Double]) -> Double {
    let sorted = samples.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// The costs of some work in rounds that alternate with rounds of other work.
struct Samples {
    private(set) var nanoseconds: [Double] = []

    /// - Parameter count: How often `body` does the measured work.
    mutating func measure(count: Int = 1, _ body: () -> Void) {
        nanoseconds.append(cpuTime(body) / Double(count))
    }

    var median: Double { ListsBenchmark.median(nanoseconds) }

    /// The median of the ratios of each round, because a slow phase of the machine affects both parts of a round.
    func ratio(to other: Samples) -> Double {
        ListsBenchmark.median(zip(nanoseconds, other.nanoseconds).map { $0 / $1 })
    }
}

/// SplitMix64. Every run measures the same work.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &self) }
}
