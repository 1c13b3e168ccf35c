import ListModel
public import Texts

/// The number that a client gives one of its writes to a list (`Client-Sequence`), and the request that it came with.
public struct WriteNumber: Sendable, Equatable {
    /// A digest of the caller and of the name that the client has given itself.
    public var client: [UInt8]
    /// The one in whose share of the room the sequence is kept; empty for all without a token, who are one owner.
    public var owner: ByteText
    /// The number, from 1.
    public var number: Int
    /// A digest of method, path, query, body and preconditions.
    public var request: [UInt8]

    public init(client: [UInt8], owner: ByteText, number: Int, request: [UInt8]) {
        self.client = client
        self.owner = owner
        self.number = number
        self.request = request
    }

    /// The key of the record that keeps the sequence. The id of the list is at its end.
    func key(of list: ListID) -> KeyedRecord.Key { KeyedRecord.Key(.sequence, client + Array(list.rawValue.utf8)) }
}

/// Why a write is not done whose number is not the next one.
public enum OutOfSequence: Sendable, Equatable {
    /// The numbers from `expected` on have not come, or are lost.
    case gap(expected: Int)
    /// There is no such sequence, and the number is not the first one. The sequence may have gone.
    case unknown
    /// The number came with another request before.
    case otherRequest
    /// The first request with the number, or one with a lower number, is still being answered.
    case inFlight
    /// The number was used up by a write that was applied, and its answer is no longer kept.
    case appliedBefore
    /// The number was used up by a write that was refused. The bytes are what `Store.refuse` was given; nil if they are no
    /// longer kept.
    case refusedBefore([UInt8]?)
}

/// A sequence as the journal keeps it: the highest number that is used up, and its answer.
struct StoredSequence: Equatable {
    enum Answer: Equatable {
        /// The write was applied. Its answer was too long to be kept.
        case applied
        /// The write was applied. The bytes are those of a `KeptAnswer`.
        case result([UInt8])
        /// The write was refused. The store does not read the bytes; there are none if they were too many to be kept.
        case refusal([UInt8])
    }

    var number: Int
    /// Which of the newest numbers were refused: bit 0 stands for `number`, bit 1 for the one before, and so on.
    var refused: UInt64
    var owner: ByteText
    /// The digest of the request with the highest number.
    var request: [UInt8]
    var answer: Answer

    /// Whether a lower number was refused. Nobody knows it of numbers that are 64 lower or more.
    static func isRefused(_ number: Int, below highest: Int, _ refused: UInt64) -> Bool {
        highest - number < UInt64.bitWidth && refused >> UInt64(highest - number) & 1 == 1
    }
}

extension StoredSequence {
    private static let format: UInt8 = 1
    /// The most bytes of an answer that is kept. So the sequences of one client with long answers do not take the room
    /// of many others.
    static let answerBytesMax = 16 << 10

    /// The record of the sequence. An answer that is too long is left out.
    func content(used: Int) -> KeyedRecord.Content {
        var short = self
        switch answer {
        case .result(let bytes) where bytes.count > Self.answerBytesMax: short.answer = .applied
        case .refusal(let bytes) where bytes.count > Self.answerBytesMax: short.answer = .refusal([])
        case .applied, .result, .refusal: break
        }
        return KeyedRecord.Content(used: used, value: short.bytes)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.format)
        writer.write(number)
        writer.write(Int(truncatingIfNeeded: refused >> 32))
        writer.write(Int(truncatingIfNeeded: refused & 0xFFFF_FFFF))
        writer.write(owner)
        writer.write(request)
        switch answer {
        case .applied: writer.write(UInt8(1))
        case .result(let bytes):
            writer.write(UInt8(2))
            writer.write(bytes)
        case .refusal(let bytes):
            writer.write(UInt8(3))
            writer.write(bytes)
        }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Self.format else { throw ByteReader.Malformed() }
        number = try reader.number()
        let (high, low) = (try reader.number(), try reader.number())
        guard number > 0, high <= UInt32.max, low <= UInt32.max else { throw ByteReader.Malformed() }
        refused = UInt64(high) << 32 | UInt64(low)
        owner = try reader.text()
        request = try reader.chunk()
        switch try reader.byte() {
        case 1: answer = .applied
        case 2: answer = .result(try reader.chunk())
        case 3: answer = .refusal(try reader.chunk())
        default: throw ByteReader.Malformed()
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }
}
