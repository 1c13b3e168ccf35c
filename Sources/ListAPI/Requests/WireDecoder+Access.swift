internal import Access
internal import JSONValue
internal import ListWire
internal import Texts

/// The body of `POST /v1/tokens`.
struct WantedToken: Sendable {
    var name: ByteText
    var grants: Grants
    /// The seconds from now on for which the token is good; nil if it has no end.
    var lifetimeSeconds: Int?
}

extension WireDecoder {
    /// Ten years.
    private static let lifetimeSecondsMax = 315_360_000

    /// Reads the body of `POST /v1/tokens`.
    func tokenBody(_ value: JSONSlice) throws(WireError) -> WriteBody<WantedToken> {
        let object = try WireObject(value, ["name", "grants", "lifetimeSeconds"], telling: errors)
        let name = try object.required("name", tokenName)
        let grants = try object.required("grants", advising: Self.anyGrants, grants)
        let lifetime = try object.optional("lifetimeSeconds", lifetimeSeconds)
        return WriteBody(value: WantedToken(name: name, grants: grants, lifetimeSeconds: lifetime))
    }

    /// Reads the body of `POST /v1/tokens/{token}/rotate`, which may be missing: the lifetime of the new secret.
    func rotationBody(_ value: JSONSlice?) throws(WireError) -> WriteBody<Int?> {
        guard let value else { return WriteBody(value: nil) }
        let object = try WireObject(value, ["lifetimeSeconds"], telling: errors)
        return WriteBody(value: try object.optional("lifetimeSeconds", lifetimeSeconds))
    }

    /// Reads the body of `PUT /v1/access/{group}`.
    func groupBody(_ value: JSONSlice) throws(WireError) -> WriteBody<Grants> {
        let object = try WireObject(value, ["grants"], telling: errors)
        return WriteBody(value: try object.required("grants", advising: Self.anyGrants, grants))
    }

    private static let targetBytesMax = 4_096

    /// Reads the body of `POST /v1/tickets`: the address of a stream, which the caller checks.
    func ticketBody(_ value: JSONSlice) throws(WireError) -> WriteBody<ByteText> {
        let object = try WireObject(value, ["target"], telling: errors)
        return WriteBody(
            value: try object.required("target") { value throws(WireError) in
                let target = try string(value)
                guard target.hasPrefix("/"), target.utf8.count <= Self.targetBytesMax else {
                    throw WireError(.target)
                }
                return target
            })
    }

    private static let anyGrants: StaticString = #"For example: [{"lists":["team-a-*"],"can":["read","write"]}]."#

    private func tokenName(_ value: JSONSlice) throws(WireError) -> ByteText {
        let name = try string(value)
        guard AccessBook.isName(name) else { throw WireError(.tokenName) }
        return name
    }

    private func lifetimeSeconds(_ value: JSONSlice) throws(WireError) -> Int {
        let seconds = try count(value)
        guard (1...Self.lifetimeSecondsMax).contains(seconds) else { throw WireError(.lifetime) }
        return seconds
    }

    private func grants(_ value: JSONSlice) throws(WireError) -> Grants {
        guard let grants = Grants(try array(value, grant)) else { throw WireError(.grants) }
        return grants
    }

    private func grant(_ value: JSONSlice) throws(WireError) -> Grant {
        let object = try WireObject(value, ["lists", "can"], telling: errors)
        let lists = try object.required("lists") { value throws(WireError) in try array(value, pattern) }
        let rights = try object.required("can") { value throws(WireError) in try array(value, right) }
        guard let grant = Grant(lists, rights.reduce([]) { $0.union($1) }) else {
            throw WireError(.grant)
        }
        return grant
    }

    private func pattern(_ value: JSONSlice) throws(WireError) -> ListPattern {
        guard let pattern = ListPattern(try string(value)) else { throw WireError(.listPattern) }
        return pattern
    }

    private func right(_ value: JSONSlice) throws(WireError) -> Rights {
        try word(value, among: Rights.named.map(\.name)) { Rights(names: [$0]) }
    }
}
