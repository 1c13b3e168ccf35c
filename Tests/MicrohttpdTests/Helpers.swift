import Dispatch
import HTTPTypes
import Threads
import Microhttpd
import TestSupport

extension Server.Configuration {
    static var test: Self {
        Self(
            host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 1000, connectionsPerAddressMax: 1000,
            headPoolBytes: 8192, requestDeadlineSeconds: 30, idleTimeoutSeconds: 60, listenBacklog: 1024)
    }

    /// This configuration with another value for one property.
    func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: path] = value
        return copy
    }
}

extension Response {
    static func text(
        _ text: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]
    ) -> Response {
        Response(status: status, fields: [], others: fields.isEmpty ? nil : fields, body: Array(text.utf8))
    }
}

/// A handler made of closures. Its refusals name their case.
struct TestHandler: RequestHandler {
    var bodyBytesMax = 1000
    var admission: (@Sendable (RequestHead) -> Admission)?
    var answer: @Sendable (Request) -> Answer
    /// The number of turns of the loops.
    var turns: Locked<Int>?

    init(bodyBytesMax: Int = 1000, answer: @escaping @Sendable (Request) -> Answer) {
        self.bodyBytesMax = bodyBytesMax
        self.answer = answer
    }

    func admit(_ head: RequestHead) -> Admission {
        admission?(head) ?? .accept(bodyBytesMax: bodyBytesMax)
    }

    func respond(to request: Request) -> Answer {
        answer(request)
    }

    func refusal(_ refusal: Refusal, head: RequestHead?) -> Response {
        .text("\(refusal)", status: refusal.status)
    }

    func turn(_ serve: () -> Void) {
        turns?.withLock { $0 += 1 }
        serve()
    }

    /// Answers with the method, path, query and body of the request.
    static let echo = TestHandler { request in
        let query = request.head.query.map { "\($0.name)=\($0.value ?? "nil")" }.joined(separator: ";")
        let body = String(decoding: request.body.bytes, as: UTF8.self)
        return .send(.text("\(request.head.method) \(request.head.path) [\(query)] \(body)"))
    }
}

/// A handler that holds its loop at `/gate` until the test releases it. It answers other requests with their path.
final class Gate: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    var handler: TestHandler {
        TestHandler { [self] request in
            if request.head.path == "/gate" {
                entered.signal()
                opened.wait()
            }
            return .send(.text(request.head.path.string))
        }
    }

    func waitUntilEntered() { entered.wait() }
    func open() { opened.signal() }
}

/// Runs a server during `body`.
func withServer(
    _ handler: TestHandler, _ configuration: Server.Configuration = .test, _ body: (Server) throws -> Void
) throws {
    let server = try Server(configuration, handler: handler)
    defer { server.stop(graceSeconds: 0) }
    try body(server)
}

func get(_ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n"
}

func post(_ path: String, _ body: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
