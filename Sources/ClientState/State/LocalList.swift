public import ListDiff
public import ListModel

/// A list as a client shows it: the server's state, with the client's own pending edits on top.
///
/// An example: the server has the rows a b c, and the client has moved c to the front. Then somebody else deletes b.
///
///     the server's state   pending            shown   told
///     a b c                                   a b c
///     a b c                move c before a    c a b   moved: c from 2 to 0
///     a c                  move c before a    c a     deleted: b at 2
///     c a                                     c a     nothing: the server has told of the edit
///
/// For the third line, the list takes its edits back, replays the change set, and does the edits again by the rules of
/// the server. The steps of all this are composed, so what is told is the smallest change set, and its cost grows with
/// the edits and the changes, and not with the list.
public struct LocalList: Sendable {
    /// What has become of the rows that are shown.
    public enum Shown: Sendable {
        /// What is shown differs by this change set.
        case changes(ChangeSet)
        /// All is shown anew: the first snapshot has come.
        case everything
    }

    /// The state that is shown.
    public private(set) var state = ListState(ListProperties(title: ""))
    /// The version of the server's state below the pending edits; nil if the server has told of none.
    public private(set) var version: Version?
    /// The client's edits that the server has not told of, in their order.
    public private(set) var pending: [PendingEdit] = []
    /// The view whose rows are told.
    let view: View

    /// The limits are those of a server without flags. A server with others refuses what it does not take.
    private static let rules = Rules(
        isStrict: false, itemsMax: 2_000_000, sectionsMax: 10_000, contentBytesMax: 65_536)

    /// An empty list, until the first snapshot comes.
    ///
    /// - Parameter view: The view whose rows the change sets name.
    public init(view: View) { self.view = view }
}

// MARK: - The server's state

extension LocalList {
    /// Takes what the server has told: a change set from the held version, or a reset.
    ///
    /// - Returns: What has become of the shown rows.
    /// - Throws: The part that does not fit. What is shown is unchanged then, and only a reset leads on.
    /// - Complexity: O((*c* + *p*) log *n*), *c* = rows that the change set names, *p* = what the pending edits do, *n* =
    ///   rows of the list. A reset takes O(*n*).
    public mutating func take(_ catchup: Catchup) throws(Mismatch) -> Shown {
        guard case .reset(let snapshot) = catchup else { return try take([catchup]) }
        var turn = Turn()
        takeBack(pending.indices, &turn)
        let isFirst = version == nil
        version = snapshot.version
        // A snapshot of another epoch has what such an edit did, or has lost it with everything else.
        pending.removeAll { $0.isOfAnotherEpoch(than: snapshot.version) }
        guard !isFirst, let delta = reset(to: snapshot) else {
            state = snapshot.state
            forgetKnown()
            reapply(pending.indices, &turn)
            return .everything
        }
        turn.deltas.append(delta)
        forgetKnown()
        reapply(pending.indices, &turn)
        return .changes(finish(&turn))
    }

    /// Takes change sets of which each begins where the one before it ends, the first at the held version. The pending
    /// edits are taken back and done again once.
    ///
    /// - Returns: What has become of the shown rows by all of them.
    /// - Throws: The part that does not fit. What is shown is unchanged then, as if none had come.
    /// - Complexity: As for one that names the rows of all.
    public mutating func take(_ catchups: [Catchup]) throws(Mismatch) -> Shown {
        // Before anything is taken back, because that is all the cost.
        if case .changes(_, let from, _, _)? = catchups.first, version != from { throw Mismatch("from") }
        var turn = Turn()
        let held = version
        takeBack(pending.indices, &turn)
        do throws(Mismatch) {
            for catchup in catchups {
                guard case .changes(let changes, let from, let to, let counts) = catchup, version == from else {
                    throw Mismatch("from")
                }
                turn.deltas.append(try replayed(changes, counts))
                turn.isAnimated = turn.isAnimated && changes.isAnimated
                version = to
            }
        } catch {
            var undone = Delta()
            for delta in turn.deltas.reversed() {
                for edit in delta.inverse.reversed() { state.perform(edit, recording: &undone) }
            }
            turn.deltas.append(undone)
            version = held
            reapply(pending.indices, &turn)
            _ = finish(&turn)
            throw error
        }
        forgetKnown()
        reapply(pending.indices, &turn)
        return .changes(finish(&turn))
    }

