internal import HTTPTypes
internal import Microhttpd
internal import Texts

/// The parts of a request that every answer to it needs: the request's id, and the page that sent it.
///
/// A class, because a call and the write that it leads to both hold a reference to it.
final class Trace: Sendable {
    let method: HTTPRequest.Method?
    /// The path as it was sent; empty if the head could not be read.
    let path: ByteText
    /// The id that the client sent; nil if it sent none or one that may not be sent back.
    let sentID: ByteText?
    /// The origin of the page that asks, if it may read the answer.
    let origin: ByteText?
    /// The record of the request; nil if nobody wants its line.
    let record: RequestRecord?
    /// Whether a request from another origin might get another answer.
    let variesByOrigin: Bool

    /// The fields by which the client is told that it has nearly used up a quota; nil if it has not.
    let note: Response.Fields?
    /// Whether the client has asked by TLS.
    let isSecure: Bool

    private static let idBytesMax = 128

    /// - Parameters:
    ///   - head: Nil if it could not be read.
    ///   - isWatched: Whether somebody wants the lines of requests.
    convenience init(_ head: RequestHead?, origins: API.Configuration.Origins, isWatched: Bool) {
        self.init(head, origins, isWatched, note: (head?.visitor as? Visit)?.note)
    }

    /// The trace of a request before its sender is known: the visitor of the head is that of the request before.
    convenience init(atTheDoor head: RequestHead, origins: API.Configuration.Origins, isWatched: Bool) {
        self.init(head, origins, isWatched, note: nil)
    }

    private init(
        _ head: RequestHead?, _ origins: API.Configuration.Origins, _ isWatched: Bool, note: Response.Fields?
    ) {
        method = head?.method
        record = isWatched ? head?.record : nil
        path = head?.path ?? ""
        sentID = head?.field(.requestID).flatMap { Self.isFit($0) ? $0 : nil }
        origin = head.flatMap { Self.allowedOrigin($0, origins) }
        variesByOrigin = origins != .none
        self.note = note
        isSecure = head?.isSecure ?? false
    }

    private static func isFit(_ id: ByteText) -> Bool {
        (1...idBytesMax).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func allowedOrigin(_ head: RequestHead, _ origins: API.Configuration.Origins) -> ByteText? {
        switch origins {
        case .none: nil
        case .any: head.field(.origin) == nil ? nil : "*"
        case .these(let allowed): head.field(.origin).flatMap { allowed.contains($0) ? $0 : nil }
        }
    }
}
