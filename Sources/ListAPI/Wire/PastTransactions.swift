import ListModel
import ListStore

/// The collection of a list's transactions.
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
}
