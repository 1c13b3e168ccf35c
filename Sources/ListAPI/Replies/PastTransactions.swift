internal import ListDiff
internal import ListModel
public import ListStore
internal import ListWire

extension API {
    /// The form in which history keeps the intents of clients: the members `operations` and `truncated` of a past
    /// transaction.
    ///
    /// - Parameter bytesMax: The size in bytes up to which an intent is kept whole. Of a larger one only names and
    ///   counts are kept.
    public static func intentCoding(bytesMax: Int) -> IntentCoding {
        IntentCoding(bytesMax: bytesMax, encode: { $0.members }, abridge: { $0.abridgedMembers })
    }
}

/// A page of a list's transactions.
func transactionsBody(_ transactions: [PastTransaction]) -> [UInt8] {
    var splicer = JSONSplicer(capacity: 32 + 256 * transactions.count)
    splicer.raw("{\"transactions\":[")
    for transaction in transactions {
        splicer.separate()
        splicer.beginObject()
        splicer.transactionMembers(transaction)
        splicer.endObject()
    }
    splicer.raw("]}")
    return splicer.bytes
}

extension JSONSplicer {
    fileprivate mutating func transactionMembers(_ transaction: PastTransaction) {
        let note = transaction.note
        key("\"version\":")
        version(transaction.version)
        key("\"time\":")
        time(note.time)
        key("\"actor\":")
        string(note.actor)
        if let label = note.label {
            key("\"label\":")
            string(label)
        }
        if let reversal = note.reversal {
            key(reversal.isRedo ? "\"redoes\":" : "\"undoes\":")
            version(Version(epoch: transaction.version.epoch, revision: reversal.transaction))
        }
        if transaction.isUndone { key("\"undone\":true") }
        intentMembers(note.intent)
    }

    /// Writes the member `operations`, and `truncated` if not everything is kept.
    private mutating func intentMembers(_ intent: TransactionNote.Intent) {
        separate()
        switch intent {
        case .sent(let intent): json(intent.members)
        case .encoded(let members): json(members)
        case .unknown: raw("\"truncated\":true,\"operations\":[]")
        }
    }
}
