import Texts

/// The edits of one list that wait for their answers, with their numbers (docs/contract.md section 11, "A client's own
/// sequence").
///
/// Several edits may be on their way at once. An example: 5, 6 and 7 are sent, and 6 comes to the server first.
///
///     answer to 6    the server expects 5: it waits here until all are answered
///     answer to 5    done
///     answer to 7    the server expects 6: now 6 is sent again, and 7 right behind it
///
/// The lane decides only. Each method says what its caller must do.
public struct EditLane: Sendable {
    /// An edit in the lane.
    public struct Entry: Sendable, Identifiable, Equatable {
        /// The place of the edit among all edits of the client.
        public let id: Int
        /// The `Client-Sequence` of the edit.
        public internal(set) var number: Int
        fileprivate var state = State.waiting

        /// An edit that waits to be sent.
        public init(id: Int, number: Int) { (self.id, self.number) = (id, number) }
    }

    fileprivate enum State {
        case waiting
        /// The edit is on its way. If it was the first when it was sent, the server must expect its number.
        case sent(asFirst: Bool)
        /// The edit came to the server before one that precedes it.
        case overtook
    }

    /// What the server has said of an edit.
    public enum Answer: Sendable, Equatable {
        case done
        /// The server will never do it. It may have used the number up, or not.
        case refused(isUsedUp: Bool)
        /// The server expects another number first.
        case gap(expected: Int)
        /// The number belongs to another write.
        case taken
        /// Nobody knows what became of it, or it may go well later.
        case later
    }

    /// What is to be done after an answer.
    public enum Step: Sendable, Equatable {
        /// The edit has left the lane.
        case settle(Entry.ID)
        /// The entries have other numbers, which must be stored before one is sent.
        case renumber
        /// Nothing is to be sent for a while.
        case pause
    }

    /// The edits in their order.
    public private(set) var entries: [Entry]
    /// The number of the next edit.
    public private(set) var nextNumber: Int
    /// The number that the first entry gets as soon as nothing is on its way.
    private var firstNumber: Int?
    /// Numbers that refused edits have left unused.
    private var unused: [Int] = []
    private var wantsPause = false

    /// The most edits on their way at once. The server knows which of the 64 highest numbers it has refused.
    public static let sentMax = 32

    /// - Parameters:
    ///   - entries: The edits that are left of an earlier run, in their order.
    ///   - nextNumber: The number of the next edit.
    public init(_ entries: [Entry], nextNumber: Int) { (self.entries, self.nextNumber) = (entries, nextNumber) }

    /// Adds an edit at the end.
    ///
    /// - Returns: Its number.
    public mutating func append(_ id: Entry.ID) -> Int {
        entries.append(Entry(id: id, number: nextNumber))
        nextNumber += 1
        return nextNumber - 1
    }

    /// The edit that is to be sent now, if there is one. It counts as sent from then on.
    public mutating func next() -> Entry? {
        guard !isHalted, sentCount < Self.sentMax else { return nil }
        if entries.contains(where: { $0.state == .overtook }) {
            // Those that are still on their way have overtaken, too, and what is sent behind them would do so again.
            guard sentCount == 0 else { return nil }
            for index in entries.indices { entries[index].rest() }
        }
        guard let index = entries.firstIndex(where: { !$0.state.isSent }), entries[index].state == .waiting,
            entries[index].number - entries[0].number < Self.sentMax
        else { return nil }
        entries[index].state = .sent(asFirst: index == 0)
        return entries[index]
    }

    /// Takes the answer to an edit that was sent.
    public mutating func take(_ answer: Answer, to id: Entry.ID) -> [Step] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        let entry = entries[index]
        var steps: [Step] = []
        switch answer {
        case .done, .refused(isUsedUp: true):
            entries.remove(at: index)
            steps.append(.settle(id))
        case .refused(isUsedUp: false):
            entries.remove(at: index)
            unused.append(entry.number)
            steps.append(.settle(id))
        case .gap(let expected):
            if entry.state == .sent(asFirst: true) { firstNumber = expected }
            entries[index].state = .overtook
        case .taken:
            if index == 0 { firstNumber = entry.number + 1 }
            entries[index].state = .overtook
        case .later:
            entries[index].state = .waiting
            wantsPause = true
        }
        return steps + settleDown()
    }

    /// Whether nothing may be sent until all answers are there.
    private var isHalted: Bool { firstNumber != nil || !unused.isEmpty || wantsPause }

    private var sentCount: Int { entries.count { $0.state.isSent } }

    /// Gives entries new numbers once nothing is on its way.
    private mutating func settleDown() -> [Step] {
        guard isHalted, sentCount == 0 else { return [] }
        let numbers = entries.map(\.number)
        for index in entries.indices {
            let number = entries[index].number
            entries[index].number = firstNumber.map { $0 + index } ?? number - unused.count { $0 < number }
            entries[index].rest()
        }
        nextNumber = firstNumber.map { $0 + entries.count } ?? nextNumber - unused.count
        let isRenumbered = numbers != entries.map(\.number) || !unused.isEmpty
        let steps: [Step] = (isRenumbered ? [.renumber] : []) + (wantsPause ? [.pause] : [])
        (firstNumber, unused, wantsPause) = (nil, [], false)
        return steps
    }
}

extension EditLane.State: Equatable {
    fileprivate var isSent: Bool { if case .sent = self { true } else { false } }
}

extension EditLane.Entry {
    /// Waits to be sent again.
    fileprivate mutating func rest() { if state == .overtook { state = .waiting } }
}

extension EditLane.Answer {
    /// Reads what an answer says of a numbered write.
    ///
    /// - Parameters:
    ///   - code: The status of HTTP.
    ///   - isUsedUp: Whether the answer has `Client-Sequence`.
    ///   - problem: The problem; nil for a success.
    public init(code: Int, isUsedUp: Bool, problem: ServerProblem?) {
        switch (code, problem?.code) {
        case (200..<300, _): self = .done
        case (_, "sequence_gap"?): self = problem?.expected.map { .gap(expected: $0) } ?? .later
        case (_, "sequence_refused"?): self = .refused(isUsedUp: true)
        case (_, "key_reused"?): self = .taken
        case (_, "key_in_flight"?), (401, _), (408, _), (429, _), (500, _), (502..., _): self = .later
        default: self = .refused(isUsedUp: isUsedUp)
        }
    }
}
