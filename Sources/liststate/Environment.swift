import Glibc
import Texts

/// Settings from the environment: `--port` is also `LISTSTATE_PORT`, and so on for every option of `serve`.
enum Environment {
    /// Options that take a value.
    static let options =
        [
            "host", "port", "data", "store", "durability", "allow-origin", "allow-host", "shared-cache-seconds",
            "trusted-proxies", "proxy-field", "audit-log", "log-level",
        ] + IssuerOptions.names + WatchOptions.names + LimitOptions.all.map(\.name)
    /// Options that may be repeated. Their variable has the values with commas between them.
    static let repeatable = ["allow-origin", "allow-host", "trusted-proxies"]
    /// Options without a value.
    static let flags = ["memory", "allow-unsafe-store", "require-standby", "samples", "insecure", "first-token"]

    /// Settings that may be credentials of the service manager: `liststate.store` in `CREDENTIALS_DIRECTORY`.
    private static let secrets = ["store"]

    /// Those that say where the store is.
    private static let places = ["data", "memory", "store"]

    /// The command line with the settings of the environment before its own options, so that the command line wins.
    static func arguments(
        before given: [String], value: (String) throws(Failure) -> String? = Environment.value
    ) throws(Failure) -> [String] {
        guard given.first == "serve" else { return given }
        // If the command line says where the store is, the environment does not.
        let saysWhere = given.contains { argument in
            places.contains { argument == "--\($0)" || argument.hasPrefix("--\($0)=") }
        }
        // The environment of a container names a folder, also when another variable names a database.
        let hasStore = try value(variable("store")) != nil
        var arguments = ["serve"]
        for option in options where !(saysWhere && places.contains(option) || hasStore && option == "data") {
            guard let value = try value(variable(option)), !isServiceLink(value) else { continue }
            let values = repeatable.contains(option) ? value.split(separator: ",").map(String.init) : [value]
            arguments += values.map { "--\(option)=\($0)" }
        }
        for flag in flags where !(saysWhere && places.contains(flag)) {
            switch try value(variable(flag)) {
            case "1", "true": arguments.append("--\(flag)")
            case nil, "", "0", "false": continue
            case .some: throw .environment(variable(flag))
            }
        }
        return arguments + given.dropFirst()
    }

    static func variable(_ option: String) -> String {
        "LISTSTATE_" + option.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Warns of variables with our prefix that no setting has: typing errors, or settings of another version.
    static func noteStrangers() {
        let all = (try? bytes(of: "/proc/self/environ")) ?? []
        let names = all.split(separator: 0).map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        }
        for complaint in complaints(about: names) {
            _ = "liststate: \(complaint)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
        }
    }

    /// A line for each variable that no setting has.
    static func complaints(about names: [String]) -> [String] {
        let known = (options + flags).map(variable)
        return names.filter {
            $0.hasPrefix("LISTSTATE_") && ![tokenVariable, serverVariable].contains($0) && !known.contains($0)
                && !isOfServiceLink($0)
        }.sorted().map {
            let name = ByteText(String($0.prefix(64)))
            let nearest = known.map { ($0, name.distance(to: ByteText($0))) }.min { $0.1 < $1.1 }
            let advice = nearest.map { $0.1 <= 4 ? " Did you mean \($0.0)?" : "" } ?? ""
            return "\(name) is no setting.\(advice)"
        }
    }

    /// Kubernetes sets such variables if a service is called `liststate`: `LISTSTATE_SERVICE_HOST`,
    /// `LISTSTATE_PORT_80_TCP_ADDR`.
    private static func isOfServiceLink(_ name: String) -> Bool {
        name.contains("_SERVICE_") || name.contains("_TCP") || name.contains("_UDP") || name.hasSuffix("_PORT")
    }

    /// Kubernetes also sets `LISTSTATE_PORT=tcp://10.0.0.1:80` for such a service.
    private static func isServiceLink(_ value: String) -> Bool { value.hasPrefix("tcp://") }

    static func value(_ name: String) throws(Failure) -> String? {
        if let text = getenv(name) { return String(cString: text) }
        guard let secret = secrets.first(where: { variable($0) == name }), let folder = getenv("CREDENTIALS_DIRECTORY")
        else { return nil }
        return try credential("liststate.\(secret)", in: String(cString: folder))
    }

    /// The server that commands ask, and the token with which they do.
    static let serverVariable = "LISTSTATE_URL"
    static let tokenVariable = "LISTSTATE_TOKEN"
    private static let tokenBytesMax = 8_192

    /// The token of the environment; nil if there is none.
    ///
    /// - Throws: As `checked(token:of:)`.
    static func token() throws(Failure) -> String? {
        guard let text = getenv(tokenVariable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        return try checked(token: text, of: tokenVariable)
    }

    /// A token that can stand in the head of a request.
    ///
    /// - Parameter source: Where the token comes from.
    /// - Throws: `.failed` if it can be no token.
    static func checked(token text: String, of source: String) throws(Failure) -> String {
        guard (1...tokenBytesMax).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .failed("\(source) has characters that no token has.", 64)
        }
        return text
    }

    /// The server that commands ask; nil if the environment names none.
    static func server() throws(Failure) -> ServerAddress? {
        guard let text = getenv(serverVariable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        guard let address = ServerAddress(argument: text) else {
            throw .failed("\(serverVariable) is no address such as https://lists.example.org.", 64)
        }
        return address
    }

    /// The line that a credential is; nil if there is none of this name.
    static func credential(_ name: String, in folder: String) throws(Failure) -> String? {
        let path = "\(folder)/\(name)"
        guard access(path, F_OK) == 0 else { return nil }
        var line = try bytes(of: path)
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        guard (1...4096).contains(line.count), line.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .failed("The credential \(name) is not one line of at most 4096 characters of ASCII.", 78)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
