internal import CNettle
internal import ListModel

/// The payload of a notification: the number of the store that wrote, then the lists. Without lists, any list may have
/// changed. If there is one list, the row that was written may follow, as `=` and base64.
///
/// A store of an earlier version takes a word that is no name for nothing.
enum HintText {
    struct Hint: Equatable {
        var lists: [ListID] = []
        var row: SealedRow?
    }

    /// The server takes 7,999 bytes.
    private static let bytesMax = 7_900
    /// More lists are not named.
    private static let listsMax = 2_000
    private static let space = UInt8(ascii: " ")
    private static let rowMark = UInt8(ascii: "=")

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

    static func payload(_ list: ListID, _ row: SealedRow, from store: Int) -> [UInt8] {
        Array("\(store) \(list) ".utf8) + [rowMark] + base64(row.bytes)
    }

    /// Reads a payload; nil if it is one of this store, or not a hint. Anybody who may use the database can send one.
    static func hint(_ payload: [UInt8], unlessFrom store: Int) -> Hint? {
        let words = payload.split(separator: space)
        guard let head = words.first, !head.elementsEqual("\(store)".utf8) else { return nil }
        var hint = Hint(lists: words.dropFirst().compactMap { ListID(ByteText(decoding: $0)) })
        if words.count == 3, hint.lists.count == 1, words[2].first == rowMark {
            hint.row = decoded(words[2].dropFirst()).map(SealedRow.init)
        }
        return hint
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text, count in
            text.withMemoryRebound(to: CChar.self) { text in
                nettle_base64_encode_raw(text.baseAddress, bytes.count, bytes)
            }
            count = text.count
        }
    }

    /// Nil if it is not base64.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var state = base64_decode_ctx()
        nettle_base64_decode_init(&state)
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
        var count = bytes.count
        let isRead = text.withUnsafeBytes {
            nettle_base64_decode_update(&state, &count, &bytes, $0.count, $0.bindMemory(to: CChar.self).baseAddress)
        }
        guard isRead != 0, nettle_base64_decode_final(&state) != 0 else { return nil }
        return Array(bytes.prefix(count))
    }
}
