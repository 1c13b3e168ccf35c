public import ListDiff
public import ListModel
import ListWire
public import Texts

/// A list as the server has it, made by the server's own rules, which answers in the server's own JSON.
public struct ServerDouble {
    public static let id = ListID("test")!

    public private(set) var state: ListState
    public private(set) var version = Version(epoch: "e1", revision: 1)
    /// The deltas of all versions since the first, oldest first.
    private var deltas: [Delta] = []

    public init(_ state: ListState) { self.state = state }

    /// Applies a transaction, which may change nothing.
    ///
    /// - Throws: The reason why the list refuses it.
    public mutating func write(_ operations: [Operation]) throws(ModelError) {
        deltas.append(try state.commit(operations))
        version = version.next
    }

    /// The state goes on in another epoch, so that every client gets a reset.
    public mutating func beginEpoch() {
        version = Version(epoch: version.epoch.utf8.count < 20 ? "\(version.epoch)x" : "e1", revision: 1)
        deltas = []
    }

    /// The answer of `changes` to a client that holds a version.
    public func changes(since held: Version?) -> [UInt8] { catchup(since: held).body(list: Self.id, RowQuery()) }

    /// What a client is told that holds a version.
    public func catchup(since held: Version?) -> Catchup {
        guard let held, held.epoch == version.epoch else { return .reset(snapshot) }
        var net = NetChange(view: .items)
        for delta in deltas.suffix(version.revision - held.revision) { net.append(delta) }
        return .changes(net.changes(to: state), from: held, to: version, counts: state.counts)
    }

    public var snapshot: ListSnapshot { ListSnapshot(id: Self.id, version: version, state: state) }

    /// The event that a client is told which holds the rows of a query at a version: its name and its data.
    ///
    /// - Parameter held: Nil for a client that holds nothing, or the rows of another query.
    public func event(since held: Version?, _ query: RowQuery) -> (name: ByteText, data: [UInt8]) {
        guard let held, held.epoch == version.epoch else {
            return ("reset", Catchup.reset(snapshot).body(list: Self.id, query))
        }
        let missed = deltas.suffix(version.revision - held.revision)
        let span = ViewSpan(from: state.reverted(missed), query, to: state, query, missed)
        let changes = span.outcome(knowing: .nothing).changes
        let catchup = Catchup.changes(changes, from: held, to: version, counts: state.counts)
        return ("change", catchup.body(list: Self.id, query))
    }
}
