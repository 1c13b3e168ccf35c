import Glibc
import Logging
import Microhttpd

/// Takes as many file descriptors as the system gives.
///
/// If that is less than `wanted`, also raises what the system gives, but no further than that; only a privileged
/// process may (`setrlimit`, `CAP_SYS_RESOURCE`).
///
/// - Returns: How many there are now.
private func raiseDescriptorLimit(to wanted: Int) -> Int {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return wanted }
    if limit.rlim_max < rlim_t(wanted) {
        var raised = rlimit(rlim_cur: rlim_t(wanted), rlim_max: rlim_t(wanted))
        if setrlimit(files, &raised) == 0 { return wanted }
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
    getrlimit(files, &limit)
    return Int(clamping: limit.rlim_cur)
}

extension Server.Configuration {
    /// Sees to it that there are descriptors for all connections, and if there cannot be, lowers the number of
    /// connections to what fits: one too many is then told so, rather than left waiting.
    mutating func fitDescriptors(_ logger: Logger) {
        let wanted = descriptorsMax + Self.otherDescriptors
        let available = raiseDescriptorLimit(to: wanted)
        guard available < wanted else { return }
        let wantedConnections = connectionsMax
        let overhead = wanted - connectionsMax - connectionsReserve
        // Not all of the overhead is in use all the time, and a small limit must not shut everyone out.
        let room = max(available - overhead, available / 2)
        connectionsReserve = min(connectionsReserve, max(room / 4, 1))
        connectionsMax = min(connectionsMax, max(room - connectionsReserve, 1))
        logger.warning(
            """
            Only \(connectionsMax) of \(wantedConnections) connections fit: this process may open \(available) files, \
            and would need \(wanted). Raise the limit (ulimit -n, LimitNOFILE) or lower --connections-max.
            """)
    }

    /// Standard streams, the store's files, and some to spare.
    private static let otherDescriptors = 24
}
