internal import CPostgreSQL
internal import Glibc
internal import ListStore

/// One connection to the database. No other type calls libpq, but the one that reads the URL.
///
/// It blocks the calling thread until an answer has come, or nothing has come for as long as its silence may last.
///
/// - Safety: `@unchecked` is sound because a session has one owner at a time: a lock, or a thread of its own. So no two
///   threads are ever inside libpq with it.
final class Session: @unchecked Sendable {
    enum Failure: Error, Equatable {
        /// The connection is lost. Nobody knows whether a statement that was sent has been carried out.
        case lost(String)
        /// The server has refused a statement, which has changed nothing.
        case refused(state: String, String)
        /// The tables have this format, which another program has made.
        case otherFormat(Int)
    }

    /// A statement and its parameters.
    typealias Call = (statement: Statement, parameters: [Parameter])

    private let connection: OpaquePointer
    private let string: ConnectionString
    /// The milliseconds for which the server may say nothing.
    private let silence: Int32
    private let warnings: UnsafeMutablePointer<Int32>
    private var prepared: Set<String> = []
    /// Whether the connection can be used no more. The server is then told at once, even if somebody still has the session.
    private(set) var isLost = false {
        didSet { if isLost { shutdown(liststate_pq_socket(connection), Int32(SHUT_RDWR)) } }
    }
    /// The bytes of the longest statement or row. libpq keeps so much memory for as long as the connection lasts.
    private(set) var longest = 0
    /// Whether the answer to a statement that nobody waits for is still to come. The connection is in pipeline mode then.
    private var leavesAnswer = false
    /// The server that the session is on, once somebody has found out.
    var server: Cluster?
    /// The number of the advisory lock that the session has in the server until it ends there.
    let number: Int

    /// - Throws: `.lost` if there is no connection.
    init(_ string: ConnectionString, silence: Int32, number: Int) throws(Failure) {
        let opened = string.withPointers { liststate_pq_connect($0, $1) }
        guard let opened else { throw .lost("no memory for a connection") }
        guard liststate_pq_status(opened) == CONNECTION_OK else {
            let text = liststate_pq_error(opened).map { String(cString: $0) } ?? ""
            liststate_pq_finish(opened)
            throw .lost(string.redacted(text))
        }
        connection = opened
        self.string = string
        self.silence = silence
        self.number = number
        warnings = .allocate(capacity: 1)
        warnings.initialize(to: 0)
        liststate_pq_count_warnings(opened, warnings)
    }

    deinit {
        liststate_pq_finish(connection)
        warnings.deallocate()
    }

    /// Whether the server has not closed the connection while nobody looked.
    var isAlive: Bool {
        var descriptor = pollfd(fd: liststate_pq_socket(connection), events: Int16(POLLIN), revents: 0)
        // A server that ends a session says why, and then closes the connection.
        while !isLost, poll(&descriptor, 1, 0) != 0 {
            isLost = liststate_pq_consume_input(connection) == 0
        }
        return !isLost
    }

    /// Runs a statement, and returns all of its rows.
    @discardableResult
    func run(_ statement: Statement, _ parameters: [Parameter] = []) throws(Failure) -> [[Cell]] {
        try send(statement, parameters)
        return try rows()
    }

    /// The rows of a statement that was sent.
    private func rows() throws(Failure) -> [[Cell]] {
        var rows: [[Cell]] = []
        try forEachResult { result in
            for row in 0..<liststate_pq_rows(result) { rows.append(cells(result, row)) }
        }
        return rows
    }

