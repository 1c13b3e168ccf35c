internal import Access
internal import HTTPTypes
internal import JSONValue
internal import ListWire
internal import Microhttpd
internal import Texts
internal import Threads

// Tokens, and the rights of those without one. Administrators of all lists see and change everything; administrators of
// some lists only what is about these.

extension API {
    /// `GET /v1/tokens`
    func listTokens(_ call: Call) throws(Problem) -> Answer {
        let tokens = try openBook().book.tokens.values.filter { call.caller.mayGive($0.grants) }
        let body: JSONValue = ["tokens": .array(tokens.sorted { $0.name < $1.name }.map { json($0) })]
        return .send(read(body.bytes, to: call))
    }

    /// `GET /v1/tokens/{token}`
    func getToken(_ call: Call) throws(Problem) -> Answer {
        .send(read(json(try token(call)).bytes, to: call))
    }

    /// `POST /v1/tokens`: the only answer, besides that of a rotation, that has the token itself.
    func postToken(_ call: Call) throws(Problem) -> Answer {
        let wanted = try decode(call) { decoder, body throws(WireError) in try decoder.tokenBody(body) }.value
        guard call.caller.mayGive(wanted.grants) else { throw .beyondOwnRights }
        let secret = Secret.make(configuration.gate.random)
        let now = configuration.gate.clock()
        let token = AccessBook.Token(
            name: wanted.name, digest: Secret.digest(secret), grants: wanted.grants, created: now,
            expires: wanted.lifetimeSeconds.map { now + $0 }, creator: call.caller.actor)
        let caller = call.caller
        return change(call) { book, time throws(AccessError) in
            try book.add(token, by: caller, at: time)
        } event: { token in
            .tokenMade(token.name, token.grants, expires: token.expires)
        } answer: { [self] token in
            (.created, json(token, secret), [Response.Field("Location", "/v1/tokens/\(token.name)")])
        }
    }

    /// `POST /v1/tokens/{token}/rotate`
    func rotateToken(_ call: Call) throws(Problem) -> Answer {
        let lifetime = try decodeOptional(call) { decoder, body throws(WireError) in try decoder.rotationBody(body) }
        let seen = try token(call)
        let secret = Secret.make(configuration.gate.random)
        let digest = Secret.digest(secret)
        let caller = call.caller
        return change(call) { book, time throws(AccessError) in
            try book.rotate(seen, digest: digest, expires: lifetime.value.map { time + $0 }, by: caller, at: time)
        } event: { token in
            .tokenRotated(token.name)
        } answer: { [self] token in
            (.ok, json(token, secret), [])
        }
    }

    /// `DELETE /v1/tokens/{token}`
    func deleteToken(_ call: Call) throws(Problem) -> Answer {
        let seen = try token(call)
        let caller = call.caller
        return change(call) { book, time throws(AccessError) in
            try book.remove(seen, by: caller, at: time)
        } event: {
            .tokenRevoked(seen.name)
        } answer: {
            (.noContent, nil, [])
        }
    }

    /// `GET /v1/access`
    func getAccess(_ call: Call) throws(Problem) -> Answer {
        let book = try openBook().book
        let groups = AccessBook.Group.allCases.map { group in
            (key: ByteText(group.rawValue), value: book.grants(of: group).json)
        }
        return .send(read(JSONValue.object(JSONObject(groups)).bytes, to: call))
    }

    /// `PUT /v1/access/{group}`
    func putAccess(_ call: Call) throws(Problem) -> Answer {
        guard let group = call.arguments.first.flatMap({ AccessBook.Group(rawText: $0) }) else {
            throw Problem(.notFound, "There is no such group: it is anonymous or any-token.")
        }
        let grants = try decode(call) { decoder, body throws(WireError) in try decoder.groupBody(body) }.value
        let caller = call.caller
        return change(call) { book, time throws(AccessError) in
            try book.set(grants, of: group, by: caller, at: time)
        } event: {
            .groupChanged(group, grants)
        } answer: {
            (.ok, ["grants": grants.json], [])
        }
    }

    // MARK: Parts of these

    private func openBook() throws(Problem) -> OpenBook {
        guard let book = configuration.gate.book else {
            throw Problem(.notFound, "This server has no tokens: it keeps nothing that outlives it.")
        }
        return book
    }

    /// The token that the path names.
    ///
    /// - Throws: `not_found` if there is none whose rights the caller may give.
    private func token(_ call: Call) throws(Problem) -> AccessBook.Token {
        let found = call.arguments.first.flatMap { name in configuration.gate.book?.book.tokens[name] }
        guard let found, call.caller.mayGive(found.grants) else {
            throw Problem(.notFound, "There is no such token: GET /v1/tokens returns those that you may change.")
        }
        return found
    }

    private func json(_ token: AccessBook.Token, _ secret: ByteText? = nil) -> JSONValue {
        var members: [JSONObject.Member] = [
            ("name", .string(token.name)), ("grants", token.grants.json), ("created", .string(timeText(token.created))),
            ("creator", .string(token.creator)),
        ]
        if let expires = token.expires { members.append(("expires", .string(timeText(expires)))) }
        if let secret { members.append(("token", .string(secret))) }
        return .object(JSONObject(members))
    }

    /// Changes the book on a thread that can wait, and answers when that is durable.
    ///
    /// - Parameters:
    ///   - body: The change, with the time at which it is made. It asks for the right of the caller in the book that it
    ///     changes.
    ///   - event: The event that the audit log gets of what `body` has returned.
    private func change<Changed: Sendable>(
        _ call: Call, _ body: @escaping @Sendable (inout AccessBook, Int) throws(AccessError) -> Changed,
        event: @escaping @Sendable (Changed) -> AccessEvent,
        answer: @escaping @Sendable (Changed) -> (HTTPResponse.Status, JSONValue?, Response.Fields)
    ) -> Answer {
        let (trace, actor, client) = (call.trace, call.caller.actor, call.head.client)
        return onWorker { [self] in
            do {
                guard let keeper = configuration.gate.keeper else { throw AccessError.unreadable }
                let clock = configuration.gate.clock
                let changed = try keeper.change { book throws(AccessError) in try body(&book, clock()) }
                configuration.gate.note(event(changed), by: actor)
                let (status, json, others) = answer(changed)
                // It has a secret, so nobody may keep it.
                var fields = (json == nil ? [] : Response.Fields.uncachedJSON) + others
                fields.append(trace, id: trace.sentID ?? configuration.requestID())
                return Response(status: status, fields: fields, body: json?.bytes ?? [])
            } catch {
                let problem = Problem(changing: error)
                noteRefused(problem, trace, from: client, by: actor)
                return response(to: problem, trace)
            }
        }
    }

    /// Answers from a thread that can wait.
    func onWorker(_ respond: @escaping @Sendable () -> Response) -> Answer {
        .later { [self] resumption in
            guard let workers else { return resumption.resume(with: respond()) }
            workers.run(for: nil, on: nil, isAlone: false) { resumption.resume(with: respond()) }
        }
    }
}

/// The time as a date, for JSON.
func timeText(_ seconds: Int) -> ByteText {
    var splicer = JSONSplicer(capacity: 32)
    splicer.time(seconds)
    // Without the quotes.
    return ByteText(decoding: splicer.bytes.dropFirst().dropLast())
}
