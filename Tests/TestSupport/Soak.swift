import Glibc

/// How large the largest tests are.
public enum Soak {
    /// How many items a long list has: `LISTSTATE_SOAK_ITEMS`, else as many as take a moment.
    public static let items = number("LISTSTATE_SOAK_ITEMS") ?? 20_000
    /// How many random histories are compared: `LISTSTATE_SOAK_HISTORIES`, else as many as take a moment.
    public static let histories = number("LISTSTATE_SOAK_HISTORIES") ?? 200
    /// Of the seeds of a property as many as take a moment: a quarter, and all where `LISTSTATE_SOAK_HISTORIES` is set.
    public static func seeds(_ count: UInt64) -> ClosedRange<UInt64> { 1...(isLong ? count : max(1, count / 4)) }
    /// Whether this is the long form of the tests of lists.
    public static let isLong = number("LISTSTATE_SOAK_HISTORIES") != nil
    /// How many audiences of random subscribers there are: `LISTSTATE_SOAK_SUBSCRIBERS`, else as many as take a moment.
    public static let subscriberRuns = number("LISTSTATE_SOAK_SUBSCRIBERS") ?? 10
    /// For how many seconds streams are followed through deaths of the server: `LISTSTATE_SOAK_CHAIN_SECONDS`.
    public static let chainSeconds = number("LISTSTATE_SOAK_CHAIN_SECONDS") ?? 2
    /// How many requests each client of a random load sends: `LISTSTATE_SOAK_REQUESTS`, else a moment's worth.
    public static let requests = number("LISTSTATE_SOAK_REQUESTS") ?? 150

    /// Of how many bytes of a store one is flipped, or the store cut there: `LISTSTATE_SOAK_DAMAGE` tries every one.
    public static let damageStride = number("LISTSTATE_SOAK_DAMAGE") ?? 7

    /// At every which call of a command there is a fault: `LISTSTATE_SOAK_FAULTCALLS` says 1 for each of them.
    public static let faultCallStride = number("LISTSTATE_SOAK_FAULTCALLS") ?? 19

    /// At every how many bytes a request is cut in two: `LISTSTATE_SOAK_CUTS` tries every one.
    public static let cutStride = number("LISTSTATE_SOAK_CUTS") ?? 11

    /// How many stores are simulated, a thousand steps each: `LISTSTATE_SOAK_SIMULATIONS`, else a moment's worth.
    public static let simulations = number("LISTSTATE_SOAK_SIMULATIONS") ?? 10
    /// Their seeds, from `LISTSTATE_SIMULATION_SEED` on.
    public static var simulationSeeds: ClosedRange<Int> {
        let first = number("LISTSTATE_SIMULATION_SEED") ?? 1
        return first...(first + max(simulations, 1) - 1)
    }

    /// What the environment says.
    public static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
}
