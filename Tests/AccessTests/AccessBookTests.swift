import Access
import Testing
import Texts

@Suite struct AccessBookTests {
    private static func grant(_ lists: [ByteText], _ rights: Rights) throws -> Grant {
        try #require(Grant(lists.compactMap { ListPattern($0) }, rights))
    }

    private static func grants(_ lists: [ByteText], _ rights: Rights) throws -> Grants {
        try #require(Grants([grant(lists, rights)]))
    }

    static func token(
        _ name: ByteText, _ secret: ByteText, _ grants: Grants, expires: Int? = nil
    ) -> AccessBook.Token {
        AccessBook.Token(
            name: name, digest: Secret.digest(secret), grants: grants, created: 5, expires: expires, creator: "ada")
    }

    /// 43 characters behind the prefix.
    static func secret(_ letter: Character) -> ByteText { "lst_\(String(repeating: letter, count: 43))" }

    private static func book() throws -> AccessBook {
        var book = AccessBook()
        try book.add(token("ci", secret("a"), grants(["team-a-*", "shared"], [.write, .create]), expires: 100))
        try book.add(token("ada", secret("b"), grants(["*"], .administer)))
        book.set(try grants(["public-*"], .read), of: .anonymous)
        book.set(try grants(["all"], .read), of: .anyToken)
        return book
    }

    @Test func comesBackFromItsBytes() throws {
        let book = try Self.book()
        #expect(try AccessBook(bytes: book.bytes()) == book)
        #expect(try AccessBook(bytes: AccessBook().bytes()) == AccessBook())
    }

    /// A member that is not known may take a right away, so nothing of the book is believed.
    @Test(arguments: [
        ("\"format\":1", "\"format\":2"), ("\"created\"", "\"makes\""), ("\"read\"", "\"reads\""),
        ("\"expires\":100", "\"expires\":1.5"), ("\"groups\"", "\"group\""), ("team-a-*", "team a"),
        ("anonymous\":", "everyone\":"), ("\"name\":\"ci\"", "\"name\":\"ada\""),
    ])
    func refusesOtherBytes(_ change: (String, String)) throws {
        let text = ByteText(decoding: try Self.book().bytes()).string
        let changed = text.replacing(change.0, with: change.1)
        try #require(changed != text)
        #expect(throws: AccessError.self) { try AccessBook(bytes: Array(changed.utf8)) }
    }

