package import ListModel

extension ListState {
    /// The same list, made at once as from a stored snapshot. Its contents share memory. Nil if the loader refuses it.
    package func reloaded() -> ListState? {
        var loader = ListLoader(properties)
        for section in sectionHandles {
            guard loader.append(self[section]) else { return nil }
            let rows = rows(of: section)
            for (row, content) in zip(rows, JSONText.sharing(rows.map { Array(self[$0].content.bytes) })) {
                var item = self[row]
                item.content = content
                guard loader.append(item, level: level(of: row)) else { return nil }
            }
        }
        return loader.finish()
    }
}

extension JSONText {
    /// Texts in one piece of memory, each behind its length.
    package static func sharing(_ texts: [[UInt8]]) -> [JSONText] {
        var bytes: [UInt8] = []
        let places = texts.map { text in
            let place = Int32(bytes.count)
            var count = text.count
            while count >= 0x80 {
                bytes.append(UInt8(count & 0x7F | 0x80))
                count >>= 7
            }
            bytes.append(UInt8(count))
            bytes += text
            return place
        }
        return places.map { JSONText(in: bytes, countedAt: $0) }
    }
}
