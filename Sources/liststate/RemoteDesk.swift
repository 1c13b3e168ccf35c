import Access
import JSONValue
import Texts

/// Does what commands ask for about tokens over HTTP, with the rights of the token of the environment.
struct RemoteDesk {
    let server: ServerAddress

    /// - Returns: The lines to print. The last one is the token, if there is a new one.
    func perform(_ request: AccessRequest) throws(Failure) -> [ByteText] {
        switch request {
        case .create(let name, let grants, let seconds):
            var members: [JSONObject.Member] = [("name", .string(name)), ("grants", grants.json)]
            if let seconds { members.append(("lifetimeSeconds", .integer(seconds))) }
            let made = try server.ask("POST", "/v1/tokens", json: .object(JSONObject(members)))
            return ["The token \(name) is shown this once:", try secret(in: made)]
        case .rotate(let name, let seconds):
            let body: JSONValue? = seconds.map { ["lifetimeSeconds": .integer($0)] }
            let made = try server.ask("POST", "\(try Self.path(name))/rotate", json: body)
            return [
                "The old secret of \(name) no longer works. The new one is shown this once:", try secret(in: made),
            ]
        case .revoke(let name):
            _ = try server.answer("DELETE", try Self.path(name))
            return ["The token \(name) is revoked."]
        case .list: return try list()
        case .allow(let group, let grants):
            _ = try server.ask("PUT", "/v1/access/\(group.rawValue)", json: ["grants": grants.json])
            return ["\(group.rawValue): \(grants.sentence)"]
        }
    }

    /// The tokens that the caller may change, and, for an administrator of all lists, the rights of the groups.
    private func list() throws(Failure) -> [ByteText] {
        let answer = try server.ask("GET", "/v1/tokens")
        guard case .array(let tokens)? = answer["tokens"] else { throw noForm }
        var lines: [ByteText] = []
        for token in tokens {
            guard case .object(let token) = token, case .string(let name)? = token["name"],
                let grants = token["grants"].flatMap({ Grants($0) })
            else { throw noForm }
            var end: ByteText = ""
            if case .string(let time)? = token["expires"] { end = ", until \(time)" }
            lines.append("\(name): \(grants.sentence)\(end)")
        }
        let groups: JSONObject
        do throws(Failure) { groups = try server.ask("GET", "/v1/access") } catch {
            guard case .refused(403, _, _) = error else { throw error }
            return lines
        }
        for group in AccessBook.Group.allCases {
            guard let grants = groups[ByteText(group.rawValue)].flatMap({ Grants($0) }) else { throw noForm }
            lines.append("\(group.rawValue): \(grants.sentence)")
        }
        return lines
    }

    private func secret(in made: JSONObject) throws(Failure) -> ByteText {
        guard case .string(let secret)? = made["token"] else { throw noForm }
        return secret
    }

    private var noForm: Failure { .failed("\(server) answers in a form that this program does not know.", 76) }

    /// A name of another form may not stand in a path, and is no token's.
    private static func path(_ name: ByteText) throws(Failure) -> String {
        guard AccessBook.isName(name) else { throw .failed("There is no token of this name.", 65) }
        return "/v1/tokens/\(name)"
    }
}
