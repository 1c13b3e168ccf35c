import Foundation
import HTTPTypes
import JSONValue
import Microhttpd
import Threads

@testable import JSONWebTokens

/// A file with keys, and its source. It is removed with this object.
final class KeyFileHere: Sendable {
    let path: String
    let source: KeySource

    init(_ bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)").path
        source = KeySource(.file(path), everySeconds: 3_600, clock: { 0 }, report: { _ in })
        try write(bytes)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path), options: .atomic) }

    /// A verifier with the keys of the file.
    func verifier() throws -> TokenVerifier<WebToken> {
        _ = try source.look()
        return TokenVerifier(
            source: source, issuer: "https://a.example", audience: "lists", leewaySeconds: 30, cachedMax: 100
        ) { token throws(WebTokenError) in token }
    }
}

/// A server that publishes keys, and can do so badly.
final class Issuer: Sendable {
    enum Reply: Sendable {
        case send(HTTPResponse.Status, [UInt8])
        /// The request is not answered.
        case silence
    }

    private struct State: Sendable {
        var reply: Reply
        var paths: [ByteText] = []
    }

    private struct Handler: RequestHandler {
        let state: Locked<State>
        let waiting = Locked([Resumption]())

        func admit(_ head: RequestHead) -> Admission { .accept(bodyBytesMax: 0) }

        func respond(to request: Request) -> Answer {
            let path = request.head.path
            let reply = state.change { state in
                state.paths.append(path)
                return state.reply
            }
            switch reply {
            case .send(let status, let body):
                return .send(
                    Response(status: status, fields: [], others: [.location: "/elsewhere"], body: body))
            case .silence: return .later { resumption in waiting.withLock { $0.append(resumption) } }
            }
        }

        func refusal(_ refusal: Microhttpd.Refusal, head: RequestHead?) -> Response {
            Response(status: .badRequest, fields: [], body: [])
        }
    }

    let server: Server
    private let state: Locked<State>
    var url: String { "http://127.0.0.1:\(server.port)/keys" }
    /// The paths of the requests that have come.
    var paths: [ByteText] { state.withLock { $0.paths } }

    convenience init(_ status: HTTPResponse.Status, _ body: [UInt8]) throws { try self.init(.send(status, body)) }

    init(_ reply: Reply) throws {
        state = Locked(State(reply: reply))
        let configuration = Server.Configuration(
            host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 10, connectionsPerAddressMax: 10,
            requestDeadlineSeconds: 30, idleTimeoutSeconds: 60, listenBacklog: 16)
        server = try Server(configuration, handler: Handler(state: state))
    }

    /// Replies so from now on.
    func reply(_ reply: Reply) { state.withLock { $0.reply = reply } }

    func waitForRequest() { state.wait(until: { !$0.paths.isEmpty }) { _ in } }

    /// A source of these keys without a thread.
    func source() -> KeySource { KeySource(.url(url), everySeconds: 3_600, clock: { 0 }, report: { _ in }) }
}
