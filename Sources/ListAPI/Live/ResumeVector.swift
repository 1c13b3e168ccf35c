internal import ListModel

/// Where a client is in many lists: `a@k3v9-47,b@x1-3`.
struct ResumeVector: CustomStringConvertible {
    private(set) var versions: [(list: ListID, version: Version)]

    init(_ versions: [(ListID, Version)]) {
        self.versions = versions.map { ($0.0, $0.1) }
    }

    /// Reads `Last-Event-ID`; what is of another form names nothing.
    init(_ text: String) {
        versions = text.split(separator: ",").compactMap { part in
            guard let one = FollowedName(String(part)), let version = one.version else { return nil }
            return (one.list, version)
        }
    }

    subscript(list: ListID) -> Version? { versions.first { $0.list == list }?.version }

    var description: String {
        versions.map { "\($0.list.rawValue)@\($0.version)" }.joined(separator: ",")
    }
}

/// A list that a client wants to follow, and the version of it that it knows: `a@k3v9-47` or `b`.
struct FollowedName {
    let list: ListID
    let version: Version?

    /// Nil if the text is of neither form.
    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let list = ListID(String(name)) else { return nil }
        self.list = list
        guard parts.count == 2 else {
            version = nil
            return
        }
        guard let version = Version(String(parts[1])) else { return nil }
        self.version = version
    }
}
