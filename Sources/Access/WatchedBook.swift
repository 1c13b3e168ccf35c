internal import Threads

/// Another book store, of which it knows how long it has had no book that can be read.
public final class WatchedBook: BookStore {
    private struct State: Sendable {
        /// The second at which the first read began that has not led to a book; nil if the last one has.
        var unreadSince: Int?
        /// The bytes that were read last, and whether they make a book.
        var last: (bytes: [UInt8]?, isBook: Bool) = (nil, true)
    }

    private let store: any BookStore
    /// Seconds since 1970.
    private let clock: @Sendable () -> Int
    private let state = Locked(State())

    public init(_ store: any BookStore, clock: @escaping @Sendable () -> Int) {
        self.store = store
        self.clock = clock
    }

    public var isShared: Bool { store.isShared }

    /// For how many seconds the book could not be read; nil if the last read has led to one.
    public var unreadSeconds: Int? { state.withLock { $0.unreadSince }.map { max(0, clock() - $0) } }

    /// Reads as the other store. A read that does not end is as one that fails.
    public func read() throws(BookStoreError) -> [UInt8]? {
        let now = clock()
        state.withLock { $0.unreadSince = $0.unreadSince ?? now }
        let bytes = try store.read()
        let last = state.withLock { $0.last }
        let isBook = last.bytes == bytes ? last.isBook : bytes.map { (try? AccessBook(bytes: $0)) != nil } ?? true
        state.withLock { state in
            state.last = (bytes, isBook)
            if isBook { state.unreadSince = nil }
        }
        return bytes
    }

    public func replace(_ old: [UInt8]?, by new: [UInt8]) throws(BookStoreError) -> Bool {
        try store.replace(old, by: new)
    }
}
