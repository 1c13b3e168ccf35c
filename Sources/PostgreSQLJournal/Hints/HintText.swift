internal import ListModel

/// The payload of a notification: the number of the store that wrote, then the lists. Without lists, any list may have
/// changed.
enum HintText {
    /// The server takes 7,999 bytes.
    private static let bytesMax = 7_900
    /// More lists are not named.
    private static let listsMax = 2_000
    private static let space = UInt8(ascii: " ")

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
