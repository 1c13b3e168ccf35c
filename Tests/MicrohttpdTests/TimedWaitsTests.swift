import Testing

@testable import Microhttpd

@Suite struct TimedWaitsTests {
    private func taken(_ waits: inout TimedWaits<Int>, at now: UInt64) -> [Int] {
        var all: [Int] = []
        while let one = waits.take(now: now) { all.append(one) }
        return all.sorted()
    }

    @Test func eachIsTakenAtItsTimeAndOnce() {
        var waits = TimedWaits<Int>()
        let start: UInt64 = 1_000_003
        // Their number says after how many milliseconds they are due.
        let numbers = [0, 1, 5, 40, 41, 1_000, 1_999, 2_000, Int(TimedWaits<Int>.longest) - 8]
        for number in numbers.reversed() { waits.add(number, due: start + UInt64(number), now: start) }
        var late: [Int: UInt64] = [:]
        for now in start...start + TimedWaits<Int>.longest + 8 {
            for number in taken(&waits, at: now) {
                #expect(late[number] == nil && now >= start + UInt64(number))
                late[number] = now - start - UInt64(number)
            }
        }
        #expect(late.keys.sorted() == numbers && late.values.max()! < 4, "\(late)")
    }

    /// A loop that was held up for long finds all that are due, and the slots can be used again.
    @Test func noneIsLostWhenTheClockLeaps() {
        var waits = TimedWaits<Int>()
        for round: UInt64 in 0..<5 {
            let start = round * 1_000_000
            for number in 0..<500 { waits.add(number, due: start + UInt64(number * 8), now: start) }
            #expect(taken(&waits, at: start + 100) == Array(0...12))
            #expect(taken(&waits, at: start + 900_000) == Array(13..<500))
        }
    }

    @Test func theLoopSleepsUntilTheNextIsDue() {
        var waits = TimedWaits<Int>()
        #expect(waits.rest(now: 1_000, atMost: 250) == 250)
        waits.add(1, due: 1_100, now: 1_000)
        waits.add(2, due: 3_000, now: 1_000)
        #expect(waits.rest(now: 1_000, atMost: 250) == 100)
        #expect(waits.rest(now: 1_000, atMost: 20) == 20)
        #expect(waits.rest(now: 1_101, atMost: 250) == 0)
        #expect(waits.take(now: 1_101) == 1)
        #expect(waits.rest(now: 1_101, atMost: 250) == 250)
        #expect(waits.rest(now: 2_900, atMost: 250) == 100)
    }

    /// A wait that is too long for the slots is left to the look at all exchanges.
    @Test func aWaitThatIsTooLongIsNotTaken() {
        var waits = TimedWaits<Int>()
        waits.add(1, due: 10_000, now: 0)
        #expect(taken(&waits, at: 20_000) == [])
    }
}
