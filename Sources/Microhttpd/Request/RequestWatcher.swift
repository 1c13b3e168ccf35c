public import HTTPTypes

/// Is told how a request ends, such as for a line of a log. The loop calls it on its own thread.
public protocol RequestWatcher: AnyObject, Sendable {
    /// An answer has been handed over. It is the last one, unless the client leaves before it is out.
    ///
    /// - Parameter route: The number of `RequestHead.note(route:)`; 0 if there is none.
    func noteAnswer(_ response: Response, status: HTTPResponse.Status, route: Int)

    /// The request is over, whether or not it was answered.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the body, or of the stream so far.
    ///   - microseconds: The time since the first line of the request.
    func noteEnd(bytes: Int, microseconds: UInt64)
}

extension EventLoop {
    /// Has somebody told how the request ends that has just arrived.
    func watch(_ exchange: Exchange, _ head: RequestHead?) {
        exchange.watcher = head.flatMap { handler.watcher(of: $0) }
    }

    func tellAnswer(_ response: Response, _ exchange: Exchange, _ status: HTTPResponse.Status) {
        exchange.watcher?.noteAnswer(response, status: status, route: Int(exchange.route))
    }

    func tellEnd(of exchange: Exchange) {
        guard let watcher = exchange.watcher else { return }
        exchange.watcher = nil
        watcher.noteEnd(bytes: exchange.sentBytes, microseconds: monotonicMicroseconds() &- exchange.began)
    }
}

extension Response {
    /// The first value of a field that was known when the program was built.
    public func field(_ name: StaticString) -> ByteText? { lines.value(of: name) }
}
