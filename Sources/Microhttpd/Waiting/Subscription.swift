internal import CMicrohttpd

/// An exchange that waits in wake groups: for its answer, or for more content. Only the thread of its loop uses it.
final class Subscription {
    enum Kind {
        case answer(any AnswerSource)
        case content(any ContentSource)
    }

    /// The place of a subscription in a part of a group.
    struct Place {
        let part: WakeGroupPart
        var index: Int
    }

    /// The exchange that waits. It has a reference to the subscription from its first wait to its end.
    unowned let exchange: Exchange
    unowned let loop: EventLoop
    let kind: Kind
    // The members stand in the order that takes the least memory, because there are many subscriptions.
    /// Whether the engine has been told to leave the connection alone.
    var isSuspended = false
    /// Whether the client has gone, so that nothing more is sent.
    var isDeserted = false
    /// Whether the wait or the stream has ended.
    private(set) var isOver = false
    private var isDue = false
    private var isStopping = false
    private var isAtEnd = false
    /// Whether bytes on their way were not acknowledged at the last look.
    private var wasUnacknowledged = false
    /// The milliseconds from the last byte to the time when the source is asked all the same.
    private let interval: UInt32
    var places: [Place] = []
    /// The time at which the source is asked even if nothing has happened, in milliseconds of the loop's clock.
    private(set) var due: UInt64
    /// The time of the next look whether the client is still there, even if something is sent all the time.
    private var nextLook: UInt64
    /// The piece whose bytes from `sent` on are still to be sent.
    private var piece: [UInt8] = []
    private var sent = 0

    init(_ kind: Kind, of exchange: Exchange, on loop: EventLoop, milliseconds: UInt64) {
        self.kind = kind
        self.exchange = exchange
        self.loop = loop
        interval = UInt32(clamping: milliseconds)
        due = loop.now + UInt64(interval)
        nextLook = due
    }

    func join(_ groups: [WakeGroup]) {
        places.reserveCapacity(groups.count)
        for group in groups { group.part(on: loop).add(self) }
    }

    func leave() {
        for place in places { place.part.remove(at: place.index) }
        places = []
        isOver = true
    }

    /// The count of open subscriptions of this kind.
    var count: Tally.Count {
        switch kind {
        case .answer: .polls
        case .content: .streams
        }
    }

    /// Notes in all groups that this member has got news.
    func noteDelivery() {
        for place in places { place.part.hasDelivered = true }
    }

    /// Notes that a group has given the subscription another place.
    func move(in part: WakeGroupPart, to index: Int) {
        guard let place = places.firstIndex(where: { $0.part === part }) else { return }
        places[place].index = index
    }

    /// From now on `fill` asks on this occasion.
    func note(_ occasion: Occasion) {
        switch occasion {
        case .ordinary: break
        case .due:
            isDue = true
            due = loop.now + UInt64(interval)
        case .stopping: isStopping = true
        }
    }

    /// The piece that is being sent; empty if the client has been sent everything.
    var unsent: UnsentContent { isSuspended || piece.isEmpty ? UnsentContent() : UnsentContent(piece) }

    /// The result of filling a buffer.
    enum Filling: Equatable {
        case bytes(Int)
        case nothing
        case end
    }

    /// Copies as many bytes to send as there is room for.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, from source: any ContentSource) -> Filling {
        var filled = 0
        while filled < buffer.count, prepare(from: source) {
            let count = min(piece.count - sent, buffer.count - filled)
            piece.withUnsafeBytes { piece in
                let part = UnsafeRawBufferPointer(rebasing: piece[sent..<sent + count])
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: part)
            }
            sent += count
            filled += count
        }
        if sent == piece.count {
            // Many streams share one piece. This one lets go of it now, so the last one to send it frees it.
            piece = []
            sent = 0
        }
        guard filled > 0 else { return isAtEnd ? .end : .nothing }
        due = loop.now + UInt64(interval)
        return .bytes(filled)
    }

    /// Whether there is something left to send, in `piece`.
    private func prepare(from source: any ContentSource) -> Bool {
        while sent == piece.count, !isAtEnd {
            let occasion: Occasion = isStopping ? .stopping : isDue ? .due : .ordinary
            isDue = false
            switch source.next(occasion) {
            case .send(let bytes):
                piece = bytes
                sent = 0
            case .wait: return false
            case .end: isAtEnd = true
            }
        }
        return !isAtEnd
    }
}

// MARK: - Vanished clients

extension Subscription {
    /// Whether bytes that were sent a whole interval ago have not arrived, and the client has given no sign since.
    ///
    /// A client that is there but does not read still acknowledges the bytes, or says that it has no room. The look
    /// is taken when the subscription is due, and otherwise once in an interval.
    func hasVanished() -> Bool {
        let (isSilent, isLook) = (loop.now >= due, loop.now >= nextLook)
        guard isSilent || isLook, case .content = kind else { return false }
        var (packets, silence): (UInt32, UInt32) = (0, 0)
        tcp_silence(exchange.descriptor, &packets, &silence)
        // Bytes that are younger may still be on their way.
        let isOld = isSilent || wasUnacknowledged
        wasUnacknowledged = packets > 0
        nextLook = loop.now + UInt64(interval)
        return isOld && packets > 0 && silence >= interval
    }
}
