internal import Access
internal import Texts

extension Problem {
    /// The problem of a change of the access book.
    init(changing error: any Error) {
        switch error {
        case let error as AccessError: self = Problem(error)
        case let error as BookStoreError where error.isFull:
            self = Problem(
                .diskFull,
                """
                The disk is full, so nothing has changed: a token that was to be revoked is still good. Make room, and try \
                again.
                """)
        case let error as BookStoreError:
            self = Problem(
                .unavailable, "The storage of tokens does not answer, so nobody knows whether this has been done."
            )
            .retrying(afterSeconds: 5)
            cause = error.cause
        default:
            self = Problem(.internalError, "The server could not do this. Its log says more.")
            cause = "\(error)"
        }
    }

    private init(_ error: AccessError) {
        switch error {
        case .nameTaken(let name):
            self = Problem(
                .tokenExists, "There is a token \(name). POST /v1/tokens/\(name)/rotate gives it a new secret.")
        case .noSuchToken(let name): self = Problem(.notFound, "There is no token \(name).")
        case .tooManyTokens(let max): self = .exceeded(.tooManyTokens, Limit(name: "tokensMax", value: max))
        case .bookTooLarge(let max): self = .exceeded(.tooManyTokens, Limit(name: "accessBytesMax", value: max))
        case .beyondOwnRights: self = .beyondOwnRights
        case .callerGone: self = .wrongToken
        case .unreadable:
            self = Problem(.internalError, "The stored tokens cannot be read by this server.")
        }
    }

    static var beyondOwnRights: Problem {
        Problem(
            .forbidden,
            """
            Rights can be given only on lists that your own token administers. The first token of a server must \
            administer all: {"lists":["*"],"can":["administer"]}.
            """)
    }
}
