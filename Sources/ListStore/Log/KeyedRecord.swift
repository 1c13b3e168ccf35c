/// A record that a journal keeps under a key. It is replaced as a whole, and no list depends on it.
public struct KeyedRecord: Sendable, Equatable {
    /// The use of a record. The journal does not know the kinds.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// A number from 0 to 255.
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let subscription = Kind(rawValue: 1)
        /// The access book.
        public static let access = Kind(rawValue: 2)
        /// The tickets of streams.
        public static let ticket = Kind(rawValue: 3)
        /// The sequences of clients. They say which writes the lists have.
        public static let sequence = Kind(rawValue: 4)

        /// Whether records say what the log has. If entries are lost they are worse than none.
        public var tellsOfLog: Bool { self == .sequence }
    }

    /// The name of a record, which no other record has.
    public struct Key: Sendable, Hashable {
        public var kind: Kind
        public var bytes: [UInt8]

        public init(_ kind: Kind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }
    }

    public struct Content: Sendable, Equatable {
        /// The time of the last use that was noted, in seconds since 1970; 0 if uses are not noted.
        public var used: Int
        /// The journal does not read it.
        public var value: [UInt8]

        public init(used: Int, value: [UInt8]) { (self.used, self.value) = (used, value) }
    }

    public var key: Key
    public var content: Content

    public init(_ key: Key, _ content: Content) { (self.key, self.content) = (key, content) }

    /// The most bytes of a key, and of a value.
    public static let keyBytesMax = 256
    public static let valueBytesMax = 1 << 20
}

/// A write of one keyed record.
public struct RecordWrite: Sendable, Equatable {
    /// The condition under which the record is written.
    public enum Condition: Sendable, Equatable {
        case unconditional
        /// The record has this content; nil says that it is not there.
        case isStill(KeyedRecord.Content?)
    }

    public var key: KeyedRecord.Key
    public var condition: Condition
    /// The new content; nil removes the record.
    public var content: KeyedRecord.Content?

    public init(_ key: KeyedRecord.Key, _ condition: Condition, _ content: KeyedRecord.Content?) {
        (self.key, self.condition, self.content) = (key, condition, content)
    }
}

extension RecordWrite {
    /// Throws `.tooLarge` if a journal must refuse the write, because of its size or a time that no clock shows.
    public func requireFitting() throws(JournalError) {
        let isFitting =
            key.bytes.count <= KeyedRecord.keyBytesMax
            && (content.map { $0.value.count <= KeyedRecord.valueBytesMax && (0..<1 << 53).contains($0.used) } ?? true)
        guard isFitting else { throw .tooLarge("a record of kind \(key.kind.rawValue)") }
    }
}
