import ListDiff
import ListModel
import ListWire
import TestSupport
import Texts

/// A list as the server has it, made by the server's own rules, which answers in the server's own JSON.
struct ServerDouble {
    static let id = ListID("test")!

    private(set) var state: ListState
    private(set) var version = Version(epoch: "e1", revision: 1)
    /// The deltas of all versions since the first, oldest first.
    private var deltas: [Delta] = []

    init(_ state: ListState) { self.state = state }

    /// Applies a transaction, which may change nothing.
    ///
    /// - Throws: The reason why the list refuses it.
    mutating func write(_ operations: [Operation]) throws(ModelError) {
        deltas.append(try state.commit(operations))
        version = version.next
    }

    /// The state goes on in another epoch, so that every client gets a reset.
    mutating func beginEpoch() {
        version = Version(epoch: version.epoch.utf8.count < 20 ? "\(version.epoch)x" : "e1", revision: 1)
        deltas = []
    }

    /// The answer of `changes` to a client that holds a version.
    func changes(since held: Version?) -> [UInt8] {
        guard let held, held.epoch == version.epoch else {
            return Catchup.reset(snapshot).body(list: Self.id, RowQuery())
        }
        var net = NetChange(view: .items)
        for delta in deltas.suffix(version.revision - held.revision) { net.append(delta) }
        return Catchup.changes(net.changes(to: state), from: held, to: version, counts: state.counts)
            .body(list: Self.id, RowQuery())
    }

    var snapshot: ListSnapshot { ListSnapshot(id: Self.id, version: version, state: state) }
}
