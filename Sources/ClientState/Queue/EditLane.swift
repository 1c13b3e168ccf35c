import Texts

/// The edits of one list that wait for their answers (docs/contract.md section 11, "A client's own sequence").
///
/// One write is on its way at a time. So the server does the edits in their order, and the answer to a write that is
/// sent again has everything that the first one had. When many edits wait, the oldest of them go together as one write.
/// An example with 1,034 edits of one operation each:
///
///     1…250         the write with number 1
///     251…500       number 2, when number 1 has its answer
///     501…750       number 3
///     751…1,000     number 4
///     1,001…1,002   number 5
///     1,003         number 6, and so on: the newest 32 are sent one by one, so that each can be undone by itself
///
/// The lane decides only. Each method says what its caller must do.
public struct EditLane: Sendable {
    /// An edit in the lane.
    public struct Entry: Sendable, Identifiable, Equatable {
        /// The place of the edit among all edits of the client.
        public let id: Int
        /// The number of its operations.
        public let operations: Int
        /// The length of its operations.
        public let bytes: Int
        /// The `Client-Sequence` of the write that the edit is in; nil before it is sent.
        public fileprivate(set) var number: Int?

        /// An edit that waits. Only one that was sent in an earlier run has a number.
        public init(id: Int, operations: Int, bytes: Int, number: Int?) {
            (self.id, self.operations, self.bytes, self.number) = (id, operations, bytes, number)
        }
    }

    /// A write that is to be sent.
    public struct Write: Sendable, Equatable {
        /// Its `Client-Sequence`.
        public let number: Int
        /// The edits in it, in their order.
        public let edits: [Entry.ID]
        /// Whether it may have reached the server before.
        public let isAgain: Bool
    }

    /// What the server has said of a write.
    public enum Answer: Sendable, Equatable {
        case done
        /// The server will never do it.
        case refused(Refusal)
        /// The server expects another number.
        case gap(expected: Int)
        /// The number belongs to another write, so the storage of the client was copied or set back.
        case taken
        /// Nobody knows what became of it, or it may go well later.
        case later
    }

    /// The reason for which a write is refused, as far as the lane needs it.
    public struct Refusal: Sendable, Equatable {
        /// Whether the number of the write is used up.
        public var isUsedUp: Bool
        /// The index of the operation that is the reason; nil if it is none.
        public var operation: Int?
        /// Whether a part of the write may be done, because the whole is too large, or because of one of its edits, which
        /// nobody has named.
        public var isDivisible: Bool
        /// Whether the write is more than the server takes. Then it takes no other one of this length either.
        public var isTooLarge: Bool

        /// A refusal.
        public init(isUsedUp: Bool, operation: Int?, isDivisible: Bool, isTooLarge: Bool) {
            (self.isUsedUp, self.operation) = (isUsedUp, operation)
            (self.isDivisible, self.isTooLarge) = (isDivisible, isTooLarge)
        }
    }

    /// What is to be done after an answer. The numbers may be others, and must be stored before the next write is sent.
    public enum Step: Sendable, Equatable {
        /// The edits have left the lane, because they were done.
        case done([Entry.ID])
        /// The edits have left the lane, because they are refused.
        case refused([Entry.ID])
        /// The client needs another name for this list.
        case rename
        /// Nothing is to be sent for a while.
        case pause
    }

    /// The edits in their order. Those with a number are in one write, and come first.
    public private(set) var entries: [Entry]
    /// The number of the next write.
    public private(set) var nextNumber: Int
    private var isOnItsWay = false
    /// The most edits that are sent together. More were too much for the server.
    private var most = Self.operationsTogether
    /// The most edits that are sent together now: half as many after a refusal that names no edit, twice as many after a
    /// success.
    private var mostNow = Self.operationsTogether

    /// The most operations and bytes of edits that are sent together. The server keeps an answer of so many operations.
    public static let (operationsTogether, bytesTogether) = (250, 256 << 10)
    /// So many of the newest edits are sent one by one.
    public static let newest = 32

    /// - Parameters:
    ///   - entries: The edits that are left of an earlier run, in their order.
    ///   - nextNumber: The number of the next write.
    public init(_ entries: [Entry], nextNumber: Int) { (self.entries, self.nextNumber) = (entries, nextNumber) }

    /// Adds an edit at the end.
    public mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Takes an edit out that no write has.
    public mutating func remove(_ id: Entry.ID) { entries.removeAll { $0.id == id && $0.number == nil } }
}

// MARK: - Sending

