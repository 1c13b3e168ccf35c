import Texts

/// Reads an HTTP answer from its bytes, in pieces as they come: the head, and then the content.
///
/// The content of an answer that goes on is taken piece by piece (`onContent`, `takeContent`). Any other is kept until
/// the answer has ended.
final class AnswerReader {
    private var head: [UInt8] = []
    private(set) var answer: HTTPClient.Answer?
    private let contentBytesMax: Int
    private var isTooLong = false
    private var taken = 0

    /// Called after each piece of the content. False ends the request.
    var onContent: (HTTPClient.Answer) -> Bool = { _ in true }

    private static let headBytesMax = 64 * 1024

    /// - Parameter contentBytesMax: The most bytes of content that are kept at a time.
    init(contentBytesMax: Int) { self.contentBytesMax = contentBytesMax }

    /// Adds a piece. Returns false if nothing more is wanted.
    func add(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard answer == nil else { return addContent(piece) }
        let searched = max(0, head.count - 3)
        head += piece
        guard let end = head[searched...].firstRange(of: Self.headEnd) else {
            isTooLong = head.count > Self.headBytesMax
            return !isTooLong
        }
        let rest = Array(head[end.upperBound...])
        let found = Self.answer(with: head[..<end.lowerBound])
        head = []
        // Answers of 1xx come before the real one.
        if let found, !(100..<200).contains(found.status) { answer = found }
        guard found != nil else { return false }
        return rest.isEmpty || rest.withUnsafeBytes(add)
    }

    private func addContent(_ piece: UnsafeRawBufferPointer) -> Bool {
        isTooLong = piece.count > contentBytesMax - (answer?.body.count ?? 0)
        guard !isTooLong else { return false }
        answer?.body += piece
        return answer.map(onContent) ?? false
    }

    /// Takes the content that has come since the last call.
    func takeContent() -> [UInt8] {
        let content = answer?.body ?? []
        answer?.body = []
        taken += content.count
        return content
    }

    /// The answer; nil if it is no HTTP, is too long, or has ended too early.
    var whole: HTTPClient.Answer? {
        guard let answer, !isTooLong else { return nil }
        guard let length = answer["Content-Length"].flatMap({ Int($0) }) else { return answer }
        return length == answer.body.count + taken ? answer : nil
    }

    private static let headEnd = Array("\r\n\r\n".utf8)

    private static func answer(with head: ArraySlice<UInt8>) -> HTTPClient.Answer? {
        let lines = ByteText(decoding: head).split(at: "\n").map { $0.trimmed { $0 == 0x0D || $0 == 0x20 } }
        let words = lines[0].split(at: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (100..<600).contains(status)
        else { return nil }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(at: ":", splitsMax: 1)
            return (name: parts[0].lowercasedASCII, value: parts.count > 1 ? parts[1].trimmed : "")
        }
        return HTTPClient.Answer(status: status, fields: fields, body: [])
    }
}
