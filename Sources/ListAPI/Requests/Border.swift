internal import HTTPTypes
internal import Microhttpd
internal import Texts

// A browser sends requests for any page, from inside of firewalls and to this machine. Two fields tell the server when
// the page is a stranger's. `Host` is the name that the page was fetched by, also if the stranger's name server has led
// that name to this server (DNS rebinding). `Origin` or `Sec-Fetch-Site` says whose page it is. No page can set any of
// the three. Apps and curl send neither `Origin` nor `Sec-Fetch-Site`, so these are not required.

extension API {
    /// The problem of a request that is not let in; nil for most requests, at the cost of three bit tests.
    func foreignness(of head: RequestHead) -> Problem? {
        if head.hasForeignHost, let problem = hostProblem(head) { return problem }
        guard head.mayHave(fieldsOfPages), head.field(.origin) != nil || head.field(.secFetchSite) != nil else {
            return nil
        }
        guard head.changesOrFollows, isFromElsewhere(head) else { return nil }
        return originProblem(head)
    }

    private func hostProblem(_ head: RequestHead) -> Problem? {
        guard case .these(let allowed) = configuration.hosts else { return nil }
        // Probes use any name, and their answers tell nothing of interest.
        guard head.path != "/healthz", head.path != "/readyz" else { return nil }
        guard let name = head.hostName, !allowed.contains(name) else { return nil }
        let shown = Self.shown(name) ?? "NAME"
        return Problem(
            .foreignOrigin,
            """
            The Host of the request is a name that this server does not answer to. Start it with --allow-host \(shown) \
            (LISTSTATE_ALLOW_HOST), or ask it by its address or as localhost.
            """)
    }

    private func originProblem(_ head: RequestHead) -> Problem {
        guard let origin = head.field(.origin) else {
            return Problem(
                .foreignOrigin,
                """
                Sec-Fetch-Site says that a page of another site sent the request, and there is no Origin to say which. \
                Pages of an origin given with --allow-origin (LISTSTATE_ALLOW_ORIGIN) may write and follow.
                """)
        }
        let shown = Self.shown(origin) ?? "ORIGIN"
        return Problem(
            .foreignOrigin,
            """
            The request comes from another website (origin), which may neither write nor follow. \
            To allow this one, start the server with --allow-origin \(origin == "null" ? "'*'" : shown) \
            (LISTSTATE_ALLOW_ORIGIN). A program that is no browser leaves the header Origin out. A proxy in between must \
            pass on the Host that it was sent.
            """)
    }

    /// A name or an origin that can be pasted into a command line; nil for any other text.
    private static func shown(_ text: ByteText) -> ByteText? {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        return isPlain && text.utf8.count <= 255 ? text : nil
    }

    /// Whether a browser sends the request for a page whose origin is neither this server nor an allowed one.
    private func isFromElsewhere(_ head: RequestHead) -> Bool {
        switch configuration.origins {
        case .any: return false
        case .these(let allowed) where head.field(.origin).map(allowed.contains) == true: return false
        case .these, .none: break
        }
        // `Sec-Fetch-Site` is the browser's own judgement. It also holds behind a proxy that changes `Host` (Fetch
        // Metadata).
        if let site = head.field(.secFetchSite) { return site != "same-origin" && site != "none" }
        guard let origin = head.field(.origin) else { return false }
        guard let host = origin.dropping(prefix: "http://") ?? origin.dropping(prefix: "https://") else { return true }
        return !head.field(.host, is: host)
    }
}

/// The fields that browsers send and other clients do not.
private let fieldsOfPages = FieldNames([.origin, .secFetchSite])

extension RequestHead {
    /// Whether the request changes something, or its answer tells of later changes.
    fileprivate var changesOrFollows: Bool {
        switch method {
        case .get, .head: wantsEvents || !fields(.prefer).isEmpty || query.contains { $0.name == "wait" }
        case .options: false
        default: true
        }
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = Self("Sec-Fetch-Site")!
}
