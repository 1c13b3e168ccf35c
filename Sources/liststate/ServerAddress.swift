import ArgumentParser

/// The address of a server, such as `http://127.0.0.1:8080` or `https://lists.example.org`.
struct ServerAddress: ExpressibleByArgument, CustomStringConvertible {
    let host: String
    let port: UInt16
    /// Whether requests go over TLS.
    let isSecure: Bool

    /// The loopback address and the standard port of `serve`.
    static let standard = ServerAddress(host: "127.0.0.1", port: 8080, isSecure: false)

    init(host: String, port: UInt16, isSecure: Bool) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// Nil for anything but `http` or `https`, a host and perhaps a port. Paths need a proxy.
    init?(argument: String) {
        let isSecure = argument.lowercased().hasPrefix("https://")
        guard isSecure || argument.lowercased().hasPrefix("http://") else { return nil }
        var rest = argument.dropFirst(isSecure ? "https://".count : "http://".count)
        if rest.last == "/" { rest = rest.dropLast() }
        let isLiteral = rest.first == "["
        let host = isLiteral ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != ":" }
        let tail = isLiteral ? rest.dropFirst(host.count + 2) : rest.dropFirst(host.count)
        let isPlain = host.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !host.contains { "/?#@[]\\".contains($0) }
        guard !host.isEmpty, host.utf8.count <= 255, isPlain, !isLiteral || rest.contains("]") else { return nil }
        guard !tail.isEmpty else {
            self.init(host: String(host), port: isSecure ? 443 : 80, isSecure: isSecure)
            return
        }
        guard tail.first == ":", let port = UInt16(tail.dropFirst()), port > 0 else { return nil }
        self.init(host: String(host), port: port, isSecure: isSecure)
    }

    /// The host and port as they stand in `Host` and in a URL.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var description: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// Whether nobody but this machine sees what is sent to the address.
    var isPrivate: Bool { isSecure || Self.isLoopback(host) }

    /// Whether the host is this machine, by a name or an address that can be no other one.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        guard host != "localhost", host != "::1" else { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    var defaultValueDescription: String { description }
}
