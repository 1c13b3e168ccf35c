public import Access
internal import HTTPTypes
internal import JSONWebTokens
internal import Microhttpd
public import Texts

/// Knows who sends a request, and tells streams when somebody may have lost a right.
///
/// Without a keeper everybody may do everything.
public final class Gate: Sendable {
    public let keeper: AccessKeeper?
    /// The storage of the access book; nil without a keeper.
    private let watched: WatchedBook?
    /// Nil without a keeper.
    let tickets: Tickets?
    /// Nil if only tokens of this server are taken.
    public let issuer: TokenIssuer?
    /// Seconds since 1970.
    let clock: @Sendable () -> Int
    /// Returns a random number from 0 up to, but not including, its argument. Nobody can guess it.
    let random: @Sendable (Int) -> Int
    /// It is told of each change of rights and of each refused request; nil costs nothing.
    private let audit: (@Sendable (AccessEvent, _ actor: ByteText) -> Void)?
    /// Every stream and every poll waits in this group, besides those of its lists.
    let group: WakeGroup

    /// A gate that is always open.
    public static let open = Gate(nil, nil, nil, nil, group: WakeGroup(), clock: { 0 }, random: { _ in 0 }, audit: nil)

    private init(
        _ keeper: AccessKeeper?, _ watched: WatchedBook?, _ tickets: Tickets?, _ issuer: TokenIssuer?, group: WakeGroup,
        clock: @escaping @Sendable () -> Int,
        random: @escaping @Sendable (Int) -> Int, audit: (@Sendable (AccessEvent, _ actor: ByteText) -> Void)?
    ) {
        self.random = random
        self.audit = audit
        self.keeper = keeper
        self.watched = watched
        self.tickets = tickets
        self.issuer = issuer
        self.group = group
        self.clock = clock
    }

    /// - Parameters:
    ///   - store: The storage of the access book.
    ///   - tickets: That of tickets.
    ///   - issuer: Somebody else whose tokens are taken; nil for nobody.
    ///   - clock: Seconds since 1970.
    ///   - random: Returns a random number from 0 up to, but not including, its argument. Nobody can guess it.
    ///   - audit: It is told of each change of rights and of each refused request.
    /// - Throws: As `AccessKeeper.init`, and as `Tickets.init`.
    public convenience init(
        _ store: any BookStore, tickets: any TicketStore, issuer: TokenIssuer.Settings?,
        clock: @escaping @Sendable () -> Int,
        random: @escaping @Sendable (Int) -> Int,
        audit: (@Sendable (AccessEvent, _ actor: ByteText) -> Void)?
    ) throws {
        let group = WakeGroup()
        let watched = WatchedBook(store, clock: clock)
        self.init(
            try AccessKeeper(watched, isClosed: issuer != nil, clock: clock) { group.wake() }, watched,
            try Tickets(tickets, clock: clock), issuer.map { TokenIssuer($0) { group.wake() } }, group: group,
            clock: clock, random: random, audit: audit)
    }

    public func note(_ event: AccessEvent, by actor: ByteText) { audit?(event, actor) }

    /// Learns of changes by others from now on.
    public func start(complain: @escaping @Sendable (any Error) -> Void) throws {
        try keeper?.start(complain: complain)
        try issuer?.start()
    }

    public func stop() {
        issuer?.stop()
        keeper?.stop()
    }

    /// The caller as it is now, for whoever was let in before; nil if it would not be let in any more.
    func renewed(_ caller: Caller, in book: OpenBook) -> Caller? {
        guard caller.kind != .foreign || issuer?.has(signerOf: caller) == true else { return nil }
        return book.renewed(caller, at: clock())
    }

    /// How often the issuer of the caller's token has replaced its keys; 0 for a token of this server.
    func keysNumber(for caller: Caller) -> Int { caller.kind == .foreign ? keysNumber : 0 }

    /// How often the issuer of others' tokens has replaced its keys.
    var keysNumber: Int { issuer?.keysNumber ?? 0 }

    /// The holder of a token, as far as that is known at once; nil if it must be looked for.
    ///
    /// - Throws: `unauthenticated` if it is known at once that it is none.
    func known(_ token: ByteText, in book: OpenBook) throws(Problem) -> Caller? {
        if let caller = book.caller(token, at: clock()) { return caller }
        guard let issuer, !Secret.hasForm(token) else { throw .wrongToken }
        guard let caller = issuer.known(token, at: clock()) else { return nil }
        guard let caller = book.renewed(caller, at: clock()) else {
            throw .wrong(.expired(at: caller.expires ?? 0), claim: issuer.claim)
        }
        return caller
    }

    /// The holder of a token of another issuer. It may take a millisecond.
    ///
    /// - Throws: `unauthenticated`.
    func looked(for token: ByteText, in book: OpenBook) throws(Problem) -> Caller {
        guard let issuer else { throw .wrongToken }
        do throws(WebTokenError) { _ = try issuer.holder(of: token, at: clock()) } catch {
            throw .wrong(error, claim: issuer.claim)
        }
        guard let caller = try known(token, in: book) else { throw .wrongToken }
        return caller
    }

    /// Whether nobody has begun to use tokens.
    public var letsEverybodyIn: Bool { book?.withoutToken.isEverybody ?? true }

    /// The book as this server knows it; nil if it has none.
    var book: OpenBook? { keeper?.current }

    /// The same with its number.
    var numberedBook: (book: OpenBook?, number: Int) { keeper.map { $0.numbered } ?? (nil, 0) }

    /// The number of the book; another book has another one.
    var bookNumber: Int { keeper?.number ?? 0 }

    /// The book that a visit knows, if that is still the present one.
    func book(knownTo visit: Visit?) -> OpenBook? {
        guard let visit, let book = visit.book, visit.bookNumber == bookNumber else { return self.book }
        return book
    }

    /// For how many seconds the book could not be read, so that others may have changed it since; nil if it could.
    var bookUnreadSeconds: Int? { watched?.unreadSeconds }

    /// Whether everybody may read the list, so that shared caches may keep answers about it.
    func isPublic(_ list: ByteText, in book: OpenBook?) -> Bool { book?.withoutToken.may(.read, list) ?? true }
}

extension Problem {
    /// - Parameter error: The error for the client (RFC 6750, section 3.1); nil if it has not named itself.
    static func challenged(_ error: StaticString?, _ detail: String) -> Problem {
        var problem = Problem(.unauthenticated, detail)
        problem.fields[.wwwAuthenticate] = "Bearer realm=\"liststate\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return problem
    }

    static var noBearer: Problem {
        challenged(
            "invalid_request", "Authorization is not of the form: Bearer TOKEN. Other schemes are not known here.")
    }

    static var wrongToken: Problem {
        challenged(
            "invalid_token",
            "The token is not known, was revoked, or has expired. Ask an administrator for another one.")
    }

    static var noToken: Problem {
        challenged(
            nil,
            "A token is needed: send the header Authorization: Bearer TOKEN. An administrator of the server makes it.")
    }

    /// The answer for each list that the caller may not see, whether it is there or not.
    static var hiddenList: Problem {
        var problem = Problem(
            .notFound, "There is no such list, or your token may not see it. GET /v1/lists returns those it may see.")
        problem.hidesList = true
        return problem
    }

    static var notOfAll: Problem {
        Problem(.forbidden, "Only a token that administers all lists may ask for this: its lists are \"*\".")
    }

    static func forbidden(_ right: Rights) -> Problem {
        let names = right.names.joined(separator: " or ")
        return Problem(
            .forbidden, "Your token lacks the right \(names) on this list. An administrator of the list can give it.")
    }
}
