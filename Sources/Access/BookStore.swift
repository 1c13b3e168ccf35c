internal import Threads

/// Keeps the bytes of the one access book, for any number of servers.
public protocol BookStore: Sendable {
    /// Whether other servers may replace the book.
    var isShared: Bool { get }

    /// The bytes of the book; nil if there is none.
    ///
    /// - Throws: `BookStoreError`, and the caller goes on with the book that it knows.
    func read() throws(BookStoreError) -> [UInt8]?

    /// Replaces the book durably if it is still `old`.
    ///
    /// - Parameter old: Nil if there must be none.
    /// - Returns: False if the book was another one. It is as it was then.
    /// - Throws: `BookStoreError`. Then the book may have been replaced or not.
    func replace(_ old: [UInt8]?, by new: [UInt8]) throws(BookStoreError) -> Bool
}

/// The storage of the access book does not answer.
public struct BookStoreError: Error, Sendable {
    /// The cause, for the log.
    public let cause: String
    /// Whether there was no room for a change, and nothing has changed.
    public let isFull: Bool

    public init(cause: String, isFull: Bool = false) {
        self.cause = cause
        self.isFull = isFull
    }
}

/// A book store in memory, which ends with the process.
public final class BookInMemory: BookStore {
    private let bytes = Locked<[UInt8]?>(nil)

    public init() {}

    public var isShared: Bool { false }
    public func read() throws(BookStoreError) -> [UInt8]? { bytes.withLock { $0 } }

    public func replace(_ old: [UInt8]?, by new: [UInt8]) throws(BookStoreError) -> Bool {
        bytes.withLock { bytes in
            guard bytes == old else { return false }
            bytes = new
            return true
        }
    }
}
