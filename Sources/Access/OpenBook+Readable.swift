public import Texts

extension OpenBook {
    /// Patterns that mean all lists which a caller of this book may read. `Caller` decides about each list.
    ///
    /// - Returns: The ids of single lists, and the texts with which the ids of further lists begin.
    public func readable(by caller: Caller) -> (ids: [ByteText], beginnings: [ByteText]) {
        let groups: [AccessBook.Group] = caller.kind == .anonymous ? [.anonymous] : [.anonymous, .anyToken]
        let grants = caller.own.all + groups.flatMap { book.grants(of: $0).all }
        var (ids, beginnings): ([ByteText], [ByteText]) = ([], [])
        for pattern in Set(grants.flatMap(\.lists)) {
            if let star = pattern.text.utf8.firstIndex(of: UInt8(ascii: "*")) {
                beginnings.append(ByteText(pattern.text.utf8[..<star]))
            } else {
                ids.append(pattern.text)
            }
        }
        return (ids, beginnings)
    }
}
