import Glibc
import Microhttpd

/// systemd, or another service manager that speaks two of its protocols: it may hand a listening socket on, and may want
/// to hear how far the server is (sd_listen_fds(3), sd_notify(3)).
enum ServiceManager {
    /// What the manager is told.
    enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
    }

    /// The socket that the manager has made for this process; nil if it has made none.
    static func socket() throws(Failure) -> InheritedSocket? {
        let given = try descriptor(process: getpid()) { name in getenv(name).map { String(cString: $0) } }
        guard let given else { return nil }
        guard let socket = InheritedSocket(descriptor: given) else {
            throw .failed("The socket of the service manager is no TCP socket that listens.", 78)
        }
        return socket
    }

    /// The descriptor that the variables name.
    ///
    /// - Returns: Nil if there are no variables, or if they are for another process, such as the parent of this one.
    static func descriptor(process: Int32, value: (String) -> String?) throws(Failure) -> Int32? {
        guard let given = value("LISTEN_PID") else { return nil }
        guard let receiver = Int32(given) else {
            throw .failed("LISTEN_PID is the number of a process, and not \(given.prefix(32)).", 78)
        }
        guard receiver == process else { return nil }
        let count = value("LISTEN_FDS") ?? "missing"
        guard count == "1" else {
            throw .failed("LISTEN_FDS is \(count.prefix(32)), but the server takes one socket.", 78)
        }
        return firstDescriptor
    }

    /// `SD_LISTEN_FDS_START` of the protocol.
    private static let firstDescriptor: Int32 = 3

    /// Tells the manager a state, if it wants to hear. Waits for some seconds at most. What cannot be told is lost.
    static func tell(_ state: State) {
        guard let socket = getenv("NOTIFY_SOCKET") else { return }
        send(state.rawValue, to: String(cString: socket))
    }

    /// Sends a datagram.
    ///
    /// - Parameter name: The path of a socket, or its name in the abstract namespace behind an `@`.
    /// - Returns: Whether it was taken.
    @discardableResult
    static func send(_ text: String, to name: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(name.utf8)
        // A path ends with a NUL, and needs room for it.
        guard let first = path.first, path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        switch first {
        case UInt8(ascii: "/"): path.append(0)
        case UInt8(ascii: "@"): path[0] = 0
        default: return false
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        limitWaits(of: descriptor, seconds: 5)
        let bytes = Array(text.utf8)
        let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let count = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
        return count == bytes.count
    }
}
