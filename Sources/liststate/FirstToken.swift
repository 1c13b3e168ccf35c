import Access
import Texts

/// The token that `serve --first-token` makes, so that somebody may do something on a server that others reach.
extension AccessDesk {
    static let firstName: ByteText = "admin"

    /// Makes a token that may do everything, if there is no token at all. Of several servers that start on one database
    /// at the same time, one makes it.
    ///
    /// - Returns: The secret; nil if there is a token.
    /// - Throws: `Failure` with a sentence.
    func makeFirstToken() throws(Failure) -> ByteText? {
        guard keeper.current.book.tokens.isEmpty, let grants = Grant([.any], .administer).flatMap({ Grants([$0]) })
        else { return nil }
        let (secret, token) = newToken(Self.firstName, grants, nil)
        do {
            try keeper.change { book throws(AccessError) in
                // Another server may have been quicker.
                guard book.tokens.isEmpty else { throw .nameTaken(token.name) }
                try book.add(token)
            }
        } catch AccessError.nameTaken {
            return nil
        } catch let error as BookStoreError {
            throw .failed("The first token cannot be stored: \(error.cause)", 74)
        } catch {
            throw .failed("The first token cannot be made: \(error)", 74)
        }
        note(.tokenMade(token.name, grants, expires: nil))
        return secret
    }

    /// Prints the first token, if it has been made now. Nobody can be told it again, so this is done before anything else
    /// can end the start.
    func printFirstToken() throws(Failure) {
        guard let secret = try makeFirstToken() else { return }
        try? printLine(
            "liststate: the first token, \(Self.firstName), may do everything and is shown this once: \(secret)")
    }
}