extension EditLane {
    /// The write that is to be sent now; nil if there is none. It is on its way from then on.
    ///
    /// - Parameter isAlike: Whether the edits of two ids may be sent together.
    public mutating func next(isAlike: (Entry.ID, Entry.ID) -> Bool) -> Write? {
        guard !isOnItsWay, let first = entries.first else { return nil }
        isOnItsWay = true
        if let number = first.number { return Write(number: number, edits: sent.map(\.id), isAgain: true) }
        var (count, operations, bytes) = (1, first.operations, first.bytes)
        while count < mostNow, count + Self.newest < entries.count {
            let entry = entries[count]
            (operations, bytes) = (operations + entry.operations, bytes + entry.bytes)
            guard operations <= Self.operationsTogether, bytes <= Self.bytesTogether, isAlike(first.id, entry.id) else {
                break
            }
            count += 1
        }
        for index in 0..<count { entries[index].number = nextNumber }
        nextNumber += 1
        return Write(number: nextNumber - 1, edits: sent.map(\.id), isAgain: false)
    }

    /// Notes that a write was not sent after all.
    public mutating func putBack(_ write: Write) {
        isOnItsWay = false
        guard !write.isAgain else { return }
        for index in 0..<sent.count { entries[index].number = nil }
        nextNumber = write.number
    }

    /// Takes the answer to the write that is on its way.
    public mutating func take(_ answer: Answer) -> [Step] {
        guard isOnItsWay, let number = entries.first?.number else { return [] }
        isOnItsWay = false
        switch answer {
        case .done:
            mostNow = min(2 * mostNow, most)
            return [.done(removeSent(where: { _ in true }))]
        case .refused(let refusal):
            if !refusal.isUsedUp { nextNumber = number }
            return [.refused(refuse(refusal))]
        case .gap(let expected):
            guard expected < number else { return [.pause] }
            renumber(expected)
            return []
        case .taken:
            renumber(1)
            return [.rename]
        case .later: return [.pause]
        }
    }

    /// The edits of the write that is on its way, or is to be sent again.
    private var sent: ArraySlice<Entry> {
        guard let number = entries.first?.number else { return [] }
        return entries.prefix { $0.number == number }
    }

    private mutating func renumber(_ number: Int) {
        for index in 0..<sent.count { entries[index].number = number }
        nextNumber = number + 1
    }

    /// Takes those edits out that are the reason of a refusal. The others of the write wait again.
    private mutating func refuse(_ refusal: Refusal) -> [Entry.ID] {
        let count = sent.count
        guard count > 1 else { return removeSent(where: { _ in true }) }
        if let reason = refusal.operation.flatMap(edit) { return removeSent(where: { $0 == reason }) }
        guard refusal.isDivisible else { return removeSent(where: { _ in true }) }
        mostNow = count / 2
        if refusal.isTooLarge { most = mostNow }
        return removeSent(where: { _ in false })
    }

    /// The edit that an operation of the write is of.
    private func edit(ofOperation index: Int) -> Entry.ID? {
        var rest = index
        for entry in sent {
            guard rest >= entry.operations else { return entry.id }
            rest -= entry.operations
        }
        return nil
    }

    /// Takes edits of the write out, and lets the others wait without a number.
    private mutating func removeSent(where isGone: (Entry.ID) -> Bool) -> [Entry.ID] {
        let write = sent
        let gone = write.map(\.id).filter(isGone)
        let left = write.filter { !isGone($0.id) }.map { entry in
            Entry(id: entry.id, operations: entry.operations, bytes: entry.bytes, number: nil)
        }
        entries.replaceSubrange(0..<write.count, with: left)
        return gone
    }
}

extension EditLane.Answer {
    /// Reads what an answer says of a numbered write.
    ///
    /// - Parameters:
    ///   - code: The status of HTTP.
    ///   - isUsedUp: Whether the answer names the number in `Client-Sequence`.
    ///   - problem: The problem; nil for a success, and for a refusal of something between client and server.
    public init(code: Int, isUsedUp: Bool, problem: ServerProblem?) {
        switch (code, problem?.code) {
        case (200..<300, _) where isUsedUp: self = .done
        // Whoever has answered is not the server: the way into a network, perhaps.
        case (..<400, _): self = .later
        // A sequence that the server does not know begins with 1.
        case (_, "sequence_gap"?): self = .gap(expected: problem?.expected ?? 1)
        case (_, "key_reused"?): self = .taken
        case (_, "key_in_flight"?), (401, _), (408, _), (429, _), (500, _), (502..., _): self = .later
        default:
            // If there is no list, there is none for any of the edits.
            self = .refused(
                .init(
                    isUsedUp: isUsedUp, operation: problem?.operation, isDivisible: code != 404,
                    isTooLarge: code == 413))
        }
    }
}
