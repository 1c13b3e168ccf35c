package import ListDiff
package import ListModel

extension WriteResult {
    /// The answer to a write (docs/contract.md section 2). It always has `version`, `changed` and `operations`; other
    /// members are left out if they are empty. The `changes` of a dry run have no `to`. A dry run of a creation has no
    /// `version`, because there is no list.
    ///
    /// - Parameters:
    ///   - namesList: Whether the answer names the list, whose id the client does not know yet.
    ///   - text: The text of the version, from a caller that has it.
    package func body(
        list: ListID, view: View, isDryRun: Bool, namesList: Bool = false, version text: VersionText? = nil
    ) -> [UInt8] {
        let version = text ?? VersionText(version)
        var splicer = JSONSplicer(capacity: 512 + 192 * (changes?.namedRowCount ?? 0))
        splicer.beginObject()
        if namesList { splicer.member("\"list\":", list) }
        if kind != .created || !isDryRun {
            splicer.separate()
            splicer.member("\"version\":", version)
        }
        splicer.key("\"changed\":")
        splicer.raw(kind == .unchanged ? "false" : "true")
        splicer.outcomesMember(outcomes, details)
        if let missed {
            splicer.raw(",\"missed\":")
            splicer.catchup(missed, list: list, view: view)
        }
        if let changes {
            splicer.raw(",\"changes\":")
            splicer.changeSet(
                changes, list: list, from: from, to: isDryRun ? nil : version, view: view, counts: counts)
        }
        splicer.warningsMember(warnings)
        splicer.endObject()
        return splicer.bytes
    }
}

extension JSONSplicer {
    /// - Parameter details: The details of some operations, in the order of the operations.
    fileprivate mutating func outcomesMember(_ outcomes: [Outcome], _ details: [OutcomeDetail]) {
        raw(",\"operations\":[")
        var next = details.startIndex
        for (index, outcome) in outcomes.enumerated() {
            separate()
            self.outcome(outcome)
            if next < details.endIndex, details[next].operation == index {
                detailMembers(details[next])
                next += 1
            }
            endObject()
        }
        endArray()
    }

    private mutating func detailMembers(_ detail: OutcomeDetail) {
        idsMember(",\"created\":", detail.created)
        idsMember(",\"reparented\":", detail.reparented)
    }

    /// Writes an outcome without its closing brace.
    private mutating func outcome(_ outcome: Outcome) {
        switch outcome {
        case .applied:
            raw("{\"status\":\"applied\"")
        case .adjusted(let reason):
            raw("{\"status\":\"adjusted\"")
            reasonMember(reason)
        case .partial(let items, let sections, let reason):
            raw("{\"status\":\"partial\"")
            idsMember(",\"items\":", items)
            idsMember(",\"sections\":", sections)
            reasonMember(reason)
        case .dropped(let reason):
            raw("{\"status\":\"dropped\"")
            reasonMember(reason)
        }
    }

    private mutating func idsMember<Namespace>(_ name: StaticString, _ ids: [Identifier<Namespace>]) {
        if !ids.isEmpty { member(name, ids) }
    }

    private mutating func reasonMember(_ reason: Outcome.Reason) {
        raw(",\"reason\":")
        quote(reason.rawValue)
    }

    fileprivate mutating func warningsMember(_ warnings: [Warning]) {
        guard !warnings.isEmpty else { return }
        objects(",\"warnings\":[", warnings) { $0.warning($1) }
    }

    private mutating func warning(_ warning: Warning) {
        switch warning {
        case .movedExisting(let items):
            self.warning(
                "\"code\":\"moved_existing\",\"items\":", items,
                "These were in the list before: they have moved, and keep the members that were not given.")
        case .missingItems(let items):
            self.warning(
                "\"code\":\"missing\",\"items\":", items, "These are not in the list: there was nothing to delete.")
        case .missingSections(let sections):
            self.warning(
                "\"code\":\"missing\",\"sections\":", sections,
                "These are not in the list: there was nothing to delete.")
        case .keptInPlace(let items):
            self.warning(
                "\"code\":\"kept_in_place\",\"items\":", items,
                "The order leaves these out: each keeps its left neighbour.")
        case .skippedUnknown(let items):
            self.warning(
                "\"code\":\"skipped_unknown\",\"items\":", items,
                "The list does not have these: the order counts without them.")
        case .rebasedToNothing(let base):
            self.warning(
                "\"code\":\"rebased_to_nothing\",\"version\":", base,
                """
                The version of the snapshot was taken as the base, and the snapshot changes nothing in it. POST restore \
                with that version brings its state back; the same PUT without version writes what it says.
                """)
        case .leftOut(let items, let sections):
            raw("\"code\":\"left_out\",\"detail\":\"Left out of the snapshot, and so deleted: ")
            integer(items)
            raw(items == 1 ? " item and " : " items and ")
            integer(sections)
            raw(sections == 1 ? " section." : " sections.")
            raw(" POST undo with the version of this answer brings them back.\"")
        case .replacedDeleted(let deleted):
            self.warning(
                "\"code\":\"replaced_deleted\",\"version\":", deleted,
                "A deleted list of this id could be restored until then. This one replaces it for good.")
        }
    }

    private mutating func warning<Namespace>(
        _ opening: StaticString, _ ids: [Identifier<Namespace>], _ detail: StaticString
    ) {
        member(opening, ids)
        endWarning(detail)
    }

    private mutating func warning(_ opening: StaticString, _ version: Version, _ detail: StaticString) {
        member(opening, version)
        endWarning(detail)
    }

    private mutating func endWarning(_ detail: StaticString) {
        raw(",\"detail\":\"")
        raw(detail)
        raw("\"")
    }
}
