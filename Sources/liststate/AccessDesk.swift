import Access
import JSONValue
import Texts

/// What a command asks for about tokens. It travels as JSON to the server that has the folder open.
enum AccessRequest {
    case create(name: ByteText, Grants, lifetimeSeconds: Int?)
    case rotate(name: ByteText, lifetimeSeconds: Int?)
    case revoke(name: ByteText)
    case list
    case allow(AccessBook.Group, Grants)

    var json: JSONValue {
        switch self {
        case .create(let name, let grants, let seconds):
            [
                "do": "create", "name": .string(name), "grants": grants.json,
                "lifetimeSeconds": seconds.map { .integer($0) } ?? .null,
            ]
        case .rotate(let name, let seconds):
            ["do": "rotate", "name": .string(name), "lifetimeSeconds": seconds.map { .integer($0) } ?? .null]
        case .revoke(let name): ["do": "revoke", "name": .string(name)]
        case .list: ["do": "list"]
        case .allow(let group, let grants):
            ["do": "allow", "group": .string(ByteText(group.rawValue)), "grants": grants.json]
        }
    }

    /// - Returns: Nil for a request of another version.
    init?(_ json: JSONValue) {
        guard case .object(let object) = json, case .string(let what)? = object["do"] else { return nil }
        let name: ByteText? = if case .string(let name)? = object["name"] { name } else { nil }
        let grants = object["grants"].flatMap { Grants($0) }
        var seconds: Int?
        if case .number(let number)? = object["lifetimeSeconds"] { seconds = number.integer }
        switch what {
        case "create":
            guard let name, AccessBook.isName(name), let grants else { return nil }
            self = .create(name: name, grants, lifetimeSeconds: seconds)
        case "rotate":
            guard let name else { return nil }
            self = .rotate(name: name, lifetimeSeconds: seconds)
        case "revoke":
            guard let name else { return nil }
            self = .revoke(name: name)
        case "list": self = .list
        case "allow":
            guard case .string(let text)? = object["group"], let group = AccessBook.Group(rawText: text), let grants
            else { return nil }
            self = .allow(group, grants)
        default: return nil
        }
    }
}

/// Does what commands ask for, in the server that has the folder open or in the command itself.
struct AccessDesk: Sendable {
    let keeper: AccessKeeper
    let clock: @Sendable () -> Int
    /// It is told of each change.
    let note: @Sendable (AccessEvent) -> Void

    /// The one who changes tokens by a command: whoever has the rights of the server's own user. No token and no subject of
    /// another issuer has the name.
    static let actor: ByteText = "@command"

    /// - Returns: The lines to print. The last one is the token, if there is a new one.
    /// - Throws: `Failure` with a sentence. Nothing has changed then.
    func perform(_ request: AccessRequest) throws(Failure) -> [ByteText] {
        do {
            switch request {
            case .create(let name, let grants, let seconds): return try create(name, grants, seconds)
            case .rotate(let name, let seconds): return try rotate(name, seconds)
            case .revoke(let name):
                try keeper.change { book throws(AccessError) in try book.remove(name) }
                note(.tokenRevoked(name))
                return ["The token \(name) is revoked."]
            case .list: return list(keeper.current.book)
            case .allow(let group, let grants):
                try keeper.change { book throws(AccessError) in book.set(grants, of: group) }
                note(.groupChanged(group, grants))
                return ["\(group.rawValue): \(grants.sentence)"]
            }
        } catch let error as AccessError {
            throw .failed(error.sentence, 65)
        } catch let error as BookStoreError {
            throw .failed("The tokens cannot be stored: \(error.cause)", 74)
        } catch {
            throw .failed("The tokens cannot be changed: \(error)", 74)
        }
    }

    private func create(_ name: ByteText, _ grants: Grants, _ seconds: Int?) throws -> [ByteText] {
        let (secret, token) = newToken(name, grants, seconds)
        let isFirst = try keeper.change { book throws(AccessError) in
            let isFirst = book.isEmpty
            try book.add(token)
            return isFirst
        }
        note(.tokenMade(name, grants, expires: token.expires))
        let news: [ByteText] = [
            "This is the first token: from now on nothing is for everybody, but for what `liststate access` allows."
        ]
        return (isFirst ? news : []) + ["The token \(name) is shown this once:", secret]
    }

    /// A token that is in no book yet, with its secret.
    func newToken(
        _ name: ByteText, _ grants: Grants, _ lifetimeSeconds: Int?
    ) -> (secret: ByteText, token: AccessBook.Token) {
        let (secret, now) = (Secret.make(randomNumber), clock())
        let token = AccessBook.Token(
            name: name, digest: Secret.digest(secret), grants: grants, created: now,
            expires: lifetimeSeconds.map { now + $0 }, creator: Self.actor)
        return (secret, token)
    }

    private func rotate(_ name: ByteText, _ seconds: Int?) throws -> [ByteText] {
        let (secret, now) = (Secret.make(randomNumber), clock())
        try keeper.change { book throws(AccessError) in
            let expires = seconds.map { now + $0 } ?? book.tokens[name]?.expires
            try book.rotate(name, digest: Secret.digest(secret), expires: expires)
        }
        note(.tokenRotated(name))
        return ["The old secret of \(name) no longer works. The new one is shown this once:", secret]
    }

    private func list(_ book: AccessBook) -> [ByteText] {
        guard !book.isEmpty else { return ["There are no tokens: everybody who reaches the server may do everything."] }
        let now = clock()
        let tokens = book.tokens.values.sorted { $0.name < $1.name }.map { token -> ByteText in
            let end = token.expires.map { $0 <= now ? ", expired" : ", for \(Self.days($0 - now)) more" } ?? ""
            return "\(token.name): \(token.grants.sentence)\(end)"
        }
        let groups = AccessBook.Group.allCases.map { group in
            ByteText("\(group.rawValue): \(book.grants(of: group).sentence)")
        }
        return tokens + groups
    }

    private static func days(_ seconds: Int) -> String {
        seconds >= 172_800 ? "\(seconds / 86_400) days" : seconds >= 7_200 ? "\(seconds / 3_600) h" : "\(seconds) s"
    }
}

extension Grants {
    /// The grants for a person: `read,write on team-a-*; read on b`.
    var sentence: ByteText {
        guard !isEmpty else { return "nothing" }
        return all.map { grant in
            let (rights, lists) = (
                grant.rights.names.joined(separator: ","), grant.lists.map(\.text).joined(separator: ",")
            )
            return "\(rights) on \(lists)" as ByteText
        }.joined(separator: "; ")
    }
}

extension AccessError {
    var sentence: String {
        switch self {
        case .nameTaken(let name):
            "There is a token \(name). `liststate token rotate \(name)` gives it a new secret, and revoke removes it."
        case .noSuchToken(let name): "There is no token \(name): see `liststate token list`."
        case .tooManyTokens(let max): "There are \(max) tokens, and no more can be made. Revoke some first."
        case .bookTooLarge: "All tokens and rules together would take too many bytes. Revoke some first."
        case .callerGone: "The token that you use is not valid any more."
        case .beyondOwnRights: "These rights go beyond your own."
        case .unreadable: "The stored tokens cannot be read by this program: a newer one may have written them."
        }
    }
}
