import ListDiff
import ListModel
import TestSupport

@testable import ListStore

// Chooses the next write.

extension Simulation {
    mutating func kind(for list: ListID) -> Sent.Kind {
        guard open(list) != nil else { return random.once(in: 2) ? .create : .restore }
        switch random.below(24) {
        case 0, 1: return .delete
        case 2...4: return .undo
        case 5, 6: return .restore
        default: return .change
        }
    }

    mutating func intent(of kind: Sent.Kind, on list: ListID) -> WriteIntent {
        let open = open(list)
        if kind == .restore { return restoration(of: list) }
        if kind == .undo, let head = open?.enter({ $0.head }) {
            return .undo(Version(epoch: head.epoch, revision: max(1, head.revision - random.below(4))))
        }
        guard kind != .create, let state = open?.enter({ $0.state }) else {
            return .operations([.applySnapshot(content.snapshot())])
        }
        return .operations([content.operation(on: state)])
    }
}
