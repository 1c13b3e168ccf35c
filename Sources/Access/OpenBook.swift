public import Texts

/// An access book that is ready to be asked: the tokens by their digests.
///
/// A changed book is another object, so whoever was let in can see by identity whether anything has changed.
public final class OpenBook: Sendable {
    public let book: AccessBook
    private let byDigest: [Digest: AccessBook.Token]
    private let anonymous: Caller
    /// What each caller with a token may do: also what it may do without one.
    private let ofAnyToken: Grants

    private struct Digest: Hashable, Sendable {
        let words: (UInt64, UInt64, UInt64, UInt64)

        init(_ bytes: [UInt8]) {
            words = bytes.withUnsafeBytes { bytes in
                func word(_ index: Int) -> UInt64 {
                    bytes.count >= 32 ? bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) : 0
                }
                return (word(0), word(1), word(2), word(3))
            }
        }

        static func == (left: Self, right: Self) -> Bool { left.words == right.words }

        func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
    }

    public init(_ book: AccessBook) {
        self.book = book
        var byDigest: [Digest: AccessBook.Token] = [:]
        for token in book.tokens.values { byDigest[Digest(token.digest)] = token }
        self.byDigest = byDigest
        ofAnyToken = book.grants(of: .anonymous).adding(book.grants(of: .anyToken))
        anonymous =
            book.isEmpty
            ? .everybody : Caller(.anonymous, "anonymous", expires: nil, .none, book.grants(of: .anonymous))
    }

    /// The caller of a request without a token.
    public var withoutToken: Caller { anonymous }

    /// The caller whose token this is; nil if it is none, or is over.
    ///
    /// The digest is looked up and not the text, so the time tells nothing about other tokens.
    public func caller(_ text: ByteText, at time: Int) -> Caller? {
        guard Secret.hasForm(text), let token = byDigest[Digest(Secret.digest(text))], !token.isOver(at: time) else {
            return nil
        }
        return caller(of: token)
    }

    /// The caller whose token has the name, as for a ticket; nil if there is none, or it is over.
    public func caller(named name: ByteText, at time: Int) -> Caller? {
        book.tokens[name].flatMap { $0.isOver(at: time) ? nil : caller(of: $0) }
    }

    /// The caller that a JSON Web Token names.
    public func caller(foreign actor: ByteText, _ grants: Grants, expires: Int) -> Caller {
        Caller(.foreign, actor, expires: expires, grants, ofAnyToken)
    }

    private func caller(of token: AccessBook.Token) -> Caller {
        Caller(.token, token.name, expires: token.expires, token.grants, ofAnyToken)
    }
}
