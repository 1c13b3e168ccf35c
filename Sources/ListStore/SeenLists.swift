public import ListModel
public import Texts
import Threads

/// The lists that one reader may see.
///
/// The others are not looked at, but for those whose ids begin alike. So what a reader costs is due to the lists that it
/// was given, not to all lists.
public struct SeenLists: Sendable {
    private enum Part: Sendable {
        case one(ListID)
        /// All lists whose ids begin with the text, as far as `includes` has them.
        case all(beginning: ByteText)
    }

    /// The parts in the order of their ids. No list is in two of them.
    private let parts: [Part]
    private let includes: @Sendable (ListID) -> Bool

    /// The ids that are taken from a source at once: first few, because a reader mostly sees all that begin alike.
    private static let idsAtOnce = (first: 512, most: 16_384)

    /// - Parameters:
    ///   - ids: Single lists that the reader may see.
    ///   - beginnings: The texts with one of which the id of each further list begins.
    ///   - includes: Whether the reader may see a list.
    public init(ids: [ListID], beginnings: [ByteText], where includes: @escaping @Sendable (ListID) -> Bool) {
        let rows = ids.map { ($0.rawValue, false) } + beginnings.map { ($0, true) }
        var parts: [Part] = []
        // What begins with a text stands behind it, before everything else.
        var last: (text: ByteText, isBeginning: Bool)?
        for (text, isBeginning) in rows.sorted(by: { $0.0 == $1.0 ? $0.1 && !$1.1 : $0.0 < $1.0 }) {
            if let last, last.isBeginning ? text.hasPrefix(last.text) : text == last.text && !isBeginning { continue }
            last = (text, isBeginning)
            if isBeginning { parts.append(.all(beginning: text)) } else { ListID(text).map { parts.append(.one($0)) } }
        }
        self.parts = parts
        self.includes = includes
    }

    /// The single lists behind one; nil stands for all.
    func ids(after cursor: ListID?) -> [ListID] {
        parts.compactMap { part in
            guard case .one(let id) = part, cursor.map({ $0.rawValue < id.rawValue }) ?? true else { return nil }
            return id
        }
    }

    /// The first ids behind one of those that the reader may see; nil stands for all.
    ///
    /// - Parameters:
    ///   - source: Returns the first ids behind one of all ids, at most so many.
    ///   - contains: Whether there is a list.
    /// - Complexity: O(*p* + *n*), *p* the parts and *n* the ids that begin as one of them.
    func ids<Failure: Error>(
        after cursor: ListID?, limit: Int, from source: (ListID?, Int) throws(Failure) -> [ListID],
        contains: (ListID) -> Bool
    ) throws(Failure) -> [ListID] {
        var found: [ListID] = []
        for part in parts where found.count < limit {
            switch part {
            case .one(let id):
                guard cursor.map({ $0.rawValue < id.rawValue }) ?? true, includes(id), contains(id) else { continue }
                found.append(id)
            case .all(let beginning):
                var last = Self.last(before: beginning)
                if let cursor, beginning <= cursor.rawValue {
                    guard cursor.rawValue.hasPrefix(beginning) else { continue }
                    last = cursor
                }
                var (isOver, count) = (false, Self.idsAtOnce.first)
                while !isOver, found.count < limit {
                    let page = try source(last, count)
                    let ids = page.prefix { $0.rawValue.hasPrefix(beginning) }
                    found += ids.lazy.filter(includes).prefix(limit - found.count)
                    isOver = ids.count < count
                    last = ids.last
                    count = min(2 * count, Self.idsAtOnce.most)
                }
            }
        }
        return found
    }

    /// The last id that there can be before all ids that begin with a text; nil if there is none.
    private static func last(before beginning: ByteText) -> ListID? {
        guard let end = beginning.utf8.last else { return nil }
        let rest = Array(beginning.utf8.dropLast())
        let longest = [UInt8](repeating: bytes[bytes.count - 1], count: max(0, 127 - rest.count))
        for byte in bytes.reversed() where byte < end {
            if let id = ListID(ByteText(decoding: rest + [byte] + longest)) { return id }
        }
        return ListID(ByteText(decoding: rest))
    }

    /// The bytes that an id can have, in order.
    private static let bytes = Array("-.0123456789_abcdefghijklmnopqrstuvwxyz".utf8)
}

extension Store {
    /// The first ids behind one in memory; nil stands for all.
    ///
    /// - Parameter seen: The lists that count; nil for all.
    func knownIDs(after id: ListID?, limit: Int, among seen: SeenLists?) -> [ListID] {
        guard let seen else { return catalogue.withLock { $0.ids(after: id, limit: limit) } }
        return seen.ids(
            after: id, limit: limit, from: { last, limit in catalogue.withLock { $0.ids(after: last, limit: limit) } },
            contains: { id in catalogue.withLock { $0.contains(id) } })
    }
}
