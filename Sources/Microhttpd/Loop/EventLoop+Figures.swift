internal import HTTPTypes

extension EventLoop {
    /// Counts an answer that is handed over to the engine, and its time.
    func note(_ response: Response, _ exchange: Exchange, _ call: EngineCall, _ status: HTTPResponse.Status) {
        let hasBody = status.code != 304 && call.method.pointee != CChar(bitPattern: UInt8(ascii: "H"))
        let (bytes, route) = (hasBody ? response.body.count : 0, exchange.route)
        tally.noteAnswer(route, status: status.code, bytes: bytes)
        // A poll takes as long as nothing happens.
        if exchange.subscription == nil {
            tally.noteTime(route, microseconds: monotonicMicroseconds() &- exchange.began)
        }
        guard watchesRequests else { return }
        exchange.sentBytes = bytes
        tellAnswer(response, exchange, status)
    }

    func noteStream(_ head: Response, _ exchange: Exchange) {
        tally.noteAnswer(exchange.route, status: head.status.code, bytes: 0)
        exchange.sentBytes = 0
        if watchesRequests { tellAnswer(head, exchange, head.status) }
    }

    /// Counts how long news took that has reached the last member in this turn.
    func noteLags() {
        let now = monotonicMicroseconds()
        for since in woken.takeReached() { tally.noteLag(microseconds: now &- since) }
    }
}
