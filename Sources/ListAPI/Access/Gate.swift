public import Access
internal import HTTPTypes
internal import Microhttpd
public import Texts

/// Knows who sends a request, and tells streams when somebody may have lost a right.
///
/// Without a keeper everybody may do everything.
public final class Gate: Sendable {
    public let keeper: AccessKeeper?
    /// Seconds since 1970.
    let clock: @Sendable () -> Int
    /// Returns a random number from 0 up to, but not including, its argument. Nobody can guess it.
    let random: @Sendable (Int) -> Int
    /// It is told of each change of rights; nil costs nothing.
    private let audit: (@Sendable (AccessEvent, _ actor: ByteText) -> Void)?
    /// Every stream and every poll waits in this group, besides those of its lists.
    let group: WakeGroup

    /// A gate that is always open.
    public static let open = Gate(nil, group: WakeGroup(), clock: { 0 }, random: { _ in 0 }, audit: nil)

    private init(
        _ keeper: AccessKeeper?, group: WakeGroup, clock: @escaping @Sendable () -> Int,
        random: @escaping @Sendable (Int) -> Int, audit: (@Sendable (AccessEvent, _ actor: ByteText) -> Void)?
    ) {
        self.random = random
        self.audit = audit
        self.keeper = keeper
        self.group = group
        self.clock = clock
    }

    /// - Parameters:
    ///   - store: The storage of the access book.
    ///   - clock: Seconds since 1970.
    ///   - random: Returns a random number from 0 up to, but not including, its argument. Nobody can guess it.
    ///   - audit: It is told of each change of rights.
    /// - Throws: As `AccessKeeper.init`.
    public convenience init(
        _ store: any BookStore, clock: @escaping @Sendable () -> Int, random: @escaping @Sendable (Int) -> Int,
        audit: (@Sendable (AccessEvent, _ actor: ByteText) -> Void)?
    ) throws {
        let group = WakeGroup()
        self.init(
            try AccessKeeper(store, clock: clock) { group.wake() }, group: group, clock: clock, random: random,
            audit: audit)
    }

    public func note(_ event: AccessEvent, by actor: ByteText) { audit?(event, actor) }

    /// Learns of changes by others from now on.
    public func start(complain: @escaping @Sendable (any Error) -> Void) throws {
        try keeper?.start(complain: complain)
    }

    public func stop() { keeper?.stop() }

    /// Whether nobody has begun to use tokens.
    public var letsEverybodyIn: Bool { book?.withoutToken.isEverybody ?? true }

    /// The book as this server knows it; nil if it has none.
    var book: OpenBook? { keeper?.current }

    /// Whether everybody may read the list, so that shared caches may keep answers about it.
    func isPublic(_ list: ByteText, in book: OpenBook?) -> Bool { book?.withoutToken.may(.read, list) ?? true }
}

extension OpenBook {
    /// The sender of a request.
    ///
    /// - Throws: `unauthenticated` if it names itself in another way than by a token of this server that is right. A wrong
    ///   token is told as such also where none is needed, because its sender counts on its rights.
    func caller(of head: RequestHead, at time: Int) throws(Problem) -> Caller {
        guard !withoutToken.isEverybody else { return withoutToken }
        guard head.mayHave(authorization), let value = head.field(.authorization) else { return withoutToken }
        guard let text = Bearer.token(in: value) else { throw .noBearer }
        guard let caller = caller(text, at: time) else { throw .wrongToken }
        return caller
    }
}

private let authorization = FieldNames([.authorization])

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
    /// The field that says how callers name themselves (RFC 6750, section 3).
    private static func challenge(_ error: String?) -> HTTPFields {
        var fields = HTTPFields()
        fields[.wwwAuthenticate] = "Bearer realm=\"liststate\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return fields
    }

    static var noBearer: Problem {
        var problem = Problem(
            .unauthenticated, "Authorization is not of the form: Bearer TOKEN. Other schemes are not known here.")
        problem.fields = challenge("invalid_request")
        return problem
    }

    static var wrongToken: Problem {
        var problem = Problem(
            .unauthenticated,
            "The token is not known, was revoked, or has expired. Ask an administrator for another one.")
        problem.fields = challenge("invalid_token")
        return problem
    }

    static var noToken: Problem {
        var problem = Problem(
            .unauthenticated,
            "A token is needed: send the header Authorization: Bearer TOKEN. An administrator of the server makes it.")
        problem.fields = challenge(nil)
        return problem
    }

    /// The answer for each list that the caller may not see, whether it is there or not.
    static var hiddenList: Problem {
        Problem(
            .notFound, "There is no such list, or your token may not see it. GET /v1/lists returns those it may see.")
    }

    static var notOfAll: Problem {
        Problem(.forbidden, "Only a token that administers all lists may ask for this: its lists are \"*\".")
    }

    static func forbidden(_ right: Rights) -> Problem {
        let names = right.names.map(\.string).joined(separator: " or ")
        return Problem(
            .forbidden, "Your token lacks the right \(names) on this list. An administrator of the list can give it.")
    }
}
