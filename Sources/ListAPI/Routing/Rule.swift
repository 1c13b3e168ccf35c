internal import Access

extension Route {
    /// The rights that a caller needs for an endpoint. A server on which nobody has begun to use tokens asks for none.
    ///
    /// openapi.yaml has the same under `x-rights`; a test compares both.
    enum Rule: Sendable, Equatable {
        /// None: the answer tells nothing of any list, but to whoever administers all.
        case open
        /// These, on the list that the path names.
        case list(Rights)
        /// On the list that the path names: `write` if the list is there, and `create` if it is not. The list decides
        /// when it carries the write out.
        case put
        /// `create`, on the list that the body names or the server makes up.
        case newList
        /// None, but the answer tells only of lists that the caller may read.
        case narrowed
        /// None, but the caller must have a token of its own.
        case token
        /// `administer`, on all lists that the grants in question name.
        case administer
        /// `administer`, on all lists that there may ever be.
        case administerAll
    }
}
