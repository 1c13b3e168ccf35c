public import ListModel

/// A catch-up: it brings a client from the version that it knows to a later one (docs/contract.md section 5).
public indirect enum Catchup: Sendable {
    /// The change set between two versions. `counts` are the counts of the whole list at `to`.
    case changes(ChangeSet, from: Version, to: Version, counts: ListCounts)
    /// The whole snapshot, if no change set can or should be made.
    case reset(ListSnapshot)

    /// The version to which the catch-up leads.
    public var version: Version {
        switch self {
        case .changes(_, _, let version, _): version
        case .reset(let snapshot): snapshot.version
        }
    }
}

/// A list at one version, for reading.
public final class ListSnapshot: Sendable {
    public let id: ListID
    public let version: Version
    public let state: ListState

    public init(id: ListID, version: Version, state: ListState) {
        self.id = id
        self.version = version
        self.state = state
    }
}
