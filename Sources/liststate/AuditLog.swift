import Access
import Glibc
import JSONValue
import Texts
import Threads

/// Keeps who was given rights, who lost them and who was refused, as lines of JSON in a file.
///
/// A thread of its own writes them. While the file takes none, because the disk is full, up to 1 MiB of lines waits in
/// memory, and others are lost and counted. No request waits for the file.
final class AuditLog: Sendable {
    /// The most refused requests in a second that have lines of their own. Otherwise whoever is refused again and again
    /// would push all other lines out of the files. The others are counted.
    static let refusalsPerSecondMax = 20
    private static let bytesMax = 1 << 20
    /// The time between two attempts at a file that takes no lines.
    private static let pauseMilliseconds = 1_000

    /// What the log of the server is told.
    enum News: Sendable {
        /// The file takes no lines, with the error number of the system.
        case stuck(Int32)
        case goesOn

        var sentence: String {
            switch self {
            case .stuck(let number): "The audit log takes no lines: \(String(cString: strerror(number)))."
            case .goesOn: "The audit log takes lines again."
            }
        }
    }

    private struct State: Sendable {
        var bytes: [UInt8] = []
        /// Whether a change of rights is among the lines, so that the disk shall have them.
        var hasChange = false
        var lostCount = 0
        /// The second, since 1970, in which the last event came, and the requests that were refused in it.
        var second = 0
        var refusedCount = 0
        var wantsReopening = false
        /// Whether lines that were taken are not in the file yet.
        var isWriting = false

        /// The requests of this second that have no line.
        var refusedMore: Int { max(0, refusedCount - AuditLog.refusalsPerSecondMax) }

        /// Begins another second, and says how many requests of the one before have no line.
        mutating func begin(second now: Int) {
            guard now != second else { return }
            if refusedMore > 0 {
                let members: [JSONObject.Member] = [("event", "refusedMore"), ("count", .integer(refusedMore))]
                add(AuditLog.line(members, at: UInt64(second) * 1_000), isChange: false)
            }
            (second, refusedCount) = (now, 0)
        }

        /// Half of the room is only for changes of rights.
        mutating func add(_ line: [UInt8], isChange: Bool) {
            if bytes.count + line.count <= (isChange ? AuditLog.bytesMax : AuditLog.bytesMax / 2) {
                bytes += line
            } else {
                lostCount += 1
            }
        }

        /// The lines, which somebody writes from now on.
        mutating func take(at milliseconds: UInt64) -> Turn {
            begin(second: Int(milliseconds / 1_000))
            if lostCount > 0 {
                bytes += AuditLog.line([("event", "lost"), ("count", .integer(lostCount))], at: milliseconds)
            }
            let turn = Turn(lines: bytes, isDurable: hasChange, wantsReopening: wantsReopening)
            (bytes, hasChange, lostCount, wantsReopening, isWriting) = ([], false, 0, false, true)
            return turn
        }

        mutating func takeReopening() -> Bool {
            defer { wantsReopening = false }
            return wantsReopening
        }
    }

    private struct Turn: Sendable {
        let lines: [UInt8]
        let isDurable: Bool
        let wantsReopening: Bool
    }

    private let state = Locked(State())
    private let clock: @Sendable () -> UInt64

    /// Opens the file and starts the thread.
    ///
    /// - Parameters:
    ///   - clock: Milliseconds since 1970.
    ///   - report: It is called when the file begins to take no lines, and when it takes them again.
    /// - Throws: `.failed` if the file cannot be opened. A full disk is no reason, because the server goes on then.
    init(
        _ path: String, clock: @escaping @Sendable () -> UInt64, report: @escaping @Sendable (News) -> Void
    ) throws(Failure) {
        self.clock = clock
        var file = AuditFile(path, bytesMax: AuditFile.bytesMax)
        let error = file.open()
        guard [0, ENOSPC, EDQUOT].contains(error) else {
            throw .failed("The audit log \(path) cannot be opened: \(String(cString: strerror(error))).", 73)
        }
        do throws(ThreadError) {
            try Thread { [state, file] in Self.write(state, file, clock, report) }.detach()
        } catch {
            throw .failed("No thread could be started: error \(error.code).", 75)
        }
    }