    /// Runs a statement, and hands its rows over one by one, as they come.
    ///
    /// - Throws: `Failure`, or the error of `body`, which is not called again then.
    func forEachRow(_ statement: Statement, _ parameters: [Parameter], _ body: ([Cell]) throws -> Void) throws {
        try send(statement, parameters)
        _ = liststate_pq_set_single_row_mode(connection)
        var failure: (any Error)?
        try forEachResult { result in
            guard failure == nil else { return }
            do {
                for row in 0..<liststate_pq_rows(result) { try body(cells(result, row)) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Runs statements one after the other, but sends all of them at once, so that they take one way to the server and back.
    /// Each of them sees what those before it have done, and what others have committed until it begins.
    ///
    /// Warnings count as the loss of the connection, as in `runDurably`.
    ///
    /// - Parameter last: A statement that runs behind them, in a transaction of its own. Nobody waits for its end, or
    ///   hears of its errors.
    /// - Returns: The rows of each.
    /// - Throws: The first error. The statements behind it have not run, but `last` may have.
    func runTogether(_ calls: [Call], leaving last: Call? = nil) throws(Failure) -> [[[Cell]]] {
        for call in calls { try prepare(call) }
        if let last { try prepare(last) }
        try takeLeftAnswer()
        warnings.pointee = 0
        guard liststate_pq_enter_pipeline(connection) != 0 else { throw lose() }
        for call in calls { try sendPrepared(call) }
        guard liststate_pq_sync_pipeline(connection) != 0 else { throw lose() }
        if let last {
            try sendPrepared(last)
            guard liststate_pq_sync_pipeline(connection) != 0 else { throw lose() }
        }
        let answers = try answersUntilSync(calls.count)
        if last != nil {
            leavesAnswer = true
        } else {
            guard liststate_pq_exit_pipeline(connection) != 0 else { throw lose() }
        }
        try requireNoWarning()
        return try answers.get()
    }

    /// Takes the answer to the last statement that nobody has waited for, if there is one.
    private func takeLeftAnswer() throws(Failure) {
        guard leavesAnswer else { return }
        _ = try answersUntilSync(1)
        guard liststate_pq_exit_pipeline(connection) != 0 else { throw lose() }
        leavesAnswer = false
    }

    /// Runs statements of our own that have no parameters, as one transaction.
    func runScript(_ text: String) throws(Failure) {
        try takeLeftAnswer()
        guard liststate_pq_send_query(connection, text) != 0 else { throw lose() }
        try forEachResult { _ in }
    }

    /// Runs a statement, and takes warnings as the loss of the connection.
    ///
    /// A commit whose wait for the standby was cancelled succeeds with a warning, although the standby may not have it.
    func runDurably(_ statement: Statement, _ parameters: [Parameter]) throws(Failure) -> [[Cell]] {
        try sendDurably(statement, parameters)
        return try durableRows()
    }

    /// Sends a statement, and does not wait for its answer. Nothing else may be run before `durableRows()`.
    func sendDurably(_ statement: Statement, _ parameters: [Parameter]) throws(Failure) {
        try takeLeftAnswer()
        warnings.pointee = 0
        try send(statement, parameters)
    }

    /// The rows of a statement that was sent by `sendDurably`.
    func durableRows() throws(Failure) -> [[Cell]] {
        let rows = try rows()
        try requireNoWarning()
        return rows
    }

    private func requireNoWarning() throws(Failure) {
        guard warnings.pointee == 0 else {
            isLost = true
            throw .lost("the wait for the standby was cancelled")
        }
    }

    /// Waits for notifications.
    ///
    /// - Parameters:
    ///   - wake: A descriptor that ends the wait when it can be read.
    ///   - milliseconds: The time after which the wait ends.
    /// - Returns: The payloads of all that have come.
    func notifications(orUntil wake: Int32, milliseconds: Int32) throws(Failure) -> [[UInt8]] {
        var descriptors = [
            pollfd(fd: liststate_pq_socket(connection), events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&descriptors, 2, milliseconds) > 0, descriptors[0].revents != 0,
            liststate_pq_consume_input(connection) == 0
        {
            throw lose()
        }
        var payloads: [[UInt8]] = []
        while let notification = liststate_pq_notifies(connection) {
            if let payload = notification.pointee.extra { payloads.append(Array(String(cString: payload).utf8)) }
            liststate_pq_free(notification)
        }
        return payloads
    }

    // MARK: Sending and waiting

    private func send(_ statement: Statement, _ parameters: [Parameter]) throws(Failure) {
        try prepare((statement, parameters))
        try takeLeftAnswer()
        try sendPrepared((statement, parameters))
    }

    private func prepare(_ call: Call) throws(Failure) {
        guard !prepared.contains(call.statement.name) else { return }
        try takeLeftAnswer()
        let types = call.parameters.map(\.kind.rawValue)
        let isSent = liststate_pq_send_prepare(
            connection, call.statement.name, call.statement.sql, Int32(types.count), types)
        guard isSent != 0 else { throw lose() }
        try forEachResult { _ in }
        prepared.insert(call.statement.name)
    }

    private func sendPrepared(_ call: Call) throws(Failure) {
        longest = max(longest, call.parameters.reduce(0) { $0 + $1.bytes.count })
        let lengths = call.parameters.map { Int32($0.bytes.count) }
        let isSent = Self.withPointers(call.parameters[...], []) { values in
            liststate_pq_send_prepared(connection, call.statement.name, Int32(lengths.count), values, lengths)
        }
        guard isSent != 0 else { throw lose() }
    }

    private static func withPointers(
        _ parameters: ArraySlice<Parameter>, _ before: [UnsafePointer<CChar>?],
        _ body: ([UnsafePointer<CChar>?]) -> Int32
    ) -> Int32 {
        guard let first = parameters.first else { return body(before) }
        return first.bytes.withUnsafeBytes { bytes in
            // A value without bytes must have an address as well, or else it would be NULL.
            withUnsafePointer(to: CChar(0)) { empty in
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? empty
                return withPointers(parameters.dropFirst(), before + [start], body)
            }
        }
    }

    /// Hands the results of what was sent over, and waits until there are no more.
    ///
    /// - Throws: The first error among them.
    private func forEachResult(_ body: (OpaquePointer) -> Void) throws(Failure) {
        var failure: Failure?
        while true {
            try requireAnswer()
            guard let result = liststate_pq_get_result(connection) else { break }
            defer { liststate_pq_clear(result) }
            switch liststate_pq_result_status(result) {
            case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: body(result)
            default: failure = failure ?? self.failure(of: result)
            }
        }
        if case .lost? = failure { isLost = true }
        if let failure { throw failure }
    }

    /// The rows of statements that were sent together, or the first error among them.
    ///
    /// - Throws: `.lost`.
    private func answersUntilSync(_ count: Int) throws(Failure) -> Result<[[[Cell]]], Failure> {
        var answers: [[[Cell]]] = Array(repeating: [], count: count)
        var failure: Failure?
        var index = 0
        while true {
            try requireAnswer()
            // The results of a statement end with none.
            guard let result = liststate_pq_get_result(connection) else {
                index += 1
                guard index <= count else { throw lose() }
                continue
            }
            defer { liststate_pq_clear(result) }
            switch liststate_pq_result_status(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                for row in 0..<liststate_pq_rows(result) where index < count {
                    answers[index].append(cells(result, row))
                }
            case PGRES_PIPELINE_SYNC: return failure.map { .failure($0) } ?? .success(answers)
            // A statement before this one has failed.
            case PGRES_PIPELINE_ABORTED: break
            default:
                failure = failure ?? self.failure(of: result)
                guard case .lost? = failure, let failure else { break }
                isLost = true
                throw failure
            }
        }
    }

    private func requireAnswer() throws(Failure) {
        guard try isAnswered(within: silence) else { throw lose("the server said nothing for \(silence / 1000) s") }
    }

    private func failure(of result: OpaquePointer) -> Failure {
        let field = { (code: Character) in
            liststate_pq_error_field(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let text = string.redacted(field("M") ?? "")
        // Without a state the error is one of the connection. A fatal one ends it, and so does a server that shuts down
        // or may only be read.
        guard let state = field("C"), field("V") == "ERROR", liststate_pq_status(connection) == CONNECTION_OK,
            !["08", "57P"].contains(where: state.hasPrefix), state != "25006"
        else { return .lost(text.isEmpty ? errorText : text) }
        return .refused(state: state, "\(text) (\(state))")
    }

    /// Waits for an answer to what was sent. Returns whether one is there.
    ///
    /// - Parameter milliseconds: The time for which the server may say nothing.
    func isAnswered(within milliseconds: Int32) throws(Failure) -> Bool {
        while true {
            let unsent = liststate_pq_flush(connection)
            guard unsent >= 0 else { throw lose() }
            if unsent == 0, liststate_pq_is_busy(connection) == 0 { return true }
            var descriptor = pollfd(
                fd: liststate_pq_socket(connection), events: Int16(unsent > 0 ? POLLIN | POLLOUT : POLLIN), revents: 0)
            let count = poll(&descriptor, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            guard Int32(descriptor.revents) & ~POLLOUT != 0 else { continue }
            guard liststate_pq_consume_input(connection) != 0 else { throw lose() }
        }
    }

    private func lose(_ text: String? = nil) -> Failure {
        isLost = true
        return .lost(text ?? errorText)
    }

    private var errorText: String {
        string.redacted(liststate_pq_error(connection).map { String(cString: $0) } ?? "")
    }

    private func cells(_ result: OpaquePointer, _ row: Int32) -> [Cell] {
        (0..<liststate_pq_columns(result)).map { column in
            guard liststate_pq_is_null(result, row, column) == 0, let start = liststate_pq_value(result, row, column)
            else { return .null }
            let count = Int(liststate_pq_length(result, row, column))
            longest = max(longest, count)
            let value = UnsafeRawBufferPointer(start: start, count: count)
            return Cell(value, ofType: liststate_pq_type(result, column))
        }
    }
}
