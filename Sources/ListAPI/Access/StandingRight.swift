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
    }

    var group: WakeGroup { gate.group }

    /// Whether the right is still there. It is looked at again when the book has changed or the caller's token may be
    /// over. A right that was lost does not come back.
    func isStill() -> Bool {
        guard refusal == nil else { return false }
        let now = gate.book
        guard now !== book || caller.expires != nil else { return true }
        book = now
        guard let now else { return true }
        guard let renewed = now.renewed(caller, at: gate.clock()) else {
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
