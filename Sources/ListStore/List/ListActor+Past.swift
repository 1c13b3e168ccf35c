public import ListDiff
public import ListModel

// Older states of the list, and the answer to a retry: that of the earlier try.

extension ListActor {
    /// The answer to a retry, made from the kept answer of the earlier try. Change sets are not kept in it. They are
    /// computed again if history still has the versions that they lead between.
    func answer(_ kept: KeptAnswer, view: View) -> WriteResult {
        guard kept.version.epoch == epoch, kept.kind == .changed || kept.kind == .unchanged else {
            return kept.result()
        }
        guard let past = state(at: kept.version.revision) else { return kept.result() }
        let snapshot = ListSnapshot(id: id, version: kept.version, state: past)
        return kept.result(
            changes: catchups.changes(since: kept.from.revision, to: snapshot, view: view, history),
            counts: past.counts, missed: missed(of: kept, view: view))
    }

    private func missed(of kept: KeptAnswer, view: View) -> Catchup? {
        guard let base = kept.base, let before = state(at: kept.from.revision) else { return nil }
        return missed(since: base, upTo: ListSnapshot(id: id, version: kept.from, state: before), view: view)
    }

    /// The catch-up of a client from `version` to the speculative head.
    func missed(since version: Version?, view: View) -> Catchup {
        missed(since: version, upTo: ListSnapshot(id: id, version: head, state: state), view: view)
    }

    /// - Parameter end: A version of this epoch.
    private func missed(since version: Version?, upTo end: ListSnapshot, view: View) -> Catchup {
        guard let version, version.epoch == epoch, version.revision <= end.version.revision,
            let catchup = catchup(from: version, to: end, view: view)
        else { return .reset(end) }
        return catchup
    }

    /// The state that the client of a write knew.
    enum Base {
        case head
        case older(ListState)
        /// Nobody knows the state any more, and the write is carried out all the same.
        case lost

        var isHead: Bool {
            switch self {
            case .head: true
            case .older, .lost: false
            }
        }
    }

    /// What the client of a write knew.
    ///
    /// - Parameter mayBeLost: Whether the write can be carried out without the state at its base.
    func base(of write: Write, mayBeLost: Bool) throws(StoreError) -> Base {
        guard let base = write.base, base != head else { return .head }
        try requireBriefness(of: write, since: base)
        guard base.epoch == epoch, base.revision < head.revision, let deltas = history.deltas(since: base.revision)
        else {
            if mayBeLost, write.onLostBase == .reapply, write.intent.canBeReapplied { return .lost }
            throw .unknownBase(head: head, missed: .reset(ListSnapshot(id: id, version: head, state: state)))
        }
        return .older(state.reverted(deltas))
    }

    /// The list at a version.
    ///
    /// - Throws: `.gone` if the version is of another epoch or no longer kept, `.ahead` if it is ahead of the durable
    ///   head.
    public func snapshot(at version: Version) throws(UnknownVersion) -> ListSnapshot {
        guard version.epoch == epoch else { throw .gone }
        guard version.revision <= standing.revision, version.revision <= history.newest else { throw .ahead }
        guard let past = state(at: version.revision) else { throw .gone }
        return ListSnapshot(id: id, version: version, state: past)
    }

    private func state(at revision: Int) -> ListState? {
        history.deltas(since: revision).map { state.reverted($0) }
    }

    /// Throws `preconditionFailed` if the list has this section.
    func checkMissing(_ section: SectionID) throws(StoreError) {
        guard !contains(section) else { throw .preconditionFailed(head: head, missed: nil) }
    }

    /// Returns warnings of a write that puts a snapshot or creates a list. They name effects that its client may not
    /// have wanted.
    ///
    /// - Parameter delta: The delta of the write. The speculative head is the state after it.
    /// - Complexity: O(*n*), *n* = the items and sections that the write deleted.
    func overlooked(by write: Write, _ delta: Delta, isChange: Bool) -> [Warning] {
        var warnings: [Warning] = []
        if let version = write.replaced { warnings.append(.replacedDeleted(version)) }
        guard isChange else { return warnings + (write.isBaseOfSnapshot ? rebasedToNothing(write) : []) }
        let (items, sections) = Self.left(delta, &state)
        if write.isSnapshot, items + sections > 0 { warnings.append(.leftOut(items: items, sections: sections)) }
        return warnings
    }

    /// Counts the deleted items and sections. The state is `inout` so that it is not copied.
    private static func left(_ delta: Delta, _ state: inout ListState) -> (items: Int, sections: Int) {
        state.countOfLeft(in: delta)
    }

    /// Warns a client that applied the snapshot of an older version, with the version of the snapshot as base. The
    /// write was rebased to nothing, although the same snapshot would have changed the head, or been refused there.
    ///
    /// - Parameter write: A write that has changed nothing.
    private func rebasedToNothing(_ write: Write) -> [Warning] {
        guard let base = write.base, base != head, case .operations(let operations) = write.intent
        else { return [] }
        var (state, log) = (state, TransactionLog(keepsEdits: false))
        let rules = Rules(isStrict: false, itemsMax: .max, sectionsMax: .max, contentBytesMax: .max)
        for operation in operations {
            guard (try? state.apply(operation, rules: rules, into: &log)) != nil else {
                return [.rebasedToNothing(base)]
            }
        }
        state.settle(&log)
        let isOther = !ChangeSet(undoing: log.delta, to: state, view: .items).isEmpty
        return isOther ? [.rebasedToNothing(base)] : []
    }
}

extension KeptAnswer {
    /// - Parameter request: The digest of the request.
    init(_ request: [UInt8], _ list: ListID, _ write: Write, _ result: WriteResult) {
        self.init(
            request: request, list: list, kind: result.kind, from: result.from, version: result.version,
            base: result.missed == nil ? nil : write.base, outcomes: result.outcomes, warnings: result.warnings,
            details: result.details)
    }

    func result(changes: ChangeSet? = nil, counts: ListCounts? = nil, missed: Catchup? = nil) -> WriteResult {
        WriteResult(
            kind: kind, version: version, outcomes: outcomes, missed: missed, changes: changes, counts: counts,
            from: from, warnings: warnings, details: details, keptList: list)
    }
}
