import ClientState
import TestSupport
import Testing

/// However requests and answers are lost or late, each edit is done once, in its order.
@Suite struct EditLaneTests {
    /// The sequence of one client, as docs/contract.md section 11 says.
    struct Sequence {
        /// The writes that were done, in their order; nil for a number that was used up by a refusal.
        var used: [[Int]?] = []

        /// - Parameter verdict: The reason to refuse some edits; nil to do them.
        mutating func take(_ write: EditLane.Write, _ verdict: EditLane.Refusal?) -> EditLane.Answer {
            if write.number < used.count {
                return used[write.number - 1] == nil ? .refused(Self.usedUp) : .done
            }
            if write.number == used.count {
                guard let known = used[write.number - 1] else { return .refused(Self.usedUp) }
                return known == write.edits ? .done : .taken
            }
            guard write.number == used.count + 1 else { return .gap(expected: used.count + 1) }
            guard let verdict else {
                used.append(write.edits)
                return .done
            }
            if verdict.isUsedUp { used.append(nil) }
            return .refused(verdict)
        }

        /// A write that was refused before. The reason is not kept.
        static let usedUp = refusal(isUsedUp: true, isDivisible: true)

        static func refusal(isUsedUp: Bool, operation: Int? = nil, isDivisible: Bool = false, isTooLarge: Bool = false)
            -> EditLane.Refusal
        {
            .init(isUsedUp: isUsedUp, operation: operation, isDivisible: isDivisible, isTooLarge: isTooLarge)
        }
    }

    private static func entry(_ id: Int, number: Int? = nil) -> EditLane.Entry {
        .init(id: id, operations: 1 + id % 3, bytes: id % 50 == 0 ? 200 << 10 : 10, number: number)
    }

    /// The edits that the server refuses, some of them without naming the operation.
    private static func isBad(_ id: Int) -> Bool { id % 23 == 3 }

    private static func verdict(on edits: [Int], tooMany: Int) -> EditLane.Refusal? {
        if edits.count > tooMany {
            return Sequence.refusal(isUsedUp: edits[0] % 2 == 0, isDivisible: true, isTooLarge: true)
        }
        guard let bad = edits.firstIndex(where: isBad) else { return nil }
        let operations = edits[..<bad].reduce(0) { $0 + entry($1).operations }
        return Sequence.refusal(
            isUsedUp: edits[bad] % 2 == 0,
            operation: edits[bad] % 3 == 0 ? nil : operations + entry(edits[bad]).operations - 1, isDivisible: true)
    }

