public import Threads

/// The place from which an issuer's keys come, and the newest keys from there.
///
/// A thread of its own looks for new keys. If a look fails, the last good keys stay.
public final class KeySource: Sendable {
    /// A place, as the command line names it.
    public enum Place: Sendable {
        case file(String)
        /// An http or https URL.
        case url(String)
    }

    /// The result of a look for new keys.
    public enum Found: Sendable, Equatable {
        /// The number of new keys. It is 0 if the issuer has none any more, and then no token is right.
        case newKeys(Int)
        /// The document has not changed.
        case nothingNew
    }

    /// The least time between a look and one that was asked for, and between a failed look and the next.
    public static let pauseSeconds = 30
    /// The longest time for one document.
    private static let deadlineMilliseconds = 5_000

    private struct State {
        var keys = WebKeys()
        /// How often the keys were replaced.
        var number = 0
        /// The document with the keys.
        var document: [UInt8] = []
        /// The time at which the last look began, by the clock; nil if there was none.
        var lookedAt: Int?
        var hasFailed = false
        var isAsked = false
        var isStopping = false
        var thread: Thread?

        /// Whether the keys are those of this document. If they are, the last look has not failed.
        mutating func has(_ document: [UInt8]) -> Bool {
            guard number > 0, self.document == document else { return false }
            hasFailed = false
            return true
        }

        mutating func replace(by keys: WebKeys, of document: [UInt8]) {
            (self.keys, self.document, hasFailed) = (keys, document, false)
            number += 1
        }
    }

    private let place: Place
    private let everySeconds: Int
    private let clock: @Sendable () -> Int
    private let report: @Sendable (Result<Found, KeySourceError>) -> Void
    private let fetcher: KeyFetcher?
    private let state = Locked(State())
    /// It lets one look be made at a time.
    private let looking = Lock()

    /// Makes a source without keys. It does not look yet.
    ///
    /// - Parameters:
    ///   - everySeconds: The time between two looks.
    ///   - clock: Gives a time in seconds that never goes back.
    ///   - report: Hears what each look of the thread has found, on that thread.
    public init(
        _ place: Place, everySeconds: Int, clock: @escaping @Sendable () -> Int,
        report: @escaping @Sendable (Result<Found, KeySourceError>) -> Void
    ) {
        self.place = place
        self.everySeconds = everySeconds
        self.clock = clock
        self.report = report
        fetcher = KeyFetcher()
    }

    /// The newest keys, and how often they were replaced.
    public var current: (keys: WebKeys, number: Int) { state.withLock { ($0.keys, $0.number) } }

    /// How often the keys were replaced.
    public var number: Int { state.withLock { $0.number } }

    /// Looks now. It blocks for up to five seconds, so no loop may call it.
    ///
    /// - Throws: The reason why there are no new keys. The last good ones stay.
    public func look() throws(KeySourceError) -> Found {
        looking.lock()
        defer { looking.unlock() }
        let now = clock()
        state.withLock { ($0.lookedAt, $0.isAsked, $0.hasFailed) = (now, false, true) }
        let document = try read()
        guard !state.withLock({ $0.has(document) }) else { return .nothingNew }
        let keys: WebKeys
        do throws(WebKeysError) { keys = try WebKeys(parsing: document) } catch { throw .keys(error) }
        state.withLock { $0.replace(by: keys, of: document) }
        return .newKeys(keys.count)
    }

    /// Asks the thread to look soon, because a key was not found. It does so at most every `pauseSeconds`.
    ///
    /// It never blocks.
    ///
    /// - Returns: False if the question comes too early. It is then forgotten.
    @discardableResult
    public func ask() -> Bool {
        let now = clock()
        let (isTaken, isNew) = state.withLock { state in
            if let lookedAt = state.lookedAt, now < lookedAt + Self.pauseSeconds { return (false, false) }
            defer { state.isAsked = true }
            return (true, !state.isAsked)
        }
        if isNew { state.wakeAll() }
        return isTaken
    }

    /// Starts the thread. `stop()` must be called in the end.
    public func start() throws(ThreadError) {
        let thread = try Thread { [self] in run() }
        state.withLock { $0.thread = thread }
    }

    /// Ends the thread, and waits for it. That takes at most about a second.
    public func stop() {
        fetcher?.stop()
        let thread = state.change { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    private func read() throws(KeySourceError) -> [UInt8] {
        switch place {
        case .file(let path): return try KeyFile.read(path)
        case .url(let url):
            guard let fetcher else { throw .noLibrary }
            return try fetcher.get(url, deadlineMilliseconds: Self.deadlineMilliseconds)
        }
    }

    private func run() {
        while isToLook() {
            do throws(KeySourceError) {
                report(.success(try look()))
            } catch {
                report(.failure(error))
            }
        }
    }

    /// Waits for the time of the next look.
    ///
    /// - Returns: False if the thread is to end.
    private func isToLook() -> Bool {
        let hasFailed = state.withLock { $0.hasFailed }
        let seconds = hasFailed ? min(everySeconds, Self.pauseSeconds) : everySeconds
        return state.wait(until: { $0.isAsked || $0.isStopping }, milliseconds: 1_000 * max(seconds, 1)) { state in
            !state.isStopping
        }
    }
}
