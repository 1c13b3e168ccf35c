internal import Access
internal import HTTPTypes
internal import ListStore
internal import Microhttpd
internal import SHA256
internal import Texts

extension API {
    /// The sender of a request. Nobody is asked who they are where no right is needed: a proxy may send its own
    /// `Authorization` along.
    ///
    /// - Throws: `unauthenticated` if it names itself, but not by a token or a ticket that is right. A wrong token is told
    ///   as such also where none is needed, because its sender counts on its rights.
    func caller(
        of head: RequestHead, _ endpoint: Endpoint, _ book: OpenBook?, _ pace: Write.Pace
    ) throws(Problem) -> Caller {
        guard let book, endpoint.rule != .open, !book.withoutToken.isEverybody else { return .everybody }
        let visit = head.visitor as? Visit
        if let visit, visit.isNamed(in: book) { return try visit.caller(at: configuration.gate.clock()) }
        if let value = head.authorization {
            do throws(Problem) {
                let caller = try caller(of: value, in: book, pace)
                visit?.note(tokenIsRight: true)
                return caller
            } catch {
                if !error.isForWorker { visit?.note(tokenIsRight: false) }
                throw error
            }
        }
        if endpoint.streams, let ticket = head.ticket { return try caller(of: ticket, head, book, pace) }
        return book.withoutToken
    }

    /// The holder of a token.
    ///
    /// - Parameters:
    ///   - value: The value of `Authorization`.
    ///   - pace: If it is `.brief`, a worker is asked for to check a signature.
    func caller(of value: ByteText, in book: OpenBook, _ pace: Write.Pace) throws(Problem) -> Caller {
        guard let text = Bearer.token(in: value) else { throw .noBearer }
        if let caller = try configuration.gate.known(text, in: book) { return caller }
        guard pace != .brief else { throw .forWorker }
        return try configuration.gate.looked(for: text, in: book)
    }

    /// The sender of a request, as far as that is known at once; nil if it must be looked for, or is nobody who is let in.
    func knownCaller(of head: RequestHead, _ visit: Visit?, in book: OpenBook) -> Caller? {
        if let visit, visit.isNamed(in: book) { return visit.knownCaller(at: configuration.gate.clock()) }
        guard !book.withoutToken.isEverybody else { return book.withoutToken }
        guard let value = head.authorization else { return book.withoutToken }
        return try? caller(of: value, in: book, .brief)
    }

    /// The sender of a request where nobody is asked who they are; nil if its token is wrong, or its address has sent too
    /// many that were.
    ///
    /// - Throws: Only `forWorker`, if a worker must look at the token.
    func soughtCaller(of head: RequestHead, in book: OpenBook, _ pace: Write.Pace) throws(Problem) -> Caller? {
        if let known = knownCaller(of: head, head.visitor as? Visit, in: book) { return known }
        guard let value = head.authorization else { return nil }
        do throws(Problem) {
            let guess = pace == .brief ? nil : try Guess(of: head.client, configuration.quotas)
            let caller = try caller(of: value, in: book, pace)
            guess?.takeBack()
            return caller
        } catch {
            guard !error.isForWorker else { throw error }
            return nil
        }
    }

    /// The holder of a ticket for the stream that a request asks for.
    ///
    /// - Throws: `unauthenticated` if the ticket is not good for it.
    private func caller(
        of ticket: ByteText, _ head: RequestHead, _ book: OpenBook, _ pace: Write.Pace
    ) throws(Problem) -> Caller {
        guard let tickets = configuration.gate.tickets else { throw .wrongTicket }
        guard head.method == .get, head.wantsEvents else { throw .ticketWithoutStream }
        let target = head.targetDigest
        var holder = tickets.known(ticket, target: target)
        if holder == nil {
            // The storage may have to be asked, and the use is stored.
            guard pace != .brief else { throw .forWorker }
            holder = try looked(for: ticket, target, in: tickets, by: head.client)
        }
        guard let holder, let caller = configuration.gate.renewed(holder, in: book) else { throw .wrongTicket }
        return caller
    }

    /// The holder of a ticket with which no stream has begun yet, as far as this server knows; nil if it is wrong. That
    /// counts as a wrong token does. A ticket that this server has made is no guess, so nobody is shut out by others of
    /// the same address.
    private func looked(
        for ticket: ByteText, _ target: [UInt8], in tickets: Tickets, by client: ClientAddress?
    ) throws(Problem) -> Caller? {
        let isGuess = !tickets.awaits(ticket, target: target)
        let guess = isGuess ? try Guess(of: client, configuration.quotas) : nil
        do throws(BookStoreError) {
            let holder = try tickets.use(ticket, target: target)
            if holder != nil { guess?.takeBack() }
            return holder
        } catch {
            guess?.takeBack()
            throw Problem(changing: error)
        }
    }
}

extension RequestHead {
    private static let authorizationName = FieldNames([.authorization])

    fileprivate var authorization: ByteText? {
        mayHave(Self.authorizationName) ? field(.authorization) : nil
    }

    fileprivate var ticket: ByteText? {
        guard hasQuery else { return nil }
        return query.first { $0.name == QueryItem.ticketName }?.value
    }

    /// The digest of the path and the query as they were sent, without tickets.
    var targetDigest: [UInt8] {
        var parts = [Array(path.utf8)]
        for item in query where item.name != QueryItem.ticketName {
            parts.append(Array(item.name.utf8))
            // Nothing and an empty value are two addresses.
            parts.append(item.value.map { [UInt8(ascii: "=")] + $0.utf8 } ?? [])
        }
        return sha256(parts: parts)
    }
}

extension QueryItem {
    fileprivate static let ticketName = ByteText(QueryParameter.ticket.rawValue)
}

/// `Authorization: Bearer TOKEN` (RFC 6750, section 2.1).
enum Bearer {
    /// - Returns: Nil if the scheme is another one, or there is no token.
    static func token(in value: ByteText) -> ByteText? {
        let value = value.trimmed
        guard value.utf8.count > scheme.utf8.count,
            ByteText(value.utf8.prefix(scheme.utf8.count)).lowercasedASCII == scheme
        else { return nil }
        let token = ByteText(value.utf8.dropFirst(scheme.utf8.count)).trimmed
        return token.isEmpty ? nil : token
    }

    private static let scheme: ByteText = "bearer "
}

extension Problem {
    static var wrongTicket: Problem {
        challenged(
            "invalid_token",
            """
            The ticket is none for this address, was not used in time, or its token is not valid any more. POST /v1/tickets \
            makes another one.
            """)
    }

    static var ticketWithoutStream: Problem {
        challenged("invalid_request", "A ticket is only for streams: send GET with Accept: \(MediaType.eventStream).")
    }
}
