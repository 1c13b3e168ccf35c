import ClientState
import Foundation
import Texts

/// Sends requests with the token of the application.
@MainActor final class Wire {
    /// Gives the token of the user, which may be another one each time.
    typealias Token = @Sendable () async throws -> String

    private let transport: any Transport
    private let token: Token?
    private var secret: String?
    private var renewal: Task<String, any Error>?

    init(_ transport: any Transport, token: Token?) { (self.transport, self.token) = (transport, token) }

    /// The whole answer to a request. After a 401 the application is asked for another token, once.
    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        let (sent, secret) = try await authorized(request)
        let answer = try await transport.send(sent)
        guard answer.head.code == 401, secret != nil else { return answer }
        forget(secret)
        return try await transport.send(try await authorized(request).request)
    }

    /// The stream that answers a request.
    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        let (sent, secret) = try await authorized(request)
        let answer = try await transport.open(sent)
        if answer.head.code == 401 { forget(secret) }
        return answer
    }

    /// The token is not good any more.
    func forgetToken() { secret = nil }

    private func forget(_ refused: String?) { if secret == refused { secret = nil } }

    private func authorized(_ request: WireRequest) async throws -> (request: WireRequest, secret: String?) {
        guard let token else { return (request, nil) }
        let current: String
        if let secret { current = secret } else { current = try await renewed(token) }
        var request = request
        request.fields["Authorization"] = "Bearer \(current)"
        return (request, current)
    }

    /// Asks the application once, however many requests need a token.
    private func renewed(_ token: @escaping Token) async throws -> String {
        let task = renewal ?? Task { try await token() }
        renewal = task
        defer { renewal = nil }
        let new = try await task.value
        secret = new
        return new
    }
}

extension WireRequest {
    /// A request with a body of JSON, or without one.
    init(_ method: String, _ target: String, json body: [UInt8]? = nil, _ fields: [String: String] = [:]) {
        var fields = fields
        if fields["Accept"] == nil { fields["Accept"] = "application/json" }
        if body != nil { fields["Content-Type"] = "application/json" }
        self.init(method: method, target: target, fields: fields, body: body)
    }
}
