import ListModel
internal import Texts

/// A record of the log: a transaction, or another event in the life of a list.
enum Record {
    /// A list begins, with revision 1.
    case create(epoch: ByteText, Transaction)
    /// The list gets its next revision.
    case append(Transaction)
    case delete
    /// The list is deleted, and can be restored. Later records continue its life.
    case retire(Retirement)
    /// The list goes on as it is in a new epoch, because acknowledged versions may be missing.
    case renew(epoch: ByteText)
    /// A part of a record that an earlier program made several entries of, and the number of parts that follow.
    case part([UInt8], rest: Int)

    /// The effect of a transaction, and its note.
    struct Transaction {
        var time: Int
        var caller: ByteText
        var label: ByteText?
        var edits: [Edit]
        /// A list whose sections and items are inserted behind `edits`, which leave it empty. A record that was read has
        /// the edits that do it.
        var list: Inserted?
        /// The intent of the client, as `IntentCoding` encoded it; nil in old records, which had none.
        var intent: [UInt8]?
        /// The transaction that this one took back, if this one was an undo or a redo.
        var reversal: Reversal?
        /// Whether clients may animate the changes of the transaction. The format of the record says so.
        var isAnimated = true
    }

    /// A list to be inserted. A class, because few transactions have one, and the state in line would make each large.
    final class Inserted: Sendable {
        let state: ListState

        init(_ state: ListState) { self.state = state }
    }
}

extension Record {
    private static let format: UInt8 = 2
    /// The format of old records without intents. A transaction in it ends behind its edits.
    private static let formatWithoutIntents: UInt8 = 1
    /// The format of a transaction that is not animated. The rest is as in `format`.
    private static let formatUnanimated: UInt8 = 3

    var bytes: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout ByteWriter) {
        writer.write(isAnimated ? Self.format : Self.formatUnanimated)
        switch self {
        case .create(let epoch, let transaction):
            writer.write(UInt8(1))
            writer.write(epoch)
            writer.write(transaction)
        case .append(let transaction):
            writer.write(UInt8(2))
            writer.write(transaction)
        case .delete:
            writer.write(UInt8(3))
        case .renew(let epoch):
            writer.write(UInt8(4))
            writer.write(epoch)
        case .part(let bytes, let rest):
            writer.write(UInt8(5))
            writer.write(rest)
            writer.write(bytes)
        case .retire(let retirement):
            writer.write(UInt8(6))
            writer.write(retirement)
        }
    }

    /// The bytes of the record: whole pieces of so many bytes, and at least one byte behind them.
    func pieces(of count: Int) -> (whole: [[UInt8]], rest: [UInt8]) {
        var writer = ByteWriter(pieceBytes: count)
        write(to: &writer)
        return writer.finish()
    }

    private var isAnimated: Bool {
        switch self {
        case .create(_, let transaction), .append(let transaction): transaction.isAnimated
        case .delete, .renew, .part, .retire: true
        }
    }

    init(_ bytes: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        let format = try reader.byte()
        let formats = [Self.format, Self.formatWithoutIntents, Self.formatUnanimated]
        guard formats.contains(format) else { throw ByteReader.Malformed() }
        func transaction() throws(ByteReader.Malformed) -> Transaction {
            var transaction = try reader.transaction(hasIntent: format != Self.formatWithoutIntents)
            transaction.isAnimated = format != Self.formatUnanimated
            return transaction
        }
        switch try reader.byte() {
        case 1: self = .create(epoch: try reader.epoch(), try transaction())
        case 2: self = .append(try transaction())
        case 3: self = .delete
        case 4: self = .renew(epoch: try reader.epoch())
        case 5:
            let rest = try reader.number()
            self = .part(try reader.chunk(), rest: rest)
        case 6: self = .retire(try reader.retirement())
        default: throw ByteReader.Malformed()
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }
}

extension ByteWriter {
    mutating func write(_ transaction: Record.Transaction) {
        write(transaction.time)
        write(transaction.caller)
        write(transaction.label) { $0.write($1) }
        write(transaction.edits, followedBy: transaction.list?.state)
        write(transaction.intent) { $0.write($1) }
        write(transaction.reversal) { $0.write($1) }
    }

    private mutating func write(_ reversal: Reversal) {
        write(reversal.transaction)
        write(reversal.inverted)
        write(reversal.isRedo)
        write(reversal.isExact)
    }
}

extension ByteReader {
    mutating func transaction(hasIntent: Bool) throws(Malformed) -> Record.Transaction {
        var transaction = Record.Transaction(
            time: try number(), caller: try text(),
            label: try optional { reader throws(Malformed) in try reader.text() },
            edits: try all { reader throws(Malformed) in try reader.edit() })
        guard hasIntent else { return transaction }
        transaction.intent = try optional { reader throws(Malformed) in try reader.chunk() }
        transaction.reversal = try optional { reader throws(Malformed) in try reader.reversal() }
        return transaction
    }

    private mutating func reversal() throws(Malformed) -> Reversal {
        Reversal(
            transaction: try number(), inverted: try number(), isRedo: try flag(), isExact: try flag())
    }
}
