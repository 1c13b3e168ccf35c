import ArgumentParser
import JSONWebTokens
import ListAPI
import Logging
import Texts

/// Whose JSON Web Tokens the server takes besides its own tokens.
struct IssuerOptions: ParsableArguments {
    @Option(
        help: """
            The public keys of an issuer whose JSON Web Tokens are taken, as a file or an https URL. Only with \
            --jwt-issuer and --jwt-audience.
            """)
    var jwks: String?
    @Option(help: "The iss that such a token must have.")
    var jwtIssuer: String?
    @Option(help: "The aud that such a token must have, perhaps among others.")
    var jwtAudience: String?
    @Option(
        help: """
            The claim of such a token that names its rights: grants as in POST /v1/tokens, or words such as \
            liststate:read,write:team-a-*.
            """)
    var jwtClaim = "liststate"
    @Option(help: "Seconds between two looks for new keys.")
    var jwksSeconds = 60

    static let names = ["jwks", "jwt-issuer", "jwt-audience", "jwt-claim", "jwks-seconds"]
    private static let secondsAllowed = 1...86_400
    /// Claims that say something else.
    private static let taken = ["iss", "aud", "sub", "exp", "nbf", "iat"]

    func validate() throws {
        let given = [jwks, jwtIssuer, jwtAudience].compactMap { $0 }
        guard [0, 3].contains(given.count) else {
            throw ValidationError("--jwks, --jwt-issuer and --jwt-audience belong together.")
        }
        guard (given + [jwtClaim]).allSatisfy(Self.isWord) else {
            throw ValidationError(
                "--jwks, --jwt-issuer, --jwt-audience and --jwt-claim have 1 to 255 visible characters of ASCII.")
        }
        guard !Self.taken.contains(jwtClaim) else { throw ValidationError("--jwt-claim has a meaning of its own.") }
        guard Self.secondsAllowed.contains(jwksSeconds) else {
            throw ValidationError("--jwks-seconds is a number from 1 to 86400, and not \(jwksSeconds).")
        }
        guard jwks.map(Self.isSafe) ?? true else {
            throw ValidationError(
                "--jwks is a file or an https URL. With http, whoever is on the way could give keys of its own.")
        }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isURL(_ text: String) -> Bool { text.contains("://") }

    /// Whether nobody else can give keys. To this machine itself http is as good.
    private static func isSafe(_ text: String) -> Bool {
        guard isURL(text), !text.lowercased().hasPrefix("https://") else { return true }
        return ServerAddress(argument: String(text.split(separator: "/").prefix(2).joined(separator: "//")))
            .map { ServerAddress.isLoopback($0.host) } ?? false
    }

    /// - Returns: Nil if no other issuer is trusted.
    func settings(_ logger: Logger) -> TokenIssuer.Settings? {
        guard let jwks, let jwtIssuer, let jwtAudience else { return nil }
        return TokenIssuer.Settings(
            keys: Self.isURL(jwks) ? .url(jwks) : .file(jwks), issuer: ByteText(jwtIssuer),
            audience: ByteText(jwtAudience), claim: ByteText(jwtClaim), everySeconds: jwksSeconds, uptime: uptime
        ) { found in
            switch found {
            case .success(.newKeys(let count)): logger.notice("The issuer \(jwtIssuer) has \(count) keys.")
            case .success(.nothingNew): break
            case .failure(let error): Self.complain(error, logger)
            }
        }
    }

    private static func complain(_ error: KeySourceError, _ logger: Logger) {
        logger.error(
            "The keys of the issuer cannot be read, and those that are known stay.", metadata: ["cause": "\(error)"])
    }

    /// Reads the keys for the first time. A file that is wrong will not mend itself; a server at a URL may come later.
    func look(_ issuer: TokenIssuer, _ logger: Logger) throws(Failure) {
        do throws(KeySourceError) {
            try issuer.look()
        } catch {
            guard let jwks, Self.isURL(jwks), !error.isForGood else {
                throw .failed("--jwks \(jwks ?? "") cannot be used: \(error)", 78)
            }
            Self.complain(error, logger)
        }
    }
}

extension KeySourceError {
    /// Whether waiting does not help.
    fileprivate var isForGood: Bool {
        switch self {
        case .noLibrary, .keys(.noLibrary): true
        case .file, .tooLong, .status, .fetch, .keys: false
        }
    }
}
