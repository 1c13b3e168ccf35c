import Testing
import Texts
import Threads

@testable import Access

@Suite struct TicketTests {
    /// A storage that others write to, and that can fail.
    final class Shared: TicketStore {
        let rows = Locked<[[UInt8]: [UInt8]]>([:])
        let fails = Locked(false)
        let beforeReplace = Locked<(@Sendable () -> Void)?>(nil)
        let isShared: Bool

        init(isShared: Bool = true) { self.isShared = isShared }

        private func check() throws(BookStoreError) {
            guard !fails.withLock({ $0 }) else { throw BookStoreError(cause: "away") }
        }

        func page(after key: [UInt8]?, limit: Int) throws(BookStoreError) -> [(key: [UInt8], value: [UInt8])] {
            try check()
            let all = rows.withLock { $0.sorted { $0.key.lexicographicallyPrecedes($1.key) } }
            let after = all.filter { row in key.map { $0.lexicographicallyPrecedes(row.key) } ?? true }
            return after.prefix(limit).map { ($0.key, $0.value) }
        }

        func read(_ key: [UInt8]) throws(BookStoreError) -> [UInt8]? {
            try check()
            return rows.withLock { $0[key] }
        }

        func write(_ values: [(key: [UInt8], value: [UInt8]?)]) throws(BookStoreError) {
            try check()
            rows.withLock { rows in for one in values { rows[one.key] = one.value } }
        }

        func replace(_ key: [UInt8], _ old: [UInt8], by new: [UInt8]) throws(BookStoreError) -> Bool {
            beforeReplace.withLock { body in
                defer { body = nil }
                return body
            }?()
            try check()
            return rows.withLock { rows in
                guard rows[key] == old else { return false }
                rows[key] = new
                return true
            }
        }
    }

    static func text(_ number: Int) -> ByteText {
        let digits = String(number)
        return ByteText("ltk_" + String(repeating: "x", count: 43 - digits.utf8.count) + digits)
    }

    static func caller(_ name: ByteText) -> Caller {
        Caller(.token, name, expires: nil, [UInt8](repeating: 7, count: 32), .none, .none)
    }

    private static let target = [UInt8](repeating: 1, count: 32)
    private static let other = [UInt8](repeating: 2, count: 32)

    private static func make(_ number: Int, for name: ByteText = "ci", by tickets: Tickets) throws {
        try tickets.make(text(number), for: caller(name), target: target) { _ in false }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var first: Int?
        var target = TicketTests.target
        var time: Int
        var isGood: Bool
        var testDescription: String { "first at \(first.map(String.init) ?? "never"), then at \(time)" }
    }

    /// The ticket is made at 100.
    static let rows = [
        Row(time: 100, isGood: true), Row(time: 160, isGood: true), Row(time: 161, isGood: false),
        Row(first: 160, time: 1_000_000, isGood: true), Row(first: 161, time: 162, isGood: false),
        Row(target: other, time: 100, isGood: false), Row(first: 100, target: other, time: 101, isGood: false),
    ]

    @Test(arguments: rows, [true, false])
    func isGoodForOneAddressAndInTime(_ row: Row, isShared: Bool) throws {
        let now = Locked(100)
        let tickets = try Tickets(Shared(isShared: isShared)) { now.withLock { $0 } }
        try Self.make(1, by: tickets)
        if let first = row.first {
            now.withLock { $0 = first }
            _ = try tickets.use(Self.text(1), target: Self.target)
        }
        now.withLock { $0 = row.time }
        // A ticket with which a stream has begun may begin another one.
        #expect(tickets.awaits(Self.text(1), target: row.target) == row.isGood)
        #expect(!tickets.awaits(Self.text(2), target: row.target))
        #expect(tickets.known(Self.text(1), target: row.target)?.actor == (row.isGood && row.first != nil ? "ci" : nil))
        #expect(try tickets.use(Self.text(1), target: row.target)?.actor == (row.isGood ? "ci" : nil))
        #expect(try tickets.use(Self.text(2), target: row.target) == nil)
        #expect(try tickets.use("ltk_1", target: row.target) == nil)
    }

    @Test func isTheSameOnEveryServerAndAfterARestart() throws {
        let now = Locked(100)
        let store = Shared()
        let servers = try (0..<2).map { _ in try Tickets(store) { now.withLock { $0 } } }
        try Self.make(1, by: servers[0])
        #expect(try servers[1].use(Self.text(1), target: Self.target)?.actor == "ci")
        now.withLock { $0 = 1_000 }
        // The server that has made it does not know yet that it was used.
        #expect(try servers[0].use(Self.text(1), target: Self.target)?.actor == "ci")
        let third = try Tickets(store) { now.withLock { $0 } }
        #expect(third.known(Self.text(1), target: Self.target)?.actor == "ci")
        store.fails.withLock { $0 = true }
        #expect(try third.use(Self.text(1), target: Self.target)?.actor == "ci")
    }

