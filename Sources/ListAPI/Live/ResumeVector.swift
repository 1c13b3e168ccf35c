internal import ListModel
internal import Texts

/// The resume point of a stream of many lists: the version that the client has of each, as `a@k3v9-47,b@x1-3`.
struct ResumeVector: CustomStringConvertible {
    private let versions: [(list: ListID, version: Version)]
    /// Whether every part of the text could be read.
    private let isWhole: Bool

    init(_ versions: [(ListID, Version)]) {
        self.versions = versions.map { ($0.0, $0.1) }
        isWhole = true
    }

    /// Reads `Last-Event-ID`.
    init(_ text: ByteText) {
        let parts = text.split(at: ",")
        versions = parts.compactMap { part in
            guard let one = FollowedName(part), let version = one.version else { return nil }
            return (one.list, version)
        }
        isWhole = versions.count == parts.count
    }

    /// The version from which a client goes on that asked for `name` when it began; nil starts over.
    ///
    /// A vector does not name a list of which its client has not been told anything yet: then the version in `name`
    /// still holds. If the vector could not be read as a whole, the version in `name` may be out of date, so the client
    /// starts over.
    func version(of name: FollowedName) -> Version? {
        versions.first { $0.list == name.list }?.version ?? (isWhole ? name.version : nil)
    }

    var description: String {
        versions.map { "\($0.list.rawValue)@\($0.version)" }.joined(separator: ",")
    }
}

/// A list that a client wants to follow, and the version of it that the client knows: `a@k3v9-47` or `b`.
struct FollowedName {
    let list: ListID
    let version: Version?

    init(_ list: ListID, _ version: Version?) { (self.list, self.version) = (list, version) }

    /// Nil if the text has neither form.
    init?(_ text: ByteText) {
        let parts = text.split(at: "@", splitsMax: 1)
        guard let list = ListID(parts[0]) else { return nil }
        self.list = list
        guard parts.count == 2 else {
            version = nil
            return
        }
        guard let version = Version(parts[1]) else { return nil }
        self.version = version
    }
}
