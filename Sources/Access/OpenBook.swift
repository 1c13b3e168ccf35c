internal import Threads
public import Texts

/// An access book that is ready to be asked: the tokens by their digests.
///
/// A changed book is another object, so whoever was let in can see by identity whether anything has changed.
public final class OpenBook: Sendable {
    public let book: AccessBook
    private let byDigest: [Digest: AccessBook.Token]
    private let anonymous: Caller
    /// The grants that each token has besides its own. Those of anonymous are among them.
    private let ofAnyToken: Grants
    /// The callers that were found, by the text of their tokens, so that a request costs no digest. Only right tokens are
    /// here, so whoever sends others takes no room.
    private let found = Locked<[ByteText: Caller]>([:])

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

    /// - Parameter isClosed: Whether others than the book's tokens are let in, so that an empty book lets nobody in.
    public init(_ book: AccessBook, isClosed: Bool) {
        self.book = book
        var byDigest: [Digest: AccessBook.Token] = [:]
        for token in book.tokens.values { byDigest[Digest(token.digest)] = token }
        self.byDigest = byDigest
        ofAnyToken = book.grants(of: .anonymous).adding(book.grants(of: .anyToken))
        anonymous =
            book.isEmpty && !isClosed
            ? .everybody : Caller(.anonymous, "anonymous", expires: nil, [], .none, book.grants(of: .anonymous))
    }

    /// The caller of a request without a token.
    public var withoutToken: Caller { anonymous }

    /// The caller whose token this is; nil if it is none, or is over.
    ///
    /// A token is looked up as a whole, so the time tells nothing about others that begin alike.
    public func caller(_ text: ByteText, at time: Int) -> Caller? {
        guard Secret.hasForm(text) else { return nil }
        if let caller = found.withLock({ $0[text] }) { return caller.isOver(at: time) ? nil : caller }
        guard let token = byDigest[Digest(Secret.digest(text))], !token.isOver(at: time) else { return nil }
        let caller = caller(of: token)
        found.withLock { $0[text] = caller }
        return caller
    }

    /// The caller whose token has the name; nil if there is none, or it is over.
    public func caller(named name: ByteText, at time: Int) -> Caller? {
        book.tokens[name].flatMap { $0.isOver(at: time) ? nil : caller(of: $0) }
    }

    /// The same caller with its present rights; nil if its token has ended, was revoked or has another secret. Streams ask
    /// this again and again.
    public func renewed(_ caller: Caller, at time: Int) -> Caller? {
        switch caller.kind {
        case .everybody, .anonymous: return anonymous
        case .token:
            guard let now = self.caller(named: caller.actor, at: time), now.digest == caller.digest else { return nil }
            return now
        case .foreign:
            return caller.expires.map { $0 <= time } ?? false ? nil : caller.sharing(ofAnyToken)
        }
    }

    private func caller(of token: AccessBook.Token) -> Caller {
        Caller(.token, token.name, expires: token.expires, token.digest, token.grants, ofAnyToken)
    }
}
