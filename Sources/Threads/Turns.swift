/// Lines of several owners who take turns.
///
/// An example: `a` has three things in its line, then `b` adds one. They come in the order `a b a a`.
@usableFromInline
struct Turns<Owner: Hashable & Sendable, Line: Sendable>: Sendable {
    /// The owners with a line. The next one to be asked is the first.
    @usableFromInline var order: [Owner] = []
    @usableFromInline var lines: [Owner: Line] = [:]

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { order.isEmpty }

    /// Changes the line of an owner. An owner without a line gets `new`, and its turn comes after those of the others.
    @inlinable
    mutating func add(to owner: Owner, orNew new: Line, _ change: (inout Line) -> Void) {
        if lines[owner] == nil { order.append(owner) }
        change(&lines[owner, default: new])
    }

    /// Asks the owners in turn until `take` has taken something. That owner's next turn comes after all others.
    ///
    /// - Parameter take: It returns nil if it takes nothing of the line, and otherwise whether the line is then empty.
    /// - Complexity: O(*n*), *n* = owners.
    @inlinable
    mutating func next<Taken>(_ take: (Owner, inout Line) -> (taken: Taken, isEmpty: Bool)?) -> Taken? {
        for index in order.indices {
            let owner = order[index]
            guard let place = lines.index(forKey: owner), let (taken, isEmpty) = take(owner, &lines.values[place])
            else { continue }
            order.remove(at: index)
            if isEmpty { lines.remove(at: place) } else { order.append(owner) }
            return taken
        }
        return nil
    }

    /// Whether `isMeant` holds for the line of one of the owners.
    ///
    /// - Complexity: O(*n*), *n* = owners.
    @inlinable
    func contains(where isMeant: (Owner, Line) -> Bool) -> Bool {
        order.contains { owner in lines[owner].map { isMeant(owner, $0) } ?? false }
    }
}
