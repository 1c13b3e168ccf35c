import ArgumentParser

/// The address of a server, such as `http://127.0.0.1:8080`.
struct ServerAddress: ExpressibleByArgument, CustomStringConvertible {
    let host: String
    let port: UInt16

    /// The loopback address and the standard port of `serve`.
    static let standard = ServerAddress(host: "127.0.0.1", port: 8080)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Nil for anything but `http`, a host and perhaps a port. TLS and paths need a proxy.
    init?(argument: String) {
        guard argument.lowercased().hasPrefix("http://") else { return nil }
        var rest = argument.dropFirst("http://".count)
        if rest.last == "/" { rest = rest.dropLast() }
        let isLiteral = rest.first == "["
        let host = isLiteral ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != ":" }
        let tail = isLiteral ? rest.dropFirst(host.count + 2) : rest.dropFirst(host.count)
        let isPlain = host.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !host.contains { "/?#@[]\\".contains($0) }
        guard !host.isEmpty, host.utf8.count <= 255, isPlain, !isLiteral || rest.contains("]") else { return nil }
        guard !tail.isEmpty else {
            self.init(host: String(host), port: 80)
            return
        }
        guard tail.first == ":", let port = UInt16(tail.dropFirst()), port > 0 else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The host and port as they stand in `Host` and in a URL.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var description: String { "http://\(authority)" }

    var defaultValueDescription: String { description }
}
