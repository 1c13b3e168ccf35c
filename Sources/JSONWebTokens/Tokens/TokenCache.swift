internal import JSONValue
internal import Threads

/// The tokens that were found right, so that a client that comes again with the same one costs no signature.
///
/// A token is compared whole. Wrong tokens are not kept, so they push out nothing. There are two generations: a token
/// that is found or added goes to the young one, and when that is full, it becomes the old one, whose tokens are
/// dropped. So a token goes if as many others as one generation has were used since its last use.
final class TokenCache<Content: Sendable>: Sendable {
    private struct Entry {
        let content: Content
        /// The time from which on the token must be checked again, in seconds since 1970.
        let end: Int
    }

    private struct Generations {
        /// The number of the keys by which all of the tokens were found right.
        var keys: Int
        var young: [ByteText: Entry] = [:]
        var old: [ByteText: Entry] = [:]

        /// Adds a token to the young ones.
        ///
        /// - Returns: The tokens that had to go.
        mutating func add(_ entry: Entry, for text: ByteText, countMax: Int) -> [ByteText: Entry] {
            young[text] = entry
            guard young.count >= countMax else { return [:] }
            let dropped = old
            (old, young) = (young, [:])
            return dropped
        }
    }

    private let generations = Locked(Generations(keys: 0))
    private let generationMax: Int

    /// - Parameter countMax: The most tokens that are kept, at least 2. Each has up to `WebToken.bytesMax` bytes, and
    ///   what was made of it.
    init(countMax: Int) { generationMax = max(countMax / 2, 1) }

    /// The number of tokens.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    /// The content of a token that these keys have shown to be right; nil if none with this text is remembered, or if it
    /// has ended.
    func find(_ text: ByteText, keys: Int, now: Int) -> Content? {
        let (content, dropped) = generations.withLock { all -> (Content?, [ByteText: Entry]) in
            guard all.keys == keys else { return (nil, [:]) }
            if let entry = all.young[text] {
                if entry.end <= now { all.young[text] = nil }
                return (entry.end > now ? entry.content : nil, [:])
            }
            guard let entry = all.old.removeValue(forKey: text), entry.end > now else { return (nil, [:]) }
            return (entry.content, all.add(entry, for: text, countMax: generationMax))
        }
        _ = dropped  // They are freed here, outside of the lock.
        return content
    }

    /// Keeps a token that was found right by these keys.
    ///
    /// It is not kept if others have already come with newer keys. All tokens of older keys are dropped.
    func add(_ content: Content, for text: ByteText, keys: Int, until end: Int) {
        let dropped = generations.withLock { all -> [[ByteText: Entry]] in
            guard all.keys <= keys else { return [] }
            var dropped: [[ByteText: Entry]] = []
            if all.keys < keys {
                dropped = [all.young, all.old]
                all = Generations(keys: keys)
            }
            return dropped + [all.add(Entry(content: content, end: end), for: text, countMax: generationMax)]
        }
        _ = dropped  // As above.
    }
}
