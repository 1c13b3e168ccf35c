internal import ListModel

/// The payload of a notification: the number of the store that wrote, then the lists. Without lists, any list may have
/// changed.
///
/// A notification in the transaction of a commit would take a lock of the whole database until the disk has the commit.
/// So it is a transaction of its own that waits for no disk. It is sent together with the commit, and runs behind it in
/// the same session. One that is lost is made up for by the comparison of all lists.
enum HintText {
    /// The server takes 7,999 bytes.
    private static let bytesMax = 7_900
    /// More lists are not named.
    private static let listsMax = 2_000
    private static let space = UInt8(ascii: " ")

    /// The statement that tells the other stores that this one may have written to some lists.
    static func call(_ lists: some Sequence<ListID>, from store: Int, in schema: String) -> Session.Call {
        (.notify, [.text(Array(schema.utf8)), .texts(payloads(Set(lists), from: store))])
    }

    static func payloads(_ lists: Set<ListID>, from store: Int) -> [[UInt8]] {
        let head = Array("\(store)".utf8)
        guard lists.count <= listsMax else { return [head] }
        var payloads: [[UInt8]] = []
        for list in lists {
            let name = Array(list.rawValue.utf8)
            if payloads.isEmpty || payloads[payloads.count - 1].count + 1 + name.count > bytesMax {
                payloads.append(head)
            }
            payloads[payloads.count - 1] += [space] + name
        }
        return payloads
    }

    /// The lists that a payload names; nil if it is one of this store, or nobody's. Anybody who may use the database can
    /// send one.
    static func lists(_ payload: [UInt8], unlessFrom store: Int) -> [ListID]? {
        let words = payload.split(separator: space)
        guard let head = words.first, !head.elementsEqual("\(store)".utf8) else { return nil }
        return words.dropFirst().compactMap { ListID(ByteText(decoding: $0)) }
    }
}
