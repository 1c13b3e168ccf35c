/// The right to change the book, asked on the very book that is changed: between the arrival of a request and the change
/// others may have revoked the token that was let in.
extension AccessBook {
    /// The grants by which the caller may give rights to others, as this book has them.
    ///
    /// - Throws: `callerGone` if the caller is nobody any more: its token was revoked, has another secret or is over, or it
    ///   came when there were no tokens and there is one now.
    private func authority(of caller: Caller, at time: Int) throws(AccessError) -> Grants? {
        switch caller.kind {
        case .everybody:
            guard isEmpty else { throw .callerGone }
            return nil
        case .anonymous: throw .callerGone
        case .token:
            guard let token = tokens[caller.actor], token.digest == caller.digest, !token.isOver(at: time) else {
                throw .callerGone
            }
            return token.grants
        case .foreign:
            guard !caller.isOver(at: time) else { throw .callerGone }
            return caller.own
        }
    }

    /// Adds a token that the caller gives. It ends with its giver, if that has an end.
    ///
    /// The last quarter of what a book holds is left to those who administer all lists. Otherwise those who administer
    /// some could keep them from making tokens.
    ///
    /// - Returns: The token as it was added.
    /// - Throws: As `add`, `callerGone`, and `beyondOwnRights`, also for the first token if it does not administer all
    ///   lists: nobody could make another one over HTTP.
    public mutating func add(_ token: Token, by caller: Caller, at time: Int) throws(AccessError) -> Token {
        var token = token
        if let own = try authority(of: caller, at: time) {
            guard own.mayGive(token.grants) else { throw .beyondOwnRights }
            if let end = caller.expires { token.expires = min(token.expires ?? end, end) }
            try requireRoom(for: token, own)
        } else {
            guard token.grants.hold(.administer, onAll: .any) else { throw .beyondOwnRights }
        }
        try add(token)
        return token
    }

    private func requireRoom(for token: Token, _ own: Grants) throws(AccessError) {
        guard !own.hold(.administer, onAll: .any) else { return }
        let most = Self.tokensMax / 4 * 3
        guard tokens.count < most else { throw .tooManyTokens(max: most) }
        var grown = self
        grown.tokens[token.name] = token
        guard try grown.bytes().count <= Self.bytesMax / 4 * 3 else {
            throw .bookTooLarge(bytesMax: Self.bytesMax / 4 * 3)
        }
    }

    /// Gives a token that the caller has seen another secret.
    ///
    /// - Parameters:
    ///   - seen: The token as the caller has seen it.
    ///   - expires: Its new end, which is at most that of the caller; nil leaves the end as it is.
    /// - Returns: The token as it is now.
    /// - Throws: `callerGone`; `noSuchToken` if it is not the token that was seen any more, or the caller may not give its
    ///   rights.
    public mutating func rotate(
        _ seen: Token, digest: [UInt8], expires: Int?, by caller: Caller, at time: Int
    ) throws(AccessError) -> Token {
        var token = try held(seen, by: caller, at: time)
        token.digest = digest
        if let expires { token.expires = min(expires, caller.expires ?? expires) }
        tokens[token.name] = token
        return token
    }

    /// Removes a token that the caller has seen.
    ///
    /// - Throws: As `rotate`.
    public mutating func remove(_ seen: Token, by caller: Caller, at time: Int) throws(AccessError) {
        try remove(held(seen, by: caller, at: time).name)
    }

    private func held(_ seen: Token, by caller: Caller, at time: Int) throws(AccessError) -> Token {
        let own = try authority(of: caller, at: time)
        guard let token = tokens[seen.name], token.digest == seen.digest, own?.mayGive(token.grants) ?? true else {
            throw .noSuchToken(seen.name)
        }
        return token
    }

    /// Replaces the grants of a group.
    ///
    /// - Throws: `callerGone`, and `beyondOwnRights` for a caller that does not administer all lists.
    public mutating func set(
        _ grants: Grants, of group: Group, by caller: Caller, at time: Int
    ) throws(AccessError) {
        guard let own = try authority(of: caller, at: time), own.hold(.administer, onAll: .any) else {
            throw .beyondOwnRights
        }
        set(grants, of: group)
    }

    /// A book by which nobody may do anything, until somebody who has the store changes it.
    public static var closed: AccessBook {
        var book = AccessBook()
        book.set(.none, of: .anonymous)
        return book
    }
}
