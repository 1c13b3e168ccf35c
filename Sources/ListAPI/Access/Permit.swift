internal import Access
internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Texts

extension API {
    /// Lets a call in, by the rule of its endpoint.
    ///
    /// - Throws: For a caller without any right on the list, `unauthenticated` if it sends no token, else `not_found`. For
    ///   one that lacks the right, `unauthenticated` without a token, else `forbidden`. Whether the list is there makes no
    ///   difference.
    func permit(_ call: Call) throws(Problem) {
        let caller = call.caller
        guard !caller.isEverybody else { return }
        switch call.endpoint.rule {
        case .open: return
        case .list(let right):
            guard !caller.everywhere.isSuperset(of: right) else { return }
            try requireAny([right], on: try call.listID(), caller)
        case .put: try requireAny([.write, .create], on: try call.listID(), caller)
        case .newList, .narrowed: guard caller.kind != .anonymous || caller.hasGrants else { throw .noToken }
        case .token: guard caller.kind != .anonymous else { throw .noToken }
        case .administer: guard caller.administers else { throw caller.refusal(of: .administer) }
        case .administerAll: guard caller.administersAll else { throw caller.kind == .anonymous ? .noToken : .notOfAll }
        }
    }

    /// Requires one of the rights on a list.
    func requireAny(_ rights: [Rights], on list: ListID, _ caller: Caller) throws(Problem) {
        let held = caller.rights(on: list.rawValue)
        guard !rights.contains(where: { held.isSuperset(of: $0) }) else { return }
        guard caller.kind != .anonymous else { throw .noToken }
        guard !held.isEmpty else { throw .hiddenList }
        throw .forbidden(rights.reduce([]) { $0.union($1) })
    }
}

extension Caller {
    /// The problem of a caller that lacks a right.
    func refusal(of right: Rights) -> Problem { kind == .anonymous ? .noToken : .forbidden(right) }

    /// Whether the caller may read the list.
    func sees(_ list: ListID) -> Bool { isEverybody || may(.read, list.rawValue) }

    /// The parts of a write that puts a list which the caller may carry out.
    func permits(on list: ListID) -> Write.Permits {
        guard !isEverybody else { return .all }
        let held = rights(on: list.rawValue)
        var permits: Write.Permits = []
        if held.contains(.write) { permits.insert(.change) }
        if held.contains(.create) { permits.insert(.make) }
        return permits
    }
}

extension Write.Permits {
    /// The right that allows this part of a write.
    var right: Rights { self == .make ? .create : .write }
}
