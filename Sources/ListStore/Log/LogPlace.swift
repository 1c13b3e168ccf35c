/// A place in the log of a list: after so many entries of one of the list's lives.
public struct LogPlace: Sendable, Hashable {
    /// The life of the list: a number that the journal gives to no other life of this list.
    public var life: Int
    /// The number of entries of that life up to the place.
    public var position: Int
    /// The number of times that entries were missing from the journal before, so that its lists got new epochs. Places
    /// of different generations are different. It is 0 in a journal that does not count this.
    public var generation: Int
    /// The number of the batch that wrote the entry before the place; nil if it is not known. Two stores may know
    /// different entries before equal places if one has read an entry that was lost afterwards.
    public var token: Int?

    public init(life: Int, position: Int, generation: Int = 0, token: Int? = nil) {
        self.life = life
        self.position = position
        self.generation = generation
        self.token = token
    }

    /// Tokens are not compared here, because not every journal has them, and none for ever.
    public static func == (left: LogPlace, right: LogPlace) -> Bool {
        left.life == right.life && left.position == right.position && left.generation == right.generation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(life)
        hasher.combine(position)
    }
}

extension LogPlace {
    /// Whether the end of a log is not the known one. Others have written to it, or a known entry was lost and another one
    /// is in its place.
    static func hasMoved(from known: LogPlace?, to found: LogPlace?) -> Bool {
        guard known == found else { return true }
        guard let token = known?.token, let foundToken = found?.token else { return false }
        return token != foundToken
    }
}