    @Test("Each edit is done once, in its order", arguments: UInt64(1)...200)
    func isDoneOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (sequence, lane) = (Sequence(), EditLane([], nextNumber: 1))
        let count = 300
        let tooMany = random.once(in: 3) ? 60 : .max
        var (added, turns) = (0, 0)
        var (done, refused): ([Int], [Int]) = ([], [])
        while done.count + refused.count < count {
            turns += 1
            try #require(turns < 5_000, "the lane is stuck: \(lane)")
            while added < count, !random.once(in: 100) {
                lane.append(Self.entry(added))
                added += 1
            }
            guard let write = lane.next(isAlike: { $0 / 100 == $1 / 100 }) else { continue }
            if random.once(in: 20) {
                lane.putBack(write)
                continue
            }
            if random.once(in: 20) {
                // The process ends, and the next one goes on with what is stored.
                lane = EditLane(lane.entries, nextNumber: lane.nextNumber)
                _ = lane.next { _, _ in false }
            }
            var answer = EditLane.Answer.later
            if !random.once(in: 5) { answer = sequence.take(write, Self.verdict(on: write.edits, tooMany: tooMany)) }
            if random.once(in: 5) { answer = .later }
            for step in lane.take(answer) {
                switch step {
                case .done(let ids): done += ids
                case .refused(let ids): refused += ids
                case .rename: Issue.record("nobody else has used the name")
                case .pause: break
                }
            }
        }
        #expect(done == (0..<count).filter { !Self.isBad($0) })
        #expect(refused == (0..<count).filter(Self.isBad))
        #expect(sequence.used.compactMap { $0 }.flatMap { $0 } == done)
        #expect(lane.entries.isEmpty && lane.nextNumber == sequence.used.count + 1)
    }

    @Test func manyAreSentTogetherAndTheNewestAlone() {
        var lane = EditLane([], nextNumber: 1)
        for id in 0..<1_034 { lane.append(.init(id: id, operations: 1, bytes: 100, number: nil)) }
        var writes: [Int] = []
        while let write = lane.next(isAlike: { _, _ in true }) {
            writes.append(write.edits.count)
            _ = lane.take(.done)
        }
        #expect(writes == [250, 250, 250, 250, 2] + Array(repeating: 1, count: 32))
    }

    /// The server was restored from an older copy, or has forgotten the client: the numbers go on where it wants.
    @Test func aLostSequenceGoesOn() {
        var lane = EditLane([Self.entry(7, number: 58), Self.entry(8, number: 58), Self.entry(9)], nextNumber: 59)
        let write = lane.next { _, _ in true }
        #expect(write?.number == 58 && write?.edits == [7, 8] && write?.isAgain == true)
        #expect(lane.next { _, _ in true } == nil)
        #expect(lane.take(.gap(expected: 41)) == [])
        #expect(lane.next { _, _ in true }?.number == 41)
        #expect(lane.take(.done) == [.done([7, 8])] && lane.nextNumber == 42)
        #expect(lane.next { _, _ in true }?.number == 42)
        #expect(lane.take(.gap(expected: 42)) == [.pause])
    }

    @Test func aNameThatSomebodyElseHasIsGivenUp() {
        var lane = EditLane([Self.entry(7)], nextNumber: 58)
        _ = lane.next { _, _ in true }
        #expect(lane.take(.taken) == [.rename])
        #expect(lane.next { _, _ in true }?.number == 1 && lane.nextNumber == 2)
    }

    @Test func aWriteThatWasNotSentHasNoNumber() {
        var lane = EditLane([Self.entry(7)], nextNumber: 58)
        let write = lane.next { _, _ in true }
        #expect(write?.number == 58)
        lane.remove(7)
        #expect(lane.entries.count == 1)
        if let write { lane.putBack(write) }
        #expect(lane.nextNumber == 58)
        lane.remove(7)
        #expect(lane.entries.isEmpty && lane.next { _, _ in true } == nil)
    }

    private static func refused(_ isUsedUp: Bool, divisible: Bool = true, tooLarge: Bool = false) -> EditLane.Answer {
        .refused(.init(isUsedUp: isUsedUp, operation: nil, isDivisible: divisible, isTooLarge: tooLarge))
    }

    static let answers: [(Int, Bool, String?, EditLane.Answer)] = [
        (200, true, nil, .done), (204, true, nil, .done), (200, false, nil, .later), (302, false, nil, .later),
        (409, false, "sequence_gap", .gap(expected: 4)), (409, true, "sequence_refused", refused(true)),
        (409, true, "self_move", refused(true)), (404, true, "list_not_found", refused(true, divisible: false)),
        (403, false, "forbidden", refused(false)),
        (413, false, "body_too_large", refused(false, tooLarge: true)),
        (422, false, "key_reused", .taken), (409, false, "key_in_flight", .later),
        (401, false, "unauthenticated", .later),
        (429, false, "too_many_requests", .later), (503, false, "overloaded", .later), (502, false, nil, .later),
        (501, false, nil, refused(false)), (507, false, "disk_full", .later),
    ]

    @Test("An answer is understood", arguments: answers)
    func understands(_ row: (code: Int, isUsedUp: Bool, problem: String?, answer: EditLane.Answer)) throws {
        let problem = try row.problem.map { code in
            try ServerProblem(answer: Array(#"{"code":"\#(code)","status":\#(row.code),"expected":4}"#.utf8))
        }
        #expect(EditLane.Answer(code: row.code, isUsedUp: row.isUsedUp, problem: problem) == row.answer)
    }

    @Test func aSequenceThatTheServerDoesNotKnowBeginsWithOne() throws {
        let problem = try ServerProblem(answer: Array(#"{"code":"sequence_gap","status":409}"#.utf8))
        #expect(EditLane.Answer(code: 409, isUsedUp: false, problem: problem) == .gap(expected: 1))
    }
}
