public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network of `URLSession`.
public final class URLSessionTransport: Transport {
    private let url: URL
    private let session: URLSession
    private let streams: URLSession
    private let delegate = StreamDelegate()

    /// The network between this device and a server.
    ///
    /// - Parameters:
    ///   - url: The address of the server.
    ///   - silenceSeconds: The longest silence of an answer, 1 to 86,400. A server says something every 15 s.
    public init(_ url: URL, silenceSeconds: Int = 45) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Double(min(max(silenceSeconds, 1), 86_400))
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
        // Each stream has a connection to itself if the server speaks HTTP/1.1, and one more while it is made anew.
        configuration.httpMaximumConnectionsPerHost = 2 * ListStateClient.partsMax
        streams = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.invalidateAndCancel()
        streams.invalidateAndCancel()
    }

    /// Sends a request, and waits for the whole answer.
    public func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        let (data, response) = try await session.data(for: urlRequest(request))
        return (WireHead(response), [UInt8](data))
    }

    /// Sends a request, and hands on the answer as it comes.
    public func open(
        _ request: WireRequest
    ) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        let task = streams.dataTask(with: try urlRequest(request))
        let (body, pieces) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        pieces.onTermination = { end in
            // Foundation on Linux ends the program if a task is cancelled that is just being completed.
            if case .cancelled = end { task.cancel() }
        }
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { head in
                delegate.begin(task, head: head, body: pieces)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return (head, body)
    }

    private func urlRequest(_ request: WireRequest) throws -> URLRequest {
        guard let url = URL(string: request.target, relativeTo: url) else { throw URLError(.badURL) }
        var built = URLRequest(url: url)
        built.httpMethod = request.method
        for (name, value) in request.fields { built.setValue(value, forHTTPHeaderField: name) }
        built.httpBody = request.body.map { Data($0) }
        return built
    }
}

/// Hands what streams bring to those who read them.
private final class StreamDelegate: NSObject, URLSessionDataDelegate {
    private struct Reader {
        var head: CheckedContinuation<WireHead, any Error>?
        let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    }

    /// `Mutex` would need iOS 18.
    private let lock = NSLock()
    /// - Safety: `nonisolated(unsafe)` is sound because every use is within `lock`.
    nonisolated(unsafe) private var readers: [Int: Reader] = [:]

    func begin(
        _ task: URLSessionTask, head: CheckedContinuation<WireHead, any Error>,
        body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) {
        lock.withLock { readers[task.taskIdentifier] = Reader(head: head, body: body) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let id = dataTask.taskIdentifier
        let head = lock.withLock {
            defer { readers[id]?.head = nil }
            return readers[id]?.head
        }
        head?.resume(returning: WireHead(response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let body = lock.withLock { readers[dataTask.taskIdentifier]?.body }
        body?.yield([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let reader = lock.withLock { readers.removeValue(forKey: task.taskIdentifier) }
        reader?.head?.resume(throwing: error ?? URLError(.badServerResponse))
        reader?.body.finish(throwing: error)
    }
}

extension WireHead {
    fileprivate init(_ response: URLResponse) {
        let response = response as? HTTPURLResponse
        var fields: [String: String] = [:]
        for (name, value) in response?.allHeaderFields ?? [:] { fields["\(name)"] = "\(value)" }
        self.init(code: response?.statusCode ?? 0, fields: fields)
    }
}
