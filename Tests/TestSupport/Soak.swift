import Glibc

/// The sizes of the largest tests.
public enum Soak {
    /// The number of items in a long list: `LISTSTATE_SOAK_ITEMS`, or a number for a short run.
    public static let items = number("LISTSTATE_SOAK_ITEMS") ?? 20_000
    /// The number of random histories: `LISTSTATE_SOAK_HISTORIES`, or a number for a short run.
    public static let histories = number("LISTSTATE_SOAK_HISTORIES") ?? 200
    /// The seeds of a property: all of them if `LISTSTATE_SOAK_HISTORIES` is set, otherwise a quarter.
    public static func seeds(_ count: UInt64) -> ClosedRange<UInt64> { 1...(isLong ? count : max(1, count / 4)) }
    /// Whether `LISTSTATE_SOAK_HISTORIES` is set, so that the tests of lists try more.
    public static let isLong = number("LISTSTATE_SOAK_HISTORIES") != nil
    /// The number of runs with random subscribers: `LISTSTATE_SOAK_SUBSCRIBERS`, or a number for a short run.
    public static let subscriberRuns = number("LISTSTATE_SOAK_SUBSCRIBERS") ?? 10
    /// The seconds for which streams are followed while the server is killed: `LISTSTATE_SOAK_CHAIN_SECONDS`.
    public static let chainSeconds = number("LISTSTATE_SOAK_CHAIN_SECONDS") ?? 2
    /// The number of requests of each client of a random load: `LISTSTATE_SOAK_REQUESTS`, or a number for a short run.
    public static let requests = number("LISTSTATE_SOAK_REQUESTS") ?? 150

    /// The distance between the bytes of a store that are flipped or cut at: `LISTSTATE_SOAK_DAMAGE`; 1 tries every
    /// byte.
    public static let damageStride = number("LISTSTATE_SOAK_DAMAGE") ?? 7

    /// The distance between the calls of a command that get a fault: `LISTSTATE_SOAK_FAULTCALLS`; 1 tries every call.
    public static let faultCallStride = number("LISTSTATE_SOAK_FAULTCALLS") ?? 19

    /// The distance between the bytes at which a request is cut in two: `LISTSTATE_SOAK_CUTS`; 1 tries every byte.
    public static let cutStride = number("LISTSTATE_SOAK_CUTS") ?? 11

    /// The number of migrations that are interrupted, each several times: `LISTSTATE_SOAK_MIGRATIONS`, or a number for a
    /// short run.
    public static let migrations = number("LISTSTATE_SOAK_MIGRATIONS") ?? 2

    /// The number of simulated stores, each with a thousand steps: `LISTSTATE_SOAK_SIMULATIONS`, or a number for a
    /// short run.
    public static let simulations = number("LISTSTATE_SOAK_SIMULATIONS") ?? 10
    /// The seeds of the simulations, beginning with `LISTSTATE_SIMULATION_SEED`.
    public static var simulationSeeds: ClosedRange<Int> {
        let first = number("LISTSTATE_SIMULATION_SEED") ?? 1
        return first...(first + max(simulations, 1) - 1)
    }

    /// The minutes after which a test that may wait without end is given up: `LISTSTATE_HANG_MINUTES`. All tests begin at
    /// once and take turns, so this is also the time for all of them together.
    public static let hangMinutes = number("LISTSTATE_HANG_MINUTES") ?? 10

    /// The number in a variable of the environment; nil if there is none.
    public static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
}
