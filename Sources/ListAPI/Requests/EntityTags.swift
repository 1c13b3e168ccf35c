internal import ListModel
internal import ListStore
internal import Texts

/// The tags of `If-Match` or `If-None-Match` (RFC 9110, section 13.1).
///
/// The comparison is weak for both, although the RFC asks for a strong one with `If-Match`. A proxy that compresses an
/// answer weakens its tag, and a client can only send the tag that it got. The tag is the version of the list, which
/// names one state exactly, so no write is let through that a strong comparison would rightly refuse.
enum EntityTags: Equatable {
    /// The tag `*`, which matches every version.
    case any
    /// The opaque tags, without quotes, `W/` and the `+gzip` of a coded answer. A tag that is not a version never
    /// matches.
    case tags([ByteText])

    /// - Returns: Nil if the value is not a list of entity tags.
    init?(_ value: ByteText) {
        guard value.trimmed != "*" else {
            self = .any
            return
        }
        var rest = value.utf8[...]
        var tags: [ByteText] = []
        repeat {
            Self.skipSpace(&rest)
            guard let tag = Self.popTag(&rest) else { return nil }
            tags.append(tag)
            Self.skipSpace(&rest)
        } while Self.pop(",", &rest)
        guard rest.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// Whether one of the tags is this version (weak comparison).
    func matches(_ version: ByteText) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains(version)
        }
    }

    /// The tags that are versions.
    var versions: [Version] {
        switch self {
        case .any: []
        case .tags(let tags): tags.compactMap { Version($0) }
        }
    }

    /// The condition for the store to check. A tag that is not a version matches nothing.
    var match: Write.Match {
        switch self {
        case .any: .any
        case .tags: .versions(versions)
        }
    }

    private static func popTag(_ rest: inout Substring.UTF8View) -> ByteText? {
        if rest.starts(with: "W/".utf8) { rest.removeFirst(2) }
        guard pop("\"", &rest), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let tag = ByteText(rest[..<end])
        rest = rest[rest.index(after: end)...]
        return tag.dropping(suffix: "+gzip") ?? tag
    }

    private static func pop(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func skipSpace(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
