internal import Access
internal import ListModel
internal import Microhttpd
internal import Texts

extension Response.Fields {
    /// The fields of an answer that only its reader may keep (RFC 9111, section 5.2.2.7).
    ///
    /// A lifetime in shared caches is gone with it: such an answer is checked again each time, as without one. `Vary` is for
    /// the cache of a browser, which may have one user after the other.
    var forOneReader: Self {
        var fields = self
        if has("s-maxage=", inValueOf: "Cache-Control") { fields = replacing("Cache-Control") { _ in "no-cache" } }
        _ = fields.insert("private, ", .before, valueOf: "Cache-Control")
        if !fields.insert(", Authorization", .behind, valueOf: "Vary") { fields.append("Vary", "Authorization") }
        return fields
    }
}

extension API {
    /// Whether an answer to the call is for its reader alone: somebody else might get another one.
    func isPrivate(_ call: Call) -> Bool {
        guard let book = call.book, !book.withoutToken.isEverybody else { return false }
        switch call.endpoint.rule {
        case .open: return false
        case .list, .put:
            guard let list = call.arguments.first.flatMap({ ListID($0) }) else { return true }
            return isPrivate(list, in: book)
        case .newList, .narrowed, .administer, .administerAll, .token: return true
        }
    }

    /// Whether an answer about a list is for its reader alone.
    ///
    /// - Parameter book: Nil if there are no tokens.
    func isPrivate(_ list: ListID, in book: OpenBook?) -> Bool {
        !configuration.gate.isPublic(list.rawValue, in: book)
    }

    /// The answer to a call, with fields by which shared caches leave it alone if it is not for everybody. No cache keeps
    /// the answer to a write of a list.
    func kept(_ answer: Answer, _ call: Call) -> Answer {
        guard !call.endpoint.writesList, case .send(let response) = answer, isPrivate(call) else { return answer }
        return .send(response.replacingFields(\.forOneReader))
    }
}
