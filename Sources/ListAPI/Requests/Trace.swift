internal import HTTPTypes
internal import Microhttpd
internal import Texts

/// What an answer carries for the sake of whoever asked, whatever it says.
///
/// A class, because a call and the write that comes of it both hold one.
final class Trace: Sendable {
    let method: HTTPRequest.Method?
    /// As it was sent.
    let path: ByteText
    /// Sent by the client; nil if none was sent, or one that is not fit to be echoed.
    let sentID: ByteText?
    /// The origin of the page that asks, if it may read the answer.
    let origin: ByteText?
    /// Whether another page, or none, might have got another answer.
    let variesByOrigin: Bool

    private static let idBytesMax = 128

    init(_ head: RequestHead, origins: API.Configuration.Origins) {
        method = head.method
        path = head.path
        sentID = head.field(.requestID).flatMap { Self.isFit($0) ? $0 : nil }
        origin = Self.allowedOrigin(head, origins)
        variesByOrigin = origins != .none
    }

    /// Of a request without a head that could be read.
    init(origins: API.Configuration.Origins) {
        method = nil
        path = ""
        sentID = nil
        origin = nil
        variesByOrigin = origins != .none
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
