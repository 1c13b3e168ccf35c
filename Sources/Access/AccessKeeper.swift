public import Synchronization
internal import Threads

/// Knows the access book of a server, changes it, and learns when somebody else has changed it.
///
/// A thread looks at the clock each `pollMilliseconds`, so that whoever follows lists is asked again at most that long
/// after a token has ended. Another one looks at the storage if other servers write to it, which may take long.
public final class AccessKeeper: Sendable {
    public static let pollMilliseconds = 250

    private struct State: Sendable {
        var open: OpenBook
        /// The bytes of the book as they are stored; nil if there is no book.
        var stored: [UInt8]?
        /// The next second at which a token ends; nil if none does.
        var nextEnd: Int?
        var isStopping = false
        /// The number of threads that run.
        var threads = 0
        /// Whether the last look at the storage has told what is there.
        var isWell = true
    }

    private let store: any BookStore
    private let clock: @Sendable () -> Int
    /// It is called, on any thread, after somebody may have lost a right.
    private let noteChange: @Sendable () -> Void
    private let isClosed: Bool
    /// The ends of the rights of callers that are not in the book, each with the number of those who wait for it.
    private let ends = Locked<[Int: Int]>([:])
    private let state: Locked<State>
    /// How often another book was taken over. It grows with the lock of `state`.
    @usableFromInline let changes = Atomic<Int>(0)
    /// One thread at a time reads or replaces the stored book. Otherwise one that had read it before a change could take
    /// the older book over after it.
    private let turns = Lock()

    /// Reads the book.
    ///
    /// - Parameters:
    ///   - isClosed: As in `OpenBook`.
    ///   - clock: Seconds since 1970.
    ///   - noteChange: See above. It must return at once.
    /// - Throws: `AccessError.unreadable`, or `BookStoreError`.
    public init(
        _ store: any BookStore, isClosed: Bool, clock: @escaping @Sendable () -> Int,
        noteChange: @escaping @Sendable () -> Void
    ) throws {
        self.store = store
        self.isClosed = isClosed
        self.clock = clock
        self.noteChange = noteChange
        let stored = try store.read()
        let book = try stored.map { bytes throws(AccessError) in try AccessBook(bytes: bytes) } ?? AccessBook()
        state = Locked(
            State(open: OpenBook(book, isClosed: isClosed), stored: stored, nextEnd: book.nextEnd(after: clock())))
    }

    /// The book as this server knows it.
    public var current: OpenBook { state.withLock { $0.open } }

    /// The same, with its number.
    public var numbered: (book: OpenBook, number: Int) {
        state.withLock { ($0.open, changes.load(ordering: .relaxed)) }
    }

    /// The number of the current book. It costs no lock, so each request can ask whether the book is still the one that it
    /// knows.
    @inlinable
    public var number: Int { changes.load(ordering: .acquiring) }

    /// Changes the book durably. If another server is quicker, `change` runs again on the book of that one.
    ///
    /// It blocks, so it is no work for a loop.
    ///
    /// - Throws: The error of `change`, `AccessError`, or `BookStoreError`; nothing has changed then, but for
    ///   `BookStoreError`, after which the next look tells.
    public func change<Result>(_ change: (inout AccessBook) throws(AccessError) -> Result) throws -> Result {
        turns.lock()
        defer { turns.unlock() }
        for _ in 0..<Self.triesMax {
            let (open, stored) = state.withLock { ($0.open, $0.stored) }
            var book = open.book
            let result = try change(&book)
            let bytes = try book.bytes()
            if try store.replace(stored, by: bytes) {
                take(book, bytes)
                return result
            }
            try lookInTurn()
        }
        throw BookStoreError(cause: "others change the tokens all the time")
    }

    private static let triesMax = 100

    /// Takes the book over that the storage has, if that is another one.
    ///
    /// - Throws: As `init`. The known book stays then.
    public func look() throws {
        turns.lock()
        defer { turns.unlock() }
        try lookInTurn()
    }

    private func lookInTurn() throws {
        let (stored, known) = (try store.read(), state.withLock { $0.stored })
        guard stored != known else { return }
        // A book never goes. Without this, whatever removes it would let everybody in.
        guard stored != nil else { throw AccessError.unreadable }
        take(try stored.map { bytes throws(AccessError) in try AccessBook(bytes: bytes) } ?? AccessBook(), stored)
    }

    private func take(_ book: AccessBook, _ bytes: [UInt8]?) {
        let (open, end) = (OpenBook(book, isClosed: isClosed), book.nextEnd(after: clock()))
        state.change { state in
            (state.open, state.stored, state.nextEnd) = (open, bytes, end)
            changes.wrappingAdd(1, ordering: .releasing)
        }
        noteChange()
    }

    /// Tells of this end when it has come, besides the ends of tokens in the book.
    public func watch(end: Int) { ends.withLock { $0[end, default: 0] += 1 } }

    /// Somebody waits no more for this end.
    public func unwatch(end: Int) {
        ends.withLock { ends in
            guard let count = ends[end] else { return }
            ends[end] = count > 1 ? count - 1 : nil
        }
    }

    // MARK: The threads

    /// Starts the threads.
    ///
    /// - Parameter complain: It is called when the storage begins not to answer, or has a book that cannot be read, and
    ///   not again before it has answered.
    /// - Throws: `ThreadError`.
    public func start(complain: @escaping @Sendable (any Error) -> Void) throws {
        try eachTurn { $0.noteEnds() }
        if store.isShared { try eachTurn { $0.look(complain) } }
    }

    /// Starts a thread.
    private func eachTurn(_ body: @escaping @Sendable (AccessKeeper) -> Void) throws {
        state.withLock { $0.threads += 1 }
        do {
            try Thread { [weak self, state] in
                while Self.waitForTurn(state) {
                    guard let self else { break }
                    body(self)
                }
                state.change { $0.threads -= 1 }
            }.detach()
        } catch {
            state.withLock { $0.threads -= 1 }
            throw error
        }
    }

    private func look(_ complain: (any Error) -> Void) {
        do {
            try look()
            state.withLock { $0.isWell = true }
        } catch {
            let isNews = state.withLock { state in
                defer { state.isWell = false }
                return state.isWell
            }
            if isNews { complain(error) }
        }
    }

    /// Ends the threads and waits for them.
    public func stop() {
        state.change { $0.isStopping = true }
        state.wait(until: { $0.threads == 0 }) { _ in }
    }

    deinit { state.change { $0.isStopping = true } }

    private static func waitForTurn(_ state: Locked<State>) -> Bool {
        state.wait(until: { $0.isStopping }, milliseconds: pollMilliseconds) { !$0.isStopping }
    }

    /// Tells of tokens that have ended.
    private func noteEnds() {
        let now = clock()
        let hasTokenEnded = state.withLock { state in
            guard let end = state.nextEnd, end <= now else { return false }
            state.nextEnd = state.open.book.nextEnd(after: now)
            return true
        }
        let hasOtherEnded = ends.withLock { ends in
            let before = ends.count
            ends = ends.filter { $0.key > now }
            return ends.count < before
        }
        if hasTokenEnded || hasOtherEnded { noteChange() }
    }
}

extension AccessBook {
    /// The first second after `time` at which a token ends; nil if none does.
    fileprivate func nextEnd(after time: Int) -> Int? {
        tokens.values.compactMap(\.expires).filter { $0 > time }.min()
    }
}
