/// The clocks of a store.
struct StoreClocks: Sendable {
    /// The clock for the times that people see, in seconds since 1970.
    let time: @Sendable () -> Int
    /// The clock by which versions grow old. It begins at the time of the start.
    let versions: AgeClock
    /// The clock by which receipts grow old. It begins no earlier than the newest receipt, so that their order never
    /// goes back, although the time of day may have been set back since the last run.
    let receipts: AgeClock
    /// The clock by which what is in memory grows old, in milliseconds. It never goes back and does not jump.
    let milliseconds: @Sendable () -> Int

    init(
        start: Int, newestReceipt: Int?, time: @escaping @Sendable () -> Int, uptime: @escaping @Sendable () -> Int,
        milliseconds: @escaping @Sendable () -> Int
    ) {
        self.time = time
        self.milliseconds = milliseconds
        versions = AgeClock(showing: start, uptime: uptime)
        receipts = AgeClock(showing: max(start, newestReceipt ?? 0), uptime: uptime)
    }
}