    @Test func refusesCutBytes() throws {
        let bytes = try Self.book().bytes()
        for count in 0..<bytes.count {
            #expect(throws: AccessError.unreadable) { try AccessBook(bytes: Array(bytes.prefix(count))) }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var who: ByteText?
        var list: ByteText
        var rights: Rights
        var time = 50
        var testDescription: String { "\(who ?? "no token") \(list) at \(time)" }
    }

    static let rows = [
        Row(who: nil, list: "public-a", rights: .read),
        Row(who: nil, list: "team-a-x", rights: []),
        Row(who: nil, list: "all", rights: []),
        Row(who: "ci", list: "team-a-x", rights: [.read, .write, .create]),
        Row(who: "ci", list: "shared", rights: [.read, .write, .create]),
        Row(who: "ci", list: "all", rights: .read),
        Row(who: "ci", list: "public-a", rights: .read),
        Row(who: "ci", list: "team-b-x", rights: []),
        Row(who: "ada", list: "anything", rights: .all),
    ]

    @Test(arguments: rows)
    func rights(_ row: Row) throws {
        let open = OpenBook(try Self.book(), isClosed: false)
        let caller =
            try row.who.map { try #require(open.caller(named: $0, at: row.time)) } ?? open.withoutToken
        #expect(caller.rights(on: row.list) == row.rights)
    }

    @Test func findsCallersByTheirTokens() throws {
        let open = OpenBook(try Self.book(), isClosed: false)
        #expect(open.caller(Self.secret("a"), at: 99)?.actor == "ci")
        #expect(open.caller(Self.secret("a"), at: 100) == nil)
        #expect(open.caller(named: "ci", at: 100) == nil)
        #expect(open.caller(Self.secret("b"), at: 1_000)?.actor == "ada")
        #expect(open.caller(Self.secret("c"), at: 0) == nil)
        #expect(open.caller("", at: 0) == nil)
        #expect(open.caller("\(Self.secret("a"))a", at: 0) == nil)
    }

    @Test func everybodyMayDoEverythingUntilThereIsARule() throws {
        var book = AccessBook()
        #expect(OpenBook(book, isClosed: false).withoutToken.rights(on: "a") == .all)
        book.set(.none, of: .anonymous)
        #expect(OpenBook(book, isClosed: false).withoutToken.rights(on: "a") == [])
    }

    @Test func changesTokens() throws {
        var book = try Self.book()
        let before = book
        #expect(throws: AccessError.nameTaken("ci")) {
            try book.add(Self.token("ci", Self.secret("z"), .none))
        }
        #expect(throws: AccessError.noSuchToken("bob")) { try book.remove("bob") }
        #expect(throws: AccessError.noSuchToken("bob")) { try book.rotate("bob", digest: [], expires: nil) }
        #expect(book == before)
        try book.rotate("ci", digest: Secret.digest(Self.secret("n")), expires: 200)
        let open = OpenBook(book, isClosed: false)
        #expect(open.caller(Self.secret("a"), at: 50) == nil)
        #expect(open.caller(Self.secret("n"), at: 150)?.actor == "ci")
        try book.remove("ci")
        #expect(OpenBook(book, isClosed: false).caller(Self.secret("n"), at: 150) == nil)
    }

    @Test func staysClosedWithoutItsLastToken() throws {
        var book = AccessBook()
        try book.add(Self.token("ci", Self.secret("a"), .none))
        try book.remove("ci")
        #expect(!book.isEmpty)
        let read = try AccessBook(bytes: try book.bytes())
        #expect(read == book)
        #expect(OpenBook(read, isClosed: false).withoutToken.kind == .anonymous)
        #expect(!OpenBook(read, isClosed: false).withoutToken.hasGrants)
    }

    @Test func isBounded() throws {
        var book = AccessBook()
        for number in 0..<AccessBook.tokensMax {
            try book.add(
                AccessBook.Token(
                    name: "t\(number)", digest: [UInt8](repeating: 1, count: 32), grants: .none, created: 0,
                    expires: nil,
                    creator: "ada"))
        }
        #expect(throws: AccessError.tooManyTokens(max: AccessBook.tokensMax)) {
            try book.add(Self.token("more", Self.secret("a"), .none))
        }
        #expect(try book.bytes().count < AccessBook.bytesMax)
        let long = try #require(ListPattern(ByteText(String(repeating: "a", count: 128))))
        let grant = try #require(Grant(Array(repeating: long, count: 64), .read))
        #expect(Grants(Array(repeating: grant, count: 5)) == nil)
        let wide = try #require(Grants(Array(repeating: grant, count: 4)))
        book = AccessBook()
        for number in 0..<32 { try book.add(Self.token("t\(number)", Self.secret("a"), wide)) }
        #expect(throws: AccessError.bookTooLarge(bytesMax: AccessBook.bytesMax)) { try book.bytes() }
    }

    @Test(
        arguments: [
            ("ci", true), ("team.a-1_x", true), ("", false), ("-a", false), ("Ci", false), ("anonymous", false),
            ("a b", false), ("é", false),
        ] as [(ByteText, Bool)])
    func names(_ row: (ByteText, Bool)) {
        #expect(AccessBook.isName(row.0) == row.1)
    }

    struct Gift: Sendable, CustomTestStringConvertible {
        var own: [ByteText]
        var right: Rights = .administer
        var given: [ByteText]
        var may: Bool
        var testDescription: String { "\(own) gives \(given)" }
    }

    static let gifts = [
        Gift(own: ["*"], given: ["*"], may: true),
        Gift(own: ["team-a-*"], given: ["team-a-x"], may: true),
        Gift(own: ["team-a-*"], given: ["team-a-x*", "team-a-*"], may: true),
        Gift(own: ["team-a-*"], given: ["team-*"], may: false),
        Gift(own: ["team-a-*"], given: ["*"], may: false),
        Gift(own: ["team-a-*"], given: ["team-a-x", "b"], may: false),
        Gift(own: ["*"], right: [.write, .create, .delete], given: ["a"], may: false),
    ]

    @Test(arguments: gifts)
    func givesOnlyWhatItAdministers(_ row: Gift) throws {
        let own = try Self.grants(row.own, row.right)
        #expect(own.mayGive(try Self.grants(row.given, .read)) == row.may)
    }
}
