/// Keeps the bytes of tickets under their keys, for any number of servers.
public protocol TicketStore: Sendable {
    /// Whether other servers may write tickets.
    var isShared: Bool { get }

    /// The tickets after a key, in the order of their keys, at most `limit`.
    ///
    /// - Throws: `BookStoreError`.
    func page(after key: [UInt8]?, limit: Int) throws(BookStoreError) -> [(key: [UInt8], value: [UInt8])]

    /// The bytes of one ticket; nil if there is none.
    ///
    /// - Throws: `BookStoreError`.
    func read(_ key: [UInt8]) throws(BookStoreError) -> [UInt8]?

    /// Writes tickets durably. Nil removes one.
    ///
    /// - Throws: `BookStoreError`. Then nobody knows which were written.
    func write(_ values: [(key: [UInt8], value: [UInt8]?)]) throws(BookStoreError)

    /// Replaces a ticket durably if it is still `old`.
    ///
    /// - Returns: False if it was another one, or there was none. It is as it was then.
    /// - Throws: `BookStoreError`. Then the ticket may have been replaced or not.
    func replace(_ key: [UInt8], _ old: [UInt8], by new: [UInt8]) throws(BookStoreError) -> Bool
}

/// A ticket store that keeps nothing: the tickets end with the process.
public struct TicketsOfProcess: TicketStore {
    public init() {}

    public var isShared: Bool { false }
    public func page(after key: [UInt8]?, limit: Int) -> [(key: [UInt8], value: [UInt8])] { [] }
    public func read(_ key: [UInt8]) -> [UInt8]? { nil }
    public func write(_ values: [(key: [UInt8], value: [UInt8]?)]) {}
    public func replace(_ key: [UInt8], _ old: [UInt8], by new: [UInt8]) -> Bool { true }
}
