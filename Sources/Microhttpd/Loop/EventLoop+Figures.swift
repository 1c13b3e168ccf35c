internal import HTTPTypes

/// An answer that has been handed over to the engine in the present turn.
struct Answered {
    let route: UInt8
    /// The start of the turn in which its request began, in microseconds of the loop's clock.
    let began: UInt64
}

extension EventLoop {
    /// Counts an answer. Its time ends with the turn, because the engine sends it then at the latest, and one look at
    /// the clock is enough for all answers of a turn.
    func note(_ response: Response, _ exchange: Exchange, _ call: EngineCall, _ status: HTTPResponse.Status) {
        let hasBody = status.code != 304 && call.method.pointee != CChar(bitPattern: UInt8(ascii: "H"))
        exchange.sentBytes = hasBody ? response.body.count : 0
        tally.noteAnswer(exchange.route, status: status.code, bytes: exchange.sentBytes)
        exchange.watcher?.noteAnswer(response, status: status)
        // A poll takes as long as nothing happens.
        if exchange.subscription == nil { answered.append(Answered(route: exchange.route, began: exchange.began)) }
    }

    func noteStream(_ head: Response, _ exchange: Exchange) {
        tally.noteAnswer(exchange.route, status: head.status.code, bytes: 0)
        exchange.sentBytes = 0
        exchange.watcher?.noteAnswer(head, status: head.status)
    }

    /// Counts the times of the answers of this turn, and how long news took that have reached the last member.
    func noteTimes() {
        let now = monotonicMicroseconds()
        for one in answered { tally.noteTime(one.route, microseconds: now &- one.began) }
        answered.removeAll(keepingCapacity: true)
        for since in woken.takeReached() { tally.noteLag(microseconds: now &- since) }
    }
}
