import ArgumentParser
import Glibc
import Texts

/// The server that a command asks, and the token with which it does.
struct ServerOptions: ParsableArguments {
    @Option(
        help: """
            The server: https://lists.example.org, or http:// and an address of this machine. (default: LISTSTATE_URL, else \
            http://127.0.0.1 and LISTSTATE_PORT, else 8080)
            """)
    var url: ServerAddress?
    @OptionGroup var credential: TokenOptions

    func server() throws -> RemoteServer {
        try RemoteServer(address: url ?? Environment.server() ?? local, token: credential.secret())
    }

    private var local: ServerAddress {
        let port = getenv("LISTSTATE_PORT").flatMap { UInt16(String(cString: $0)) }
        return ServerAddress(host: "127.0.0.1", port: port ?? ServerAddress.standard.port, isSecure: false)
    }
}

/// The token of a command, from one of three places.
struct TokenOptions: ParsableArguments {
    @Option(
        help: """
            The token. Lists of processes show it for a moment, until it is blotted out: --token-file and the variable are \
            never shown. (default: LISTSTATE_TOKEN)
            """)
    var token: String?
    @Option(help: "A file with the token.", completion: .file())
    var tokenFile: String?

    func validate() throws {
        if let token { hideArgument(token) }
        guard token == nil || tokenFile == nil else { throw ValidationError("One of --token and --token-file.") }
    }

    func secret() throws(Failure) -> String? {
        if let token { return try Environment.checked(token: token, of: "--token") }
        guard let tokenFile else { return try Environment.token() }
        let line = ByteText(decoding: try bytes(of: tokenFile)).trimmed { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
        return try Environment.checked(token: line.string, of: tokenFile)
    }
}

/// How an answer is shown.
struct FormOption: ParsableArguments {
    @Flag(help: "Prints the server's answer as JSON.")
    var json = false
}

/// The list that a command is about.
struct ListArgument: ParsableArguments {
    @Argument(help: "The id of the list.")
    var list: String

    func validate() throws { try ListArgument.check(list) }

    static func check(_ list: String) throws(ValidationError) {
        guard isListID(list) else {
            throw ValidationError(
                "An id of a list begins with a-z or 0-9 and has at most 128 of those and '.', '_', '-'.")
        }
    }
}
