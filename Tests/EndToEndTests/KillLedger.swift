import JSONValue
import TestSupport

/// What must be true of the lists, as the answers to all writes tell it.
struct KillLedger {
    private struct Account {
        let epoch: String
        /// The version up to which everything has been checked.
        var head: Int
        /// The list at the newest versions.
        var states: [Int: JSONList]
        /// The key that made each version after the first.
        var owners: [Int: String] = [:]
        /// Settled and not checked yet, by the version they made.
        var changes: [Int: KeyedWrite] = [:]
        var newestAcknowledged = 1
    }

    /// How many versions back states are kept; within what the server keeps of history.
    private static let statesMax = 60

    private var accounts: [String: Account] = [:]
    private var readsToCheck: [(list: String, snapshot: JSONValue)] = []
    private(set) var violations: [Violation] = []
    private(set) var stateCount = 0
    private(set) var missedCount = 0

    var lists: [String] { accounts.keys.sorted() }
    var newest: [String: Int] { accounts.mapValues(\.newestAcknowledged) }
    var versionCount: Int { accounts.values.reduce(0) { $0 + $1.head } }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) {
        violations.append(Violation(kind: kind, text: text))
    }

    /// Starts with a list that was just created.
    mutating func open(_ list: String, _ client: HTTPClient) throws {
        let snapshot = try JSONValue(parsing: client.send("GET", "/v1/lists/\(list)").body)
        guard let version = WireVersion(snapshot["version"]?.string), version.revision == 1 else {
            return violate(.wrong, "\(list) does not start at 1: \(snapshot.text)")
        }
        accounts[list] = Account(epoch: version.epoch, head: 1, states: [1: JSONList(snapshot: snapshot)])
    }

    // MARK: Answers

    /// Enters what a writer has got since the last time.
    mutating func enter(_ writes: ArraySlice<KeyedWrite>, reads: [(list: String, snapshot: JSONValue)]) {
        for write in writes { enter(write) }
        readsToCheck += reads
    }

    private mutating func enter(_ write: KeyedWrite) {
        guard let account = accounts[write.list], let body = write.answer?.body,
            let version = WireVersion(body["version"]?.string)
        else { return violate(.wrong, "\(write.key) has no version") }
        guard version.epoch == account.epoch else {
            return violate(.lost, "\(write.list) went from epoch \(account.epoch) to \(version)")
        }
        accounts[write.list]?.newestAcknowledged = max(version.revision, account.newestAcknowledged)
        guard body["changed"] == true else {
            guard version.revision < write.floor else { return }
            return violate(.wrong, "\(write.key) saw \(version), but \(write.floor) was acknowledged before")
        }
        if let owner = account.owners[version.revision] {
            violate(.doubled, "\(write.list) \(version) was given to \(owner) and to \(write.key)")
        }
        guard version.revision > write.floor else {
            return violate(.wrong, "\(write.key) made \(version), but \(write.floor) was acknowledged before")
        }
        let (from, to) = (body["changes"]?["from"]?.string, body["changes"]?["to"]?.string)
        let before = "\(version.epoch)-\(version.revision - 1)"
        guard to == version.description, from == before, write.match == nil || write.match == before else {
            let match = write.match ?? "any"
            return violate(.wrong, "\(write.key), meant for \(match), made \(version) of \(from ?? "") to \(to ?? "")")
        }
        accounts[write.list]?.owners[version.revision] = write.key
        accounts[write.list]?.changes[version.revision] = write
    }

    // MARK: After a start

    /// Checks that nothing acknowledged is missing, and that what is there beyond can be of unsettled keys.
    mutating func checkRecovery(_ unsettled: [KeyedWrite], _ client: HTTPClient) throws {
        for list in lists {
            guard let head = try head(of: list, client), let account = accounts[list] else { continue }
            guard head >= account.newestAcknowledged else {
                violate(.lost, "\(list) came back at \(head), but \(account.newestAcknowledged) was acknowledged")
                continue
            }
            let unowned = (account.head + 1..<head + 1).filter { account.changes[$0] == nil }
            let candidates = unsettled.filter { $0.list == list }
            guard unowned.count > candidates.count else { continue }
            violate(.gap, "\(list) has versions \(unowned) of nobody; unsettled are \(candidates.map(\.key))")
        }
    }

    private mutating func head(of list: String, _ client: HTTPClient) throws -> Int? {
        let response = try client.send("HEAD", "/v1/lists/\(list)")
        guard let version = WireVersion(response["List-Version"]), version.epoch == accounts[list]?.epoch else {
            violate(.lost, "\(list) came back as \(response["List-Version"] ?? response.statusLine)")
            return nil
        }
        return version.revision
    }

    /// Checks everything; to be called when nothing is unsettled and nobody writes.
    mutating func check(_ client: HTTPClient, _ generator: inout SeededGenerator) throws {
        for list in lists {
            try replay(list, client)
            guard violations.isEmpty else { return }
            try checkCatchup(list, client, &generator)
        }
        for (list, snapshot) in readsToCheck { checkRead(list, snapshot) }
        readsToCheck = []
        for list in lists { forget(list) }
    }

    /// Replays all answers in the order of their versions: that must give what the server serves.
    private mutating func replay(_ list: String, _ client: HTTPClient) throws {
        let snapshot = try JSONValue(parsing: client.send("GET", "/v1/lists/\(list)").body)
        guard var account = accounts[list] else { return }
        guard let head = WireVersion(snapshot["version"]?.string), head.epoch == account.epoch,
            head.revision >= account.newestAcknowledged
        else { return violate(.lost, "\(list) is at \(snapshot["version"]?.text ?? "nothing")") }
        while account.head < head.revision {
            guard let write = account.changes.removeValue(forKey: account.head + 1),
                let state = account.states[account.head], let changes = write.answer?.body["changes"]
            else { return violate(.gap, "\(list) has version \(account.head + 1) of nobody") }
            do {
                try checkMissed(write, account.states)
                let next = try state.applying(changes)
                checkToggle(write, state, next)
                account.states[account.head + 1] = next
            } catch {
                return violate(.wrong, "\(list), \(write.key): \(error)")
            }
            account.head += 1
            stateCount += 1
        }
        accounts[list] = account
        guard account.states[account.head] != JSONList(snapshot: snapshot) else { return }
        violate(.wrong, "the answers for \(list) do not replay to \(snapshot.text)")
    }

    /// A write with a stale base: what its client had missed must bring it to where the write began.
    private mutating func checkMissed(_ write: KeyedWrite, _ states: [Int: JSONList]) throws {
        let from = write.answer?.body["changes"]?["from"]?.string
        let missed = write.answer?.body["missed"]
        guard let base = write.base, base != from else {
            return missed == nil ? () : violate(.wrong, "\(write.key) missed nothing, but got \(missed?.text ?? "")")
        }
        missedCount += 1
        guard let missed, missed["from"]?.string == base, missed["to"]?.string == from,
            let base = WireVersion(base), let from = WireVersion(from), let old = states[base.revision]
        else { return violate(.wrong, "\(write.key), meant for \(base), missed \(missed?.text ?? "nothing")") }
        guard try old.applying(missed) != states[from.revision] else { return }
        violate(.wrong, "what \(write.key) missed does not lead from \(base) to \(from)")
    }

    /// A toggle flips one star and does nothing else.
    private mutating func checkToggle(_ write: KeyedWrite, _ old: JSONList, _ new: JSONList) {
        guard let item = write.toggled else { return }
        var expected = old
        for section in expected.sections.indices {
            for index in expected.sections[section].items.indices
            where expected.sections[section].items[index]["id"]?.string == item {
                expected.sections[section].items[index] = Self.toggled(expected.sections[section].items[index])
            }
        }
        guard new != expected || new == old else { return }
        violate(.wrong, "\(write.key) did not just toggle \(item)")
    }

    private static func toggled(_ item: JSONValue) -> JSONValue {
        guard case .object(var members) = item else { return item }
        if members.remove("starred") == nil { members.set(true, for: "starred") }
        return .object(members)
    }

    /// What a client gets that comes back with an older version.
    private mutating func checkCatchup(
        _ list: String, _ client: HTTPClient, _ generator: inout SeededGenerator
    ) throws {
        guard let account = accounts[list], let oldest = account.states.keys.min() else { return }
        let since = oldest + generator.below(account.head - oldest + 1)
        let target = "/v1/lists/\(list)/changes?since=\(account.epoch)-\(since)"
        let changes = try JSONValue(parsing: client.send("GET", target).body)
        guard let state = account.states[since], changes["from"]?.string == "\(account.epoch)-\(since)",
            changes["to"]?.string == "\(account.epoch)-\(account.head)",
            case let caughtUp = try state.applying(changes), caughtUp == account.states[account.head]
        else { return violate(.wrong, "\(target) does not lead to \(account.head): \(changes.text)") }
    }

    private mutating func checkRead(_ list: String, _ snapshot: JSONValue) {
        let version = WireVersion(snapshot["version"]?.string)
        guard let account = accounts[list], let version, version.epoch == account.epoch,
            account.states[version.revision] == JSONList(snapshot: snapshot)
        else { return violate(.wrong, "a reading of \(list) is not its version: \(snapshot.text)") }
    }

    private mutating func forget(_ list: String) {
        guard let account = accounts[list] else { return }
        accounts[list]?.states = account.states.filter { $0.key > account.head - Self.statesMax }
    }
}
