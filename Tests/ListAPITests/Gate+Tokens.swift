import Access
import ListAPI
import Testing
import Texts

extension Gate {
    /// Adds a token without an end, with rights on the lists of one pattern.
    func add(_ name: ByteText, secret: ByteText, _ rights: Rights, on lists: ByteText) throws {
        let pattern = try #require(ListPattern(lists))
        let grant = try #require(Grant([pattern], rights))
        let grants = try #require(Grants([grant]))
        let token = AccessBook.Token(
            name: name, digest: Secret.digest(secret), grants: grants, created: 0, expires: nil, creator: "test")
        _ = try keeper?.change { book throws(AccessError) in try book.add(token) }
    }
}
