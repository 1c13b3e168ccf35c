import Glibc
import Logging
import Microhttpd

/// Raises the limit of open files to the hard limit.
///
/// If the hard limit is less than `wanted`, raises it to `wanted` too. Only a privileged process may do this
/// (`setrlimit`, `CAP_SYS_RESOURCE`).
///
/// - Returns: The limit that the process has now.
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
    /// Makes sure that there are descriptors for all connections. If there are too few, it lowers the number of
    /// connections. One connection too many is then refused with an answer, and does not wait in vain.
    mutating func fitDescriptors(_ logger: Logger) {
        let wanted = descriptorsMax + Self.otherDescriptors
        let available = raiseDescriptorLimit(to: wanted)
        guard available < wanted else { return }
        let wantedConnections = connectionsMax
        let overhead = wanted - connectionsMax - connectionsReserve
        // Not all of the overhead is in use all the time, and even a small limit must leave room for some connections.
        let room = max(available - overhead, available / 2)
        connectionsReserve = min(connectionsReserve, max(room / 4, 1))
        connectionsMax = min(connectionsMax, max(room - connectionsReserve, 1))
        logger.warning(
            """
            Only \(connectionsMax) of \(wantedConnections) connections fit: this process may open \(available) files, \
            and would need \(wanted). Raise the limit (ulimit -n, LimitNOFILE) or lower --connections-max.
            """)
    }

    /// The standard streams, the files of the store, and some to spare.
    private static let otherDescriptors = 24
}
