internal import Access
internal import ListModel
internal import Microhttpd
internal import Threads

/// The right of a stream or poll to go on. It is asked each time before anything is sent.
final class StandingRight {
    private let gate: Gate
    private var caller: Caller
    /// The book by which the caller may read the lists.
    private var book: OpenBook?
    /// How often the issuer of the caller's token had replaced its keys; 0 for a token of this server, and -1 before its
    /// key was looked at here. The key may have been withdrawn since the caller was let in.
    private var keysNumber: Int
    private let lists: [ListID]
    /// The place among the streams of its client; nil if no quota applies.
    let place: StreamPlace?
    /// Nil while the right is there.
    private(set) var refusal: Problem?

    init(_ gate: Gate, _ book: OpenBook?, _ caller: Caller, to lists: [ListID], _ place: StreamPlace?) {
        self.gate = gate
        self.book = book
        self.caller = caller
        self.lists = lists
        self.place = place
        keysNumber = caller.kind == .foreign ? -1 : 0
        if let end = watchedEnd { gate.keeper?.watch(end: end) }
    }

    deinit { if let end = watchedEnd { gate.keeper?.unwatch(end: end) } }

    /// The end of a token that is not in the book. It never changes.
    private var watchedEnd: Int? { caller.kind == .foreign ? caller.expires : nil }

    var group: WakeGroup { gate.group }

    /// Whether the right is still there. It is looked at again when the book or the keys of an issuer have changed, or the
    /// caller's token is over. A right that was lost does not come back.
    func isStill() -> Bool {
        guard refusal == nil else { return false }
        let (now, keys) = (gate.book, gate.keysNumber(for: caller))
        guard now !== book || keys != keysNumber || caller.isOver(at: gate.clock()) else {
            return true
        }
        (book, keysNumber) = (now, keys)
        guard let now else { return true }
        guard let renewed = gate.renewed(caller, in: now) else {
            refusal = .wrongToken
            return false
        }
        caller = renewed
        guard lists.allSatisfy({ renewed.sees($0) }) else {
            refusal = renewed.kind == .anonymous ? .noToken : .hiddenList
            return false
        }
        return true
    }
}
