import Access
import Testing
import Texts

/// Who may change the book, asked on the book that is changed.
@Suite struct AuthorityTests {
    private static func grants(_ lists: [ByteText], _ rights: Rights) throws -> Grants {
        let grant = try #require(Grant(lists.compactMap { ListPattern($0) }, rights))
        return try #require(Grants([grant]))
    }

    private static func token(
        _ name: ByteText, _ letter: Character, _ grants: Grants, expires: Int? = nil
    ) -> AccessBook.Token {
        AccessBookTests.token(name, AccessBookTests.secret(letter), grants, expires: expires)
    }

    /// Root administers all lists, pat those of a team until second 100.
    private static func book() throws -> AccessBook {
        var book = AccessBook()
        try book.add(token("root", "a", grants(["*"], .administer)))
        try book.add(token("pat", "b", grants(["team-*"], .administer), expires: 100))
        try book.add(token("ci", "c", grants(["team-ci"], .write)))
        return book
    }

    private static func caller(_ letter: Character, in book: AccessBook) throws -> Caller {
        try #require(OpenBook(book, isClosed: false).caller(AccessBookTests.secret(letter), at: 10))
    }

    @Test func whoeverWasRevokedSinceMayGiveNothing() throws {
        var book = try Self.book()
        let (pat, ci) = (try Self.caller("b", in: book), try #require(book.tokens["ci"]))
        let new = Self.token("new", "d", try Self.grants(["team-x"], .read))
        try book.remove("pat")
        let before = book
        #expect(throws: AccessError.callerGone) { try book.add(new, by: pat, at: 10) }
        #expect(throws: AccessError.callerGone) { try book.remove(ci, by: pat, at: 10) }
        #expect(throws: AccessError.callerGone) { try book.rotate(ci, digest: [], expires: nil, by: pat, at: 10) }
        #expect(throws: AccessError.callerGone) { try book.set(.none, of: .anonymous, by: pat, at: 10) }
        #expect(book == before)
    }

    @Test func whoeverHasAnotherSecretOrIsOverMayGiveNothing() throws {
        var book = try Self.book()
        let pat = try Self.caller("b", in: book)
        let new = Self.token("new", "d", try Self.grants(["team-x"], .read))
        #expect(throws: AccessError.callerGone) { try book.add(new, by: pat, at: 100) }
        try book.rotate("pat", digest: Secret.digest(AccessBookTests.secret("e")), expires: 200)
        #expect(throws: AccessError.callerGone) { try book.add(new, by: pat, at: 10) }
    }

    /// Between the request and the change the name may have become that of a token with more rights.
    @Test func aTokenThatWasMadeAnewIsAnother() throws {
        var book = try Self.book()
        let (pat, seen) = (try Self.caller("b", in: book), try #require(book.tokens["ci"]))
        try book.remove("ci")
        try book.add(Self.token("ci", "d", Self.grants(["*"], .administer)))
        #expect(throws: AccessError.noSuchToken("ci")) {
            try book.rotate(seen, digest: [], expires: nil, by: pat, at: 10)
        }
        #expect(throws: AccessError.noSuchToken("ci")) { try book.remove(seen, by: pat, at: 10) }
    }

    @Test func onlyTheFirstComesWithoutAToken() throws {
        var book = AccessBook()
        let few = Self.token("few", "a", try Self.grants(["a"], .administer))
        #expect(throws: AccessError.beyondOwnRights) { try book.add(few, by: .everybody, at: 0) }
        _ = try book.add(Self.token("one", "b", Self.grants(["*"], .administer)), by: .everybody, at: 0)
        let second = Self.token("two", "c", try Self.grants(["*"], .administer))
        #expect(throws: AccessError.callerGone) { try book.add(second, by: .everybody, at: 0) }
    }

    @Test func aTokenEndsWithItsGiver() throws {
        var book = try Self.book()
        let pat = try Self.caller("b", in: book)
        let grants = try Self.grants(["team-x"], .read)
        #expect(try book.add(Self.token("x", "d", grants), by: pat, at: 10).expires == 100)
        #expect(try book.add(Self.token("y", "e", grants, expires: 500), by: pat, at: 10).expires == 100)
        #expect(try book.add(Self.token("z", "f", grants, expires: 50), by: pat, at: 10).expires == 50)
        let own = try #require(book.tokens["pat"])
        #expect(try book.rotate(own, digest: [1], expires: 9_000, by: pat, at: 10).expires == 100)
        let ci = try #require(book.tokens["ci"])
        let root = try Self.caller("a", in: book)
        #expect(try book.rotate(ci, digest: [2], expires: nil, by: root, at: 10).expires == nil)
    }

    /// A token without grants of its own lives on those that every token has.
    @Test func aTokenWithoutGrantsIsForThoseWhoAdministerAll() throws {
        var book = try Self.book()
        let (root, pat) = (try Self.caller("a", in: book), try Self.caller("b", in: book))
        let bot = Self.token("bot", "d", .none)
        #expect(throws: AccessError.beyondOwnRights) { try book.add(bot, by: pat, at: 10) }
        _ = try book.add(bot, by: root, at: 10)
        #expect(throws: AccessError.noSuchToken("bot")) {
            try book.rotate(bot, digest: [], expires: nil, by: pat, at: 10)
        }
    }

    @Test func theLastQuarterIsForThoseWhoAdministerAll() throws {
        var book = try Self.book()
        let (root, pat) = (try Self.caller("a", in: book), try Self.caller("b", in: book))
        let grants = try Self.grants(["team-x"], .read)
        while book.tokens.count < 1_500 { try book.add(Self.token("t\(book.tokens.count)", "d", grants)) }
        let next = Self.token("next", "e", grants)
        #expect(throws: AccessError.tooManyTokens(max: 1_500)) { try book.add(next, by: pat, at: 10) }
        _ = try book.add(next, by: root, at: 10)
    }

    @Test func nothingIsOpenInAClosedBook() throws {
        let book = try AccessBook(bytes: AccessBook.closed.bytes())
        #expect(!OpenBook(book, isClosed: false).withoutToken.isEverybody)
        #expect(!OpenBook(book, isClosed: false).withoutToken.hasGrants)
    }
}
