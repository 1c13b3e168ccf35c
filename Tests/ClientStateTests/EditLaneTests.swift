import ClientState
import TestSupport
import Testing

/// However requests and answers are lost, late or in another order, each edit is done once, in its order.
@Suite struct EditLaneTests {
    /// The sequence of one client, as docs/contract.md section 11 says.
    struct Sequence {
        /// The edits that were done, in their order; nil for a number that was used up by a refusal.
        var used: [Int?] = []

        mutating func take(_ entry: EditLane.Entry, _ verdict: EditLane.Answer) -> EditLane.Answer {
            if entry.number <= used.count {
                guard let known = used[entry.number - 1] else { return .refused(isUsedUp: true) }
                guard known == entry.id else { return .taken }
                return .done
            }
            guard entry.number == used.count + 1 else { return .gap(expected: used.count + 1) }
            switch verdict {
            case .done: used.append(entry.id)
            case .refused(isUsedUp: true): used.append(nil)
            case .refused(isUsedUp: false), .gap, .taken, .later: break
            }
            return verdict
        }
    }

    @Test("Each edit is done once, in its order", arguments: UInt64(1)...200)
    func isDoneOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (sequence, lane) = (Sequence(), EditLane([], nextNumber: 1))
        var sent: [EditLane.Entry] = []
        var answers: [(id: Int, answer: EditLane.Answer)] = []
        var (settled, refused): (Set<Int>, Set<Int>) = ([], [])
        let count = 60
        for id in 0..<20 { #expect(lane.append(id) == id + 1) }
        var (added, turns) = (20, 0)
        while settled.count < count {
            turns += 1
            try #require(turns < 20_000, "the lane is stuck: \(lane)")
            if added < count, random.once(in: 4) {
                _ = lane.append(added)
                added += 1
            }
            if random.once(in: 2), let entry = lane.next() { sent.append(entry) }
            if !sent.isEmpty, random.once(in: 2) {
                // Mostly the oldest arrives first.
                let entry = sent.remove(at: random.once(in: 3) ? random.below(sent.count) : 0)
                guard !random.once(in: 10) else {
                    answers.append((entry.id, .later))
                    continue
                }
                let verdict: EditLane.Answer = entry.id % 11 == 3 ? .refused(isUsedUp: entry.id % 2 == 0) : .done
                let answer = sequence.take(entry, verdict)
                answers.append((entry.id, random.once(in: 10) ? .later : answer))
            }
            guard !answers.isEmpty, random.once(in: 2) else { continue }
            let (id, answer) = answers.remove(at: random.below(answers.count))
            for step in lane.take(answer, to: id) where step == .settle(id) {
                try #require(settled.insert(id).inserted)
                if answer != .done { refused.insert(id) }
            }
        }
        #expect(sequence.used.compactMap { $0 } == (0..<count).filter { !refused.contains($0) })
        #expect(refused == Set((0..<count).filter { $0 % 11 == 3 }))
        #expect(lane.entries.isEmpty)
    }

    /// The server was restored from an older copy, or has forgotten the client: the numbers go on where it expects them.
    @Test func aLostSequenceGoesOn() {
        var lane = EditLane([.init(id: 7, number: 58), .init(id: 8, number: 59)], nextNumber: 60)
        #expect(lane.next()?.number == 58)
        #expect(lane.next()?.number == 59)
        #expect(lane.take(.gap(expected: 41), to: 7) == [])
        #expect(lane.next() == nil)
        #expect(lane.take(.gap(expected: 41), to: 8) == [.renumber])
        #expect(lane.entries.map(\.number) == [41, 42] && lane.nextNumber == 43)
        #expect(lane.next()?.number == 41)
    }

    /// The answer to the second comes after that to the first, and tells of the time before it.
    @Test func anOldAnswerGivesNoNewNumbers() {
        var lane = EditLane([.init(id: 1, number: 5), .init(id: 2, number: 6)], nextNumber: 7)
        _ = (lane.next(), lane.next())
        #expect(lane.take(.done, to: 1) == [.settle(1)])
        #expect(lane.take(.gap(expected: 5), to: 2) == [])
        #expect(lane.next()?.number == 6)
    }

    @Test func aPauseWaitsForAllAnswers() {
        var lane = EditLane([.init(id: 1, number: 1), .init(id: 2, number: 2)], nextNumber: 3)
        _ = (lane.next(), lane.next())
        #expect(lane.take(.later, to: 1) == [])
        #expect(lane.next() == nil)
        #expect(lane.take(.gap(expected: 1), to: 2) == [.pause])
        #expect(lane.next()?.id == 1)
    }

    static let answers: [(Int, Bool, String?, EditLane.Answer)] = [
        (200, true, nil, .done), (204, true, nil, .done),
        (409, false, "sequence_gap", .gap(expected: 4)), (409, true, "sequence_refused", .refused(isUsedUp: true)),
        (409, true, "self_move", .refused(isUsedUp: true)), (403, false, "forbidden", .refused(isUsedUp: false)),
        (422, false, "key_reused", .taken), (409, false, "key_in_flight", .later),
        (401, false, "unauthenticated", .later),
        (429, false, "too_many_requests", .later), (503, false, "overloaded", .later), (502, false, nil, .later),
        (501, false, nil, .refused(isUsedUp: false)), (507, false, "disk_full", .later),
    ]

    @Test("An answer is understood", arguments: answers)
    func understands(_ row: (code: Int, isUsedUp: Bool, problem: String?, answer: EditLane.Answer)) throws {
        let problem = try row.problem.map { code in
            try ServerProblem(answer: Array(#"{"code":"\#(code)","status":\#(row.code),"expected":4}"#.utf8))
        }
        #expect(EditLane.Answer(code: row.code, isUsedUp: row.isUsedUp, problem: problem) == row.answer)
    }
}
