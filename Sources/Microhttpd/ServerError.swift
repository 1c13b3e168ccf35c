/// Why a server did not start.
public enum ServerError: Error, Equatable, Sendable {
    /// The host is not an IPv4 or IPv6 address written in numbers.
    case badHost(String)
    case addressInUse(host: String, port: UInt16)
    /// The system refused; `errno` says why.
    case system(Operation, errno: Int32)
    /// The engine did not start.
    case engine

    public enum Operation: Equatable, Sendable {
        case socket, option, bind, listen, name, wakeDescriptor, thread
    }
}