    /// Goes on to a version at which nothing of the view has changed.
    public mutating func advance(to version: Version) -> Shown {
        self.version = version
        return again { $0.isKnown(at: version) }
    }

    /// Empties the list, because the server has deleted it. Edits that the server has not answered stay.
    public mutating func empty() -> Shown {
        version = nil
        state = ListState(ListProperties(title: ""))
        pending.removeAll { $0.answered != nil }
        for index in pending.indices { (pending[index].delta, pending[index].sharesDelta) = (nil, false) }
        return .everything
    }

    /// The server's state without the pending edits; nil if the server has told of none.
    ///
    /// - Complexity: That of the pending edits. The next change of either state copies what they share, O(*n*), *n* = rows
    ///   of the list.
    public func held(as list: ListID) -> ListSnapshot? {
        guard let version else { return nil }
        var (held, turn) = (self, Turn())
        held.takeBack(pending.indices, &turn)
        return ListSnapshot(id: list, version: version, state: held.state)
    }

    private mutating func replayed(_ changes: ChangeSet, _ counts: ListCounts) throws(Mismatch) -> Delta {
        let delta = try state.replay(changes)
        guard state.counts == counts else {
            state.forget(delta)
            throw Mismatch("counts")
        }
        return delta
    }

    /// Makes the state equal to a snapshot.
    ///
    /// - Returns: Nil if that cannot be done; the state is unchanged then.
    private mutating func reset(to snapshot: ListSnapshot) -> Delta? {
        var log = TransactionLog(keepsEdits: false)
        do throws(ModelError) {
            try state.apply(.applySnapshot(snapshot.wanted), rules: Self.rules, into: &log)
        } catch {
            state.forget(log.delta)
            return nil
        }
        state.settle(&log)
        return log.delta
    }

    private mutating func forgetKnown() { pending.removeAll { [version] in $0.isKnown(at: version) } }
}

// MARK: - Pending edits

extension LocalList {
    /// Shows an edit at once.
    ///
    /// - Complexity: That of the edit.
    public mutating func show(_ edit: PendingEdit) -> Shown {
        var turn = Turn()
        var edit = edit
        edit.base = edit.base ?? version
        edit.delta = apply(edit.operations, isAgain: false).delta
        if let delta = edit.delta { turn.deltas.append(delta) }
        turn.isAnimated = edit.isAnimated
        pending.append(edit)
        return .changes(finish(&turn))
    }

    /// Notes that edits are about to be sent, so that their base stays as it is.
    public mutating func noteSending(_ ids: [PendingEdit.ID]) {
        let ids = Set(ids)
        for index in pending.indices where ids.contains(pending[index].id) { pending[index].isSent = true }
    }

    /// Notes that the server has done edits, or has found nothing to do. They stay on top until the version of the
    /// answer is held.
    public mutating func settle(_ ids: [PendingEdit.ID], at answered: Version) -> Shown {
        let ids = Set(ids)
        for index in pending.indices where ids.contains(pending[index].id) { pending[index].answered = answered }
        let version = version
        return again { ids.contains($0.id) && $0.isKnown(at: version) }
    }

    /// Takes edits back that the server has refused.
    public mutating func refuse(_ ids: [PendingEdit.ID]) -> Shown {
        let ids = Set(ids)
        return again { ids.contains($0.id) }
    }

    /// Takes the edits back from the first one on that is to go, and does the others again.
    private mutating func again(without isGone: (PendingEdit) -> Bool) -> Shown {
        guard let first = pending.firstIndex(where: isGone) else { return .changes(ChangeSet()) }
        return again(from: first, without: isGone)
    }

    /// Takes the edits from one on back, and does those again that are not to go.
    private mutating func again(from first: Int, without isGone: (PendingEdit) -> Bool) -> Shown {
        var turn = Turn()
        let first = pending[...first].lastIndex { !$0.sharesDelta } ?? 0
        takeBack(first..<pending.endIndex, &turn)
        pending.removeAll(where: isGone)
        reapply(first..<pending.endIndex, &turn)
        return .changes(finish(&turn))
    }

    private mutating func takeBack(_ indexes: Range<Int>, _ turn: inout Turn) {
        for index in indexes.reversed() {
            pending[index].sharesDelta = false
            guard let delta = pending[index].delta.take() else { continue }
            for edit in delta.inverse.reversed() { state.perform(edit, recording: &turn.back) }
            turn.released.append(delta)
        }
    }

