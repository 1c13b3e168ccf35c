internal import ListModel
internal import ListStore

/// The tags of `If-Match` or `If-None-Match` (RFC 9110, section 13.1).
enum EntityTags: Equatable {
    /// `*`
    case any
    /// The opaque parts, without quotes, `W/` or the `+gzip` of a coded answer; all are versions or never match.
    case tags([Substring])

    /// - Returns: Nil if the value is no list of entity tags.
    init?(_ value: String) {
        var rest = Substring(value)
        Self.skipSpace(&rest)
        if rest == "*" {
            self = .any
            return
        }
        var tags: [Substring] = []
        repeat {
            Self.skipSpace(&rest)
            guard let tag = Self.popTag(&rest) else { return nil }
            tags.append(tag)
            Self.skipSpace(&rest)
        } while Self.pop(",", &rest)
        guard rest.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// Whether a representation with this version is named, weak comparison.
    func matches(_ version: String) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.utf8.elementsEqual(version.utf8) }
        }
    }

    /// What the store is to compare; tags that are no versions match nothing.
    var match: Write.Match {
        switch self {
        case .any: .any
        case .tags(let tags): .versions(tags.compactMap { Version(String($0)) })
        }
    }

    private static func popTag(_ rest: inout Substring) -> Substring? {
        if rest.hasPrefix("W/") { rest.removeFirst(2) }
        guard pop("\"", &rest), let end = rest.firstIndex(of: "\"") else { return nil }
        let tag = rest[..<end]
        rest = rest[rest.index(after: end)...]
        return tag.hasSuffix("+gzip") ? tag.dropLast(5) : tag
    }

    private static func pop(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func skipSpace(_ rest: inout Substring) {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }
}
