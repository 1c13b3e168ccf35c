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

    /// Why a text is no address.
    enum Fault: Error {
        case scheme, path, name, host, port

        var reason: String {
            switch self {
            case .scheme: "It begins with https:// or http://, such as https://lists.example.org."
            case .path: "Nothing comes behind the host and the port."
            case .name: "No name and no password stand before the host: LISTSTATE_TOKEN has the token."
            case .host: "Its host is no name and no address; an address of IPv6 stands in [ and ]."
            case .port: "A port is a number from 1 to 65535."
            }
        }
    }

    /// - Throws: `Fault` for anything but `http` or `https`, a host and perhaps a port. Paths need a proxy.
    init(_ text: String) throws(Fault) {
        isSecure = text.lowercased().hasPrefix("https://")
        guard isSecure || text.lowercased().hasPrefix("http://") else { throw .scheme }
        var rest = text.dropFirst(isSecure ? "https://".count : "http://".count)
        if rest.last == "/" { rest = rest.dropLast() }
        guard !rest.contains("@") else { throw .name }
        guard !rest.contains(where: { "/?#".contains($0) }) else { throw .path }
        let isLiteral = rest.first == "["
        let host = isLiteral ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != ":" }
        let tail = isLiteral ? rest.dropFirst(host.count + 2) : rest.dropFirst(host.count)
        let isPlain = host.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !host.contains { "[]\\".contains($0) }
        guard !host.isEmpty, host.utf8.count <= 255, isPlain, !isLiteral || rest.contains("]") else { throw .host }
        self.host = String(host)
        guard !tail.isEmpty else {
            port = isSecure ? 443 : 80
            return
        }
        guard tail.first == ":" else { throw .host }
        guard let port = UInt16(tail.dropFirst()), port > 0 else { throw .port }
        self.port = port
    }

    /// The value of an option. The parser shows the reason if it is none.
    static func option(_ text: String) throws -> ServerAddress {
        do throws(Fault) { return try ServerAddress(text) } catch { throw ValidationError(error.reason) }
    }

    init?(argument: String) {
        do throws(Fault) { try self.init(argument) } catch { return nil }
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
