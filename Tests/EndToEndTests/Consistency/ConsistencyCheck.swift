import JSONValue
import TestSupport

/// The nine checks of a history: they must hold whatever happened to the server.
///
/// Every answer carries a version, so the checks only sort and compare. They need not search for a possible order.
struct ConsistencyCheck {
    let history: History
    private(set) var violations: [Violation] = []
    /// The number of states that were compared.
    private(set) var stateCount = 0

    /// - Returns: The broken promises; empty if all were kept.
    static func violations(of history: History) -> [Violation] { run(history).violations }

    static func run(_ history: History) -> ConsistencyCheck {
        var check = ConsistencyCheck(history: history)
        for list in history.starts.keys.sorted() { check.check(list) }
        return check
    }

    private init(history: History) { self.history = history }

    mutating func violate(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, text)) }

    private mutating func check(_ list: String) {
        let writes = history.writes.filter { $0.list == list }
        for write in writes { checkTries(write) }
        let (start, end) = (history.starts[list] ?? .null, history.ends[list])
        guard let first = WireVersion(start["version"]?.string),
            let last = end.map({ WireVersion($0["version"]?.string) }) ?? newest(of: writes, first),
            first.epoch == last.epoch, last.revision >= first.revision
        else { return violate(.lost, "\(list) went from \(start.text) to \(end?.text ?? "nothing")") }
        let owners = owners(of: writes, first, last)
        checkOwners(list, writes, owners, first, last)
        let reads = history.reads.filter { $0.list == list }
        checkOrder(list, writes, reads)

        var states = StateReplay(list: list, start: start, reads: reads)
        states.run(owners, to: last.revision, end: end)
        violations += states.violations
        stateCount += states.known.count
        for write in writes { checkBase(write, states) }
        for read in reads { checkRead(read, states) }
        for watch in history.watches where watch.list == list { checkWatch(watch, states, end == nil ? nil : last) }
    }

    /// The newest version of a list that a write's answer names. It is the end of a list whose server did not come
    /// back.
    private func newest(of writes: [KeyedWrite], _ first: WireVersion) -> WireVersion {
        let versions = writes.compactMap { $0.acknowledgement?.version }.filter { $0.epoch == first.epoch }
        return versions.max { $0.revision < $1.revision } ?? first
    }

    // MARK: 1 and 2: versions

    /// The write that made each version; the first one if several claim it.
    private mutating func owners(
        of writes: [KeyedWrite], _ first: WireVersion, _ last: WireVersion
    ) -> [Int: KeyedWrite] {
        var owners: [Int: KeyedWrite] = [:]
        for write in writes {
            guard let answer = write.acknowledgement else { continue }
            guard let version = answer.version else {
                violate(.wrong, "\(write.key) was acknowledged without a version: \(answer.body.text)")
                continue
            }
            guard version.epoch == last.epoch, version.revision <= last.revision else {
                violate(.lost, "\(write.key) was acknowledged as \(version), but \(write.list) is at \(last)")
                continue
            }
            guard answer.isChange else { continue }
            if let owner = owners[version.revision] {
                violate(.doubled, "\(write.list) \(version) was given to \(owner.key) and to \(write.key)")
                continue
            }
            owners[version.revision] = write
            checkStep(write, answer, version)
            if version.revision <= first.revision { violate(.doubled, "\(write.key) made \(version), which was there") }
        }
        return owners
    }

    private mutating func checkStep(_ write: KeyedWrite, _ answer: KeyedWrite.Answer, _ version: WireVersion) {
        // A replayed answer may lack changes that are too old to be computed again.
        guard let changes = answer.body["changes"] else {
            return answer.isReplay ? () : violate(.wrong, "\(write.key) was told no changes: \(answer.body.text)")
        }
        let before = WireVersion(epoch: version.epoch, revision: version.revision - 1).description
        guard changes["from"]?.string != before || changes["to"]?.string != version.description else { return }
        violate(.gap, "\(write.key) made \(version), but its changes are \(changes.text)")
    }

    private mutating func checkOwners(
        _ list: String, _ writes: [KeyedWrite], _ owners: [Int: KeyedWrite], _ first: WireVersion, _ last: WireVersion
    ) {
        let missing = (first.revision + 1..<last.revision + 1).filter { owners[$0] == nil }
        let candidates = writes.filter(\.isUnresolved)
        guard missing.count > candidates.count else { return }
        violate(.gap, "\(list) has versions \(missing.prefix(5)) of nobody; unresolved are \(candidates.map(\.key))")
    }

    // MARK: 3: preconditions

    private mutating func checkBase(_ write: KeyedWrite, _ states: StateReplay) {
        guard let answer = write.acknowledgement, let version = answer.version else { return }
        let from = answer.isChange ? WireVersion(epoch: version.epoch, revision: version.revision - 1) : version
        if let match = write.match, match != from.description {
            violate(.unconditional, "\(write.key) was meant for \(match) only, but began at \(from)")
        }
        let missed = answer.body["missed"]
        guard let base = write.base, base != from.description else {
            return missed == nil ? () : violate(.unconditional, "\(write.key) missed nothing: \(answer.body.text)")
        }
        guard let missed else {
            return answer.isReplay
                ? () : violate(.unconditional, "\(write.key), meant for \(base), began at \(from) and was not told")
        }
        checkChange(missed, from: base, to: from.description, states, .unconditional, "what \(write.key) missed")
    }

    /// Checks a change set or a reset between two versions.
    private mutating func checkChange(
        _ change: JSONValue, from: String, to: String, _ states: StateReplay, _ kind: Violation.Kind, _ what: String
    ) {
        let isReset = change["reset"] == true
        guard isReset || change["from"]?.string == from, change["to"]?.string == to, let new = WireVersion(to) else {
            return violate(kind, "\(what) does not lead from \(from) to \(to): \(change.text)")
        }
        guard let after = states.known[new.revision] else { return }
        do {
            let before = isReset ? after : WireVersion(from).flatMap { states.known[$0.revision] }
            guard let before, try before.applying(change) != after else { return }
            violate(kind, "\(what) leads from \(from) to another state than \(to): \(change.text)")
        } catch {
            violate(kind, "\(what), from \(from) to \(to): \(error)")
        }
    }

    // MARK: 6: keys

    private mutating func checkTries(_ write: KeyedWrite) {
        var hasBeenSent = false
        var first: KeyedWrite.Answer?
        for attempt in write.tries {
            defer { hasBeenSent = true }
            guard let answer = attempt.answer else { continue }
            guard let known = first else {
                if answer.status == 200 { first = answer }
                if answer.isReplay, !hasBeenSent { violate(.forgotten, "\(write.key) was new, but is a replay") }
                continue
            }
            let isSame = ["version", "changed", "operations"].allSatisfy { answer.body[$0] == known.body[$0] }
            guard !answer.isReplay || answer.status != known.status || !isSame else { continue }
            violate(.forgotten, "\(write.key) got \(known.body.text), then \(answer.status) \(answer.body.text)")
        }
    }

    // MARK: 7: order

    /// A write that began after another one had ended must have a larger version. A write that changes nothing, or a
    /// read, must not have a smaller one.
    private mutating func checkOrder(_ list: String, _ writes: [KeyedWrite], _ reads: [Reading]) {
        struct Done {
            let what: String
            let span: Span
            let revision: Int
            let isChange: Bool
        }
        var done = writes.compactMap { write in
            write.span.flatMap { span in
                write.acknowledgement?.version.map { version in
                    let isChange = write.acknowledgement?.isChange == true
                    return Done(what: write.key, span: span, revision: version.revision, isChange: isChange)
                }
            }
        }
        done += reads.compactMap { read in
            read.version.map { Done(what: "a reading", span: read.span, revision: $0.revision, isChange: false) }
        }
        let ended = done.sorted { $0.span.end < $1.span.end }
        var next = 0
        var newest: Done?
        for one in done.sorted(by: { $0.span.start < $1.span.start }) {
            while next < ended.count, ended[next].span.end < one.span.start {
                if ended[next].revision > newest?.revision ?? 0 { newest = ended[next] }
                next += 1
            }
            guard let newest, one.revision < newest.revision + (one.isChange ? 1 : 0) else { continue }
            violate(
                .outOfOrder, "\(list): \(one.what) got \(one.revision), after \(newest.what) had \(newest.revision)")
        }
    }

    // MARK: 8: reads

    private mutating func checkRead(_ read: Reading, _ states: StateReplay) {
        guard let version = read.version, version.epoch == states.epoch else {
            return violate(.misread, "a reading of \(read.list) has no version of its: \(read.answer.text)")
        }
        if let since = read.since {
            return checkChange(
                read.answer, from: since, to: version.description, states, .misread, "what changed in \(read.list)")
        }
        guard let state = states.known[version.revision], state != JSONList(snapshot: read.answer) else { return }
        violate(.misread, "\(read.list) was read as \(read.answer.text), which is not that version")
    }

    // MARK: 9: subscribers

    /// - Parameter last: The last version of the list; nil if a follower need not have seen it.
    private mutating func checkWatch(_ watch: Watch, _ states: StateReplay, _ last: WireVersion?) {
        // The version at which the next event must begin. Events that carry only an id move it too.
        var at = ""
        for entry in watch.entries {
            switch entry {
            case .connected(let lastEventID): at = lastEventID
            case .event(let name, let id, let data):
                guard checkEvent(watch.list, name, id, data, from: at, states) else { return }
                at = id
            }
        }
        guard let last, at != last.description else { return }
        let seen = at.isEmpty ? "nothing" : at
        violate(.unseen, "\(watch.list) ends at \(last), but who followed it saw \(seen)")
    }

    /// - Returns: Whether a follower can go on from the event.
    private mutating func checkEvent(
        _ list: String, _ name: String?, _ id: String, _ data: JSONValue, from: String, _ states: StateReplay
    ) -> Bool {
        let (old, new) = (WireVersion(from), WireVersion(id))
        let isForward = name == "reset" || (old?.revision ?? 0) < (new?.revision ?? 0)
        let isInPlace = name == "reset" || name == nil || data["from"]?.string == from
        guard ["change", "reset", nil].contains(name), isForward, isInPlace, name == nil || data["to"]?.string == id
        else {
            violate(.unseen, "\(list) was followed to \(from), then came \(name ?? "nothing") \(id): \(data.text)")
            return false
        }
        let change = name == nil ? ["from": .string(from), "to": .string(id)] : data
        checkChange(change, from: from, to: id, states, .unseen, "an event of \(list)")
        return true
    }
}
