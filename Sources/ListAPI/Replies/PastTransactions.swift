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
    JSONSplicer.object(capacity: 32 + 256 * transactions.count) { splicer in
        splicer.objects("\"transactions\":[", transactions) { $0.transactionMembers($1) }
    }
}

extension JSONSplicer {
    fileprivate mutating func transactionMembers(_ transaction: PastTransaction) {
        let note = transaction.note
        member("\"version\":", transaction.version)
        key("\"time\":")
        time(note.time)
        member(",\"actor\":", note.actor)
        if let label = note.label { member(",\"label\":", label) }
        if let reversal = note.reversal {
            member(
                reversal.isRedo ? ",\"redoes\":" : ",\"undoes\":",
                Version(epoch: transaction.version.epoch, revision: reversal.transaction))
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