    @Test func twoFirstUsesAtOnceAreBothGood() throws {
        let store = Shared()
        let servers = try (0..<2).map { _ in try Tickets(store) { 0 } }
        try Self.make(1, by: servers[0])
        let second = Locked<ByteText?>(nil)
        store.beforeReplace.withLock { body in
            body = {
                let caller = try? servers[1].use(Self.text(1), target: Self.target)
                second.withLock { $0 = caller?.actor }
            }
        }
        #expect(try servers[0].use(Self.text(1), target: Self.target)?.actor == "ci")
        #expect(second.withLock { $0 } == "ci")
    }

    @Test func theStorageHasNoText() throws {
        let store = Shared()
        let tickets = try Tickets(store) { 0 }
        try Self.make(1, by: tickets)
        let stored = store.rows.withLock { $0.flatMap { $0.key + $0.value } }
        #expect(stored.count > 100)
        #expect(!ByteText(decoding: stored).string.contains("xxxx"))
    }

    @Test func thereIsNoTicketThatWasNotStored() throws {
        let store = Shared()
        let tickets = try Tickets(store) { 0 }
        store.fails.withLock { $0 = true }
        #expect(throws: BookStoreError.self) { try Self.make(1, by: tickets) }
        #expect(throws: BookStoreError.self) { try tickets.use(Self.text(1), target: Self.target) }
        store.fails.withLock { $0 = false }
        #expect(try tickets.use(Self.text(1), target: Self.target) == nil)
        #expect(tickets.count == 0)
    }

    @Test func aHoldersOwnOldestGoFirst() throws {
        let store = Shared()
        let tickets = try Tickets(store) { 0 }
        try Self.make(0, for: "other", by: tickets)
        for number in 1...Tickets.holderMax + 2 { try Self.make(number, by: tickets) }
        #expect(tickets.count == Tickets.holderMax + 1)
        #expect(store.rows.withLock { $0.count } == Tickets.holderMax + 1)
        for number in 0...4 {
            let isThere = number == 0 || number > 2
            let caller = try tickets.use(Self.text(number), target: Self.target)
            #expect((caller != nil) == isThere)
        }
    }

    @Test func ticketsThatLetNobodyInGoBeforeOthers() throws {
        let now = Locked(0)
        let tickets = try Tickets(Shared()) { now.withLock { $0 } }
        for number in 1...Tickets.holderMax { try Self.make(number, by: tickets) }
        #expect(try tickets.use(Self.text(1), target: Self.target) != nil)
        now.withLock { $0 = 61 }
        try Self.make(0, by: tickets)
        #expect(tickets.count == 2)
        #expect(try tickets.use(Self.text(1), target: Self.target) != nil)
    }

    @Test func removalsThatFailedAreTriedAgain() throws {
        let store = Shared()
        let tickets = try Tickets(store) { 0 }
        for number in 1...Tickets.holderMax { try Self.make(number, by: tickets) }
        store.fails.withLock { $0 = true }
        #expect(throws: BookStoreError.self) { try Self.make(0, by: tickets) }
        store.fails.withLock { $0 = false }
        try Self.make(2_000, by: tickets)
        #expect(store.rows.withLock { $0.count } == tickets.count)
    }

    @Test func ifAllAreTooManyThoseWithTheMostLoseTheirs() {
        var table = TicketTable()
        table.insert([0], Ticket(Self.caller("one"), target: [], made: 0))
        for number in 1..<Tickets.countMax {
            table.insert(
                Array("\(number)".utf8), Ticket(Self.caller("\(number % 200)"), target: [], made: 0))
        }
        #expect(table.count == Tickets.countMax)
        table.makeRoom(for: "new") { _ in false }
        #expect(table.count <= Tickets.countMax - Tickets.countMax / 16)
        #expect(table.count > Tickets.countMax / 4)
        #expect(table.find([0]) != nil)
        #expect(table.find(Array("\(Tickets.countMax - 1)".utf8)) != nil)
        #expect(table.takeRemovals().count + table.count == Tickets.countMax)
    }

    @Test func ifEachHasOneTheOldestGo() {
        var table = TicketTable()
        for number in 0..<Tickets.countMax {
            table.insert(Array("\(number)".utf8), Ticket(Self.caller("\(number)"), target: [], made: 0))
        }
        table.makeRoom(for: "new") { _ in false }
        #expect(table.count == Tickets.countMax - Tickets.countMax / 16)
        #expect(table.find(Array("0".utf8)) == nil)
        #expect(table.find(Array("\(Tickets.countMax - 1)".utf8)) != nil)
    }

    @Test func comesBackFromItsBytes() throws {
        let grant = try #require(Grant([.any], .read))
        let grants = try #require(Grants([grant]))
        let digest = [UInt8](repeating: 9, count: 32)
        for caller in [
            Self.caller("ci"), Caller(.foreign, "ada@https://a.example", expires: 50, digest, grants, .none),
        ] {
            let ticket = Ticket(caller, target: Self.target, made: 3)
            let back = try #require(Ticket(bytes: ticket.bytes))
            #expect(back.bytes == ticket.bytes)
            #expect((back.caller.kind, back.caller.actor) == (caller.kind, caller.actor))
            #expect(back.caller.expires == caller.expires)
            #expect(back.caller.rights(on: "a") == caller.rights(on: "a"))
            for count in 0..<ticket.bytes.count {
                #expect(Ticket(bytes: Array(ticket.bytes.prefix(count))) == nil)
            }
        }
    }
}