    /// The file of a folder that nobody has said another one for.
    static func path(in folder: String) -> String { "\(folder)/audit.log" }

    /// Adds the line of an event. Waits for nobody.
    func note(_ event: AccessEvent, by actor: ByteText) {
        let now = clock()
        let isNews = state.withLock { state in
            state.begin(second: Int(now / 1_000))
            if !event.isChange {
                state.refusedCount += 1
                // The thread is woken by the first one that is only counted, so that it tells their number.
                guard state.refusedCount <= Self.refusalsPerSecondMax else { return state.refusedMore == 1 }
            }
            state.add(Self.line(event, by: actor, at: now), isChange: event.isChange)
            state.hasChange = state.hasChange || event.isChange
            return true
        }
        if isNews { state.wakeAll() }
    }

    /// The next lines go to a file that is opened anew.
    func reopen() { state.change { $0.wantsReopening = true } }

    /// Waits until all lines are written, but not longer than some seconds.
    func flush(seconds: Int) {
        state.change { $0.begin(second: .max) }
        state.wait(until: { $0.bytes.isEmpty && !$0.isWriting }, seconds: seconds) { _ in }
    }

    /// Writes the line of an event by itself, where no server does.
    ///
    /// - Returns: A sentence if the file has no line of it; nil if it has.
    static func write(_ event: AccessEvent, by actor: ByteText, to path: String) -> String? {
        var file = AuditFile(path, bytesMax: AuditFile.bytesMax)
        defer { file.close() }
        let (rest, error) = file.append(line(event, by: actor, at: currentMilliseconds()), isDurable: true)
        guard !rest.isEmpty else { return nil }
        return "The audit log \(path) has no line of this: \(String(cString: strerror(error)))."
    }

    /// The line of an event, with its end.
    static func line(_ event: AccessEvent, by actor: ByteText, at milliseconds: UInt64) -> [UInt8] {
        line(event.members { timestamp(UInt64(max(0, $0)) * 1_000) } + [("actor", .string(actor))], at: milliseconds)
    }

    fileprivate static func line(_ members: [JSONObject.Member], at milliseconds: UInt64) -> [UInt8] {
        let time: JSONObject.Member = ("time", .string(timestamp(milliseconds)))
        return JSONValue.object(JSONObject([time] + members)).bytes + [UInt8(ascii: "\n")]
    }

    // MARK: The thread

    private static func write(
        _ state: Locked<State>, _ opened: AuditFile, _ clock: @Sendable () -> UInt64, _ report: @Sendable (News) -> Void
    ) {
        var file = opened
        var (rest, isDurable, isStuck) = ([UInt8](), false, false)
        while true {
            let wantsReopening: Bool
            if isStuck {
                wantsReopening = state.wait(until: \.wantsReopening, milliseconds: pauseMilliseconds) {
                    $0.takeReopening()
                }
            } else {
                let turn = nextTurn(state, clock)
                (rest, isDurable, wantsReopening) = (turn.lines, turn.isDurable, turn.wantsReopening)
            }
            if wantsReopening { file.close() }
            let error: Int32
            (rest, error) = file.append(rest, isDurable: isDurable)
            if isStuck == rest.isEmpty { report(isStuck ? .goesOn : .stuck(error)) }
            isStuck = !rest.isEmpty
            if !isStuck { state.change { $0.isWriting = false } }
        }
    }

    /// Waits for lines, and takes them.
    private static func nextTurn(_ state: Locked<State>, _ clock: @Sendable () -> UInt64) -> Turn {
        let isNews: (State) -> Bool = { !$0.bytes.isEmpty || $0.wantsReopening }
        // Their number is told when the second is over.
        guard state.withLock({ $0.refusedMore > 0 }) else {
            return state.wait(until: { isNews($0) || $0.refusedMore > 0 }) { $0.take(at: clock()) }
        }
        return state.wait(until: isNews, milliseconds: pauseMilliseconds) { $0.take(at: clock()) }
    }
}

/// A time as RFC 3339 writes it, in UTC: `2026-01-31T12:00:00.250Z`.
func timestamp(_ milliseconds: UInt64) -> ByteText {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(parts.tm_year + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let rest = String(1_000 + milliseconds % 1_000).dropFirst()
    return ByteText("\(date)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(rest)Z")
}