    private mutating func reapply(_ indexes: Range<Int>, _ turn: inout Turn) {
        var rest = indexes
        while !rest.isEmpty {
            let delta = redo(&rest)
            if let delta { turn.deltas.append(delta) }
            guard let index = rest.popFirst() else { continue }
            let (own, isClean) = apply(pending[index].operations, isAgain: true)
            pending[index].delta = own
            if let own { turn.deltas.append(own) }
            if isClean { renewBase(of: index) }
        }
    }

    /// Does edits again, up to one that the list cannot take as it is. They share one delta, because one for each takes
    /// longer than most edits do.
    ///
    /// - Parameter rest: The edits. Those that were done are taken out of it.
    private mutating func redo(_ rest: inout Range<Int>) -> Delta? {
        var end = rest.upperBound
        var log = TransactionLog(keepsEdits: false)
        var index = rest.lowerBound
        while index < end {
            do throws(ModelError) {
                for operation in pending[index].operations {
                    try state.redo(operation, rules: Self.rules, into: &log)
                }
                state.settle(&log)
                index += 1
            } catch {
                // Those before it are done once more.
                state.forget(log.delta)
                log = TransactionLog(keepsEdits: false)
                (end, index) = (index, rest.lowerBound)
            }
        }
        guard let first = rest.first, first < end else { return nil }
        state.retain(log.delta)
        pending[first].delta = log.delta
        for index in first..<end {
            pending[index].sharesDelta = index > first
            renewBase(of: index)
        }
        rest.removeFirst(end - first)
        return log.delta
    }

    /// As long as all is there that an edit names, it may as well have been made now.
    private mutating func renewBase(of index: Int) {
        if !pending[index].isSent, let version { pending[index].base = version }
    }

    /// Does the operations of an edit.
    ///
    /// - Returns: The effect, which the state retains; nil if the list cannot take the edit. `isClean` says whether all
    ///   is there that the edit names.
    private mutating func apply(_ operations: [Operation], isAgain: Bool) -> (delta: Delta?, isClean: Bool) {
        if let delta = apply({ state, log throws(ModelError) in
            for operation in operations { try Self.apply(operation, isAgain, on: &state, &log) }
        }) {
            return (delta, true)
        }
        // Something is gone. The edit is done by identity. What would come to another place is passed over, because only
        // the server knows what stood there.
        var rebase = Rebase(reapplyingOn: state)
        let delta = apply { state, log throws(ModelError) in
            for operation in operations {
                let resolution = rebase.resolve(operation, on: state)
                if case .adjusted = resolution.outcome { continue }
                for resolved in resolution.operations {
                    try Self.apply(resolved, isAgain, on: &state, &log)
                }
            }
        }
        return (delta, false)
    }

    private static func apply(
        _ operation: Operation, _ isAgain: Bool, on state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        if isAgain {
            try state.redo(operation, rules: rules, into: &log)
        } else {
            try state.apply(operation, rules: rules, into: &log)
        }
    }

    private mutating func apply(
        _ work: (inout ListState, inout TransactionLog) throws(ModelError) -> Void
    ) -> Delta? {
        var log = TransactionLog(keepsEdits: false)
        do throws(ModelError) { try work(&state, &log) } catch {
            state.forget(log.delta)
            return nil
        }
        state.settle(&log)
        state.retain(log.delta)
        return log.delta
    }

    /// The change set of a turn. Afterwards nothing but the pending edits remembers items that are gone.
    private mutating func finish(_ turn: inout Turn) -> ChangeSet {
        var net = NetChange(view: view)
        net.append(turn.back)
        for delta in turn.deltas { net.append(delta) }
        var changes = net.changes(to: state)
        changes.isAnimated = turn.isAnimated || changes.isEmpty
        let passing = [turn.back] + turn.deltas
        for delta in passing { state.retain(delta) }
        for delta in passing + turn.released { state.release(delta) }
        return changes
    }
}

/// What is done to a state between two moments at which it is shown.
private struct Turn {
    /// The effect of taking edits back, which comes first.
    var back = Delta()
    /// The effects that follow, in their order.
    var deltas: [Delta] = []
    /// The deltas of edits that were taken back. They are released at the end of the turn, so that no item that left in
    /// the turn loses its handle to another one.
    var released: [Delta] = []
    /// Whether the server, or the author of an edit, lets the changes be animated.
    var isAnimated = true
}
