import Access
import JSONWebTokens
import Testing
import Texts

@testable import ListAPI

/// The right of a stream or poll to go on.
@Suite struct StandingRightTests {
    /// A gate that trusts an issuer which publishes no key.
    private static func gate() throws -> Gate {
        let settings = TokenIssuer.Settings(
            keys: .file("/dev/null"), issuer: "https://id.example", audience: "lists", claim: "liststate",
            everySeconds: 3_600, uptime: { 0 }, report: { _ in })
        return try Gate(
            BookInMemory(), tickets: TicketsOfProcess(), issuer: settings, clock: { 0 }, random: { _ in 0 }, audit: nil)
    }

    /// The key was there when the caller was let in, and has been withdrawn before the stream began.
    @Test func aKeyThatIsGoneBeforeTheStartEndsIt() throws {
        let gate = try Self.gate()
        let ada = Caller.foreign("ada@https://id.example", .none, expires: 600, signer: Array(repeating: 7, count: 32))
        let right = StandingRight(gate, gate.book, ada, to: [], nil)
        #expect(!right.isStill())
        #expect(right.refusal?.code == .unauthenticated)
        #expect(!right.isStill())
    }

    /// The keys of others are nothing to a token of this server.
    @Test func aTokenOfTheServerNeedsNoKey() throws {
        let gate = try Self.gate()
        try gate.add("mine", secret: QuotaTests.secret("m"), .read, on: "a")
        let book = try #require(gate.book)
        let mine = try #require(book.caller(named: "mine", at: 0))
        #expect(StandingRight(gate, book, mine, to: [], nil).isStill())
    }
}
