#if canImport(CCurl)
    import CCurl
    public import Foundation

    /// The network of libcurl, on one thread that sleeps while nothing comes. Linux only.
    ///
    /// `URLSession` keeps a processor of Linux busy for as long as it waits for an answer, because it goes on asking
    /// whether it could send something. A client with its stream waits all the time.
    ///
    /// Requests are those of HTTP/1.1. Redirects are not followed, and cookies are not kept. The authorities that are trusted are those of the system, or those of the file that
    /// the environment names as `SSL_CERT_FILE`.
    public final class CurlTransport: Transport {
        private let url: URL
        private let silenceSeconds: Int
        private let network: CurlNetwork

        /// The network between this device and a server; nil where libcurl 7.68 or later is missing.
        ///
        /// - Parameters:
        ///   - url: The address of the server.
        ///   - silenceSeconds: The longest silence of an answer, 1 to 86,400. A server says something every 15 s.
        public init?(_ url: URL, silenceSeconds: Int = 45) {
            guard let network = CurlNetwork() else { return nil }
            (self.url, self.silenceSeconds, self.network) = (url, min(max(silenceSeconds, 1), 86_400), network)
        }

        /// Sends a request, and waits for the whole answer.
        ///
        /// - Throws: ``CurlError``; `URLError` if the target is no URL; `CancellationError`.
        public func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
            let (head, pieces) = try await open(request)
            var body: [UInt8] = []
            for try await piece in pieces { body += piece }
            // A sequence ends without an error when its task is cancelled.
            try Task.checkCancellation()
            return (head, body)
        }

        /// Sends a request, and hands on the answer as it comes.
        ///
        /// - Throws: As `send`. The sequence throws ``CurlError`` if the answer is cut or silent.
        public func open(
            _ request: WireRequest
        ) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
            let (body, pieces) = AsyncThrowingStream.makeStream(of: [UInt8].self)
            let listener = AnswerListener(pieces)
            guard let target = URL(string: request.target, relativeTo: url),
                let exchange = CurlExchange(request, target.absoluteString, silenceSeconds, listener)
            else { throw URLError(.badURL) }
            let network = network
            pieces.onTermination = { end in
                if case .cancelled = end { network.cancel(exchange) }
            }
            let head = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { head in
                    listener.head = head
                    network.begin(exchange, listener)
                }
            } onCancel: {
                network.cancel(exchange)
            }
            return (head, body)
        }
    }

    /// The reason of libcurl why there is no answer, or not the whole of it.
    public struct CurlError: Error, CustomStringConvertible {
        /// The number of libcurl for it: `CURLcode`.
        public let code: Int
        /// Its words, in English.
        public let description: String
    }

    /// The thread of libcurl with its connections.
    private final class CurlNetwork: Sendable {
        /// - Safety: `nonisolated(unsafe)` is sound because the calls with it may be made on any thread.
        private nonisolated(unsafe) let handle: OpaquePointer

        init?() {
            guard liststate_network_load() != 0, let handle = liststate_network_new() else { return nil }
            self.handle = handle
        }

        deinit { liststate_network_end(handle) }

        /// The listener is kept until it is told the end.
        func begin(_ exchange: CurlExchange, _ listener: AnswerListener) {
            _ = Unmanaged.passRetained(listener)
            liststate_network_begin(handle, exchange.handle)
        }

        func cancel(_ exchange: CurlExchange) { liststate_network_cancel(handle, exchange.handle) }
    }

    /// One request of libcurl.
    private final class CurlExchange: Sendable {
        /// - Safety: `nonisolated(unsafe)` is sound because the calls with it may be made on any thread.
        nonisolated(unsafe) let handle: OpaquePointer

        init?(_ request: WireRequest, _ url: String, _ silenceSeconds: Int, _ listener: AnswerListener) {
            let lines = request.fields.map { strdup($0.value.isEmpty ? "\($0.key);" : "\($0.key): \($0.value)") }
            defer { for line in lines { free(line) } }
            var calls = AnswerListener.calls
            let context = Unmanaged.passUnretained(listener).toOpaque()
            let authorities = getenv("SSL_CERT_FILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            let handle = request.method.withCString { method in
                lines.map { UnsafePointer($0) }.withUnsafeBufferPointer { fields in
                    (request.body ?? []).withUnsafeBytes { body in
                        withCString(authorities) { authorities in
                            var request = liststate_request(
                                method: method, fields: fields.baseAddress, field_count: fields.count,
                                body: request.body == nil ? nil : body.baseAddress ?? UnsafeRawPointer(method),
                                body_size: body.count, authorities: authorities)
                            return liststate_exchange_new(&request, url, silenceSeconds, &calls, context)
                        }
                    }
                }
            }
            guard let handle else { return nil }
            self.handle = handle
        }

        deinit { liststate_exchange_release(handle) }
    }

    private func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    /// Hands what an answer brings to its reader. After its start only the thread of the network uses it.
    ///
    /// - Safety: `@unchecked Sendable` is sound because `head` is set before the request is begun.
    private final class AnswerListener: @unchecked Sendable {
        var head: CheckedContinuation<WireHead, any Error>?
        private let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
        private var code = 0
        private var fields: [String: String] = [:]

        init(_ body: AsyncThrowingStream<[UInt8], any Error>.Continuation) { self.body = body }

        static let calls = liststate_listener(
            field: { context, bytes, count in
                listener(context)?.take(line: UnsafeRawBufferPointer(start: bytes, count: count))
            },
            content: { context, bytes, count in
                listener(context)?.body.yield([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
            },
            end: { context, code, text in
                guard let context else { return }
                let listener = Unmanaged<AnswerListener>.fromOpaque(context).takeRetainedValue()
                listener.end(Int(code), text.map { String(cString: $0) } ?? "")
            })

        private static func listener(_ context: UnsafeMutableRawPointer?) -> AnswerListener? {
            context.map { Unmanaged<AnswerListener>.fromOpaque($0).takeUnretainedValue() }
        }

        /// A line of the head: that with the status, a field, or the empty one at its end.
        ///
        /// It is read as bytes: Swift compares a `String` by canonical equivalence, in quadratic time at worst.
        private func take(line bytes: UnsafeRawBufferPointer) {
            if bytes.starts(with: "HTTP/".utf8) {
                let digits = bytes.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
                code = Int(String(decoding: digits, as: UTF8.self)) ?? 0
                fields = [:]
            } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
                // No name of a field has other characters.
                guard bytes[..<colon].allSatisfy({ $0 < 0x80 }) else { return }
                let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
                let start = bytes[(colon + 1)...].drop(while: Self.isSpace)
                let end = start.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start.startIndex
                let value = String(decoding: start[..<end], as: UTF8.self)
                if fields[name] == nil { fields[name] = value } else { fields[name]? += ", \(value)" }
            } else if code >= 200, bytes.allSatisfy(Self.isSpace) {
                head?.resume(returning: WireHead(code: code, fields: fields))
                head = nil
            }
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
        }

        private func end(_ code: Int, _ text: String) {
            let error: (any Error)? =
                switch code {
                case 0: nil
                case 42: CancellationError()
                case 28 where text.isEmpty: CurlError(code: code, description: "nothing has come for too long")
                default: CurlError(code: code, description: text.isEmpty ? "libcurl says \(code)" : text)
                }
            head?.resume(throwing: error ?? URLError(.badServerResponse))
            head = nil
            body.finish(throwing: error)
        }
    }
#endif
