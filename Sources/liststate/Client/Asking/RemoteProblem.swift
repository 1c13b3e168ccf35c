import JSONValue
import Texts

/// Why a server has refused a request.
struct RemoteProblem: Error {
    let status: Int
    let code: ByteText
    let title: ByteText
    /// What is wrong, and then each place of the body that is wrong.
    let details: [ByteText]
    /// With which number a sequence goes on.
    let expected: Int?

    private static let errorsMax = 5

    init(_ answer: HTTPClient.Answer) {
        let problem = JSONObject(answer: answer.body)
        status = answer.status
        code = problem?["code"]?.textValue ?? ""
        title = problem?["title"]?.textValue ?? ""
        expected = problem?["expected"]?.integerValue
        let whole = problem?["detail"]?.textValue ?? ""
        let errors = problem?["errors"]?.arrayValue.compactMap { error -> ByteText? in
            guard let detail = error.member("detail")?.textValue, !whole.hasSuffix(detail) else { return nil }
            return "\(error.member("pointer")?.textValue ?? ""): \(detail)"
        }
        details = [whole] + (errors ?? []).prefix(Self.errorsMax)
    }

    /// What is wrong, for somebody who gives commands and sends no requests.
    func sentence(of address: ServerAddress) -> String {
        guard !title.isEmpty else {
            // So servers answer what is not TLS.
            let advice = status == 400 && !address.isSecure ? " If that server speaks TLS, write https." : ""
            return "\(address) answered \(status).\(advice)"
        }
        let lines = details.map(Self.withoutRequests).filter { !$0.isEmpty }
        let text = lines.isEmpty ? "\(title)." : lines.joined(separator: "\n  ")
        let shown = text.split(at: "\n").map { printable($0).string }.joined(separator: "\n")
        return ([shown] + advice).joined(separator: " ")
    }

    /// The commands that help.
    private var advice: [String] {
        guard status != 401 else { return ["LISTSTATE_TOKEN, --token-file or --token has the token."] }
        switch code {
        case "not_found" where details[0].hasPrefix("There is no such list"):
            return ["liststate lists shows all of them, and liststate create makes one."]
        case "unknown_item": return ["liststate get \(list) shows all of them."]
        case "unknown_section":
            return ["liststate get \(list) shows all of them, and liststate add \(list) --new-section ID makes one."]
        case "no_sections": return ["liststate add \(list) --new-section ID makes one."]
        case "nothing_to_undo": return ["liststate history \(list) shows what was done."]
        case "unknown_base", "version_gone": return ["liststate history \(list) shows the versions."]
        default: return []
        }
    }

    /// The list that the detail names in a path, or else a word for it.
    private var list: String {
        let bytes = Array(details[0].utf8)
        guard let path = bytes.firstRange(of: Array("/v1/lists/".utf8)) else { return "LIST" }
        let id = bytes[path.upperBound...].prefix { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "._-".utf8.contains(byte)
        }
        return id.isEmpty ? "LIST" : String(decoding: id, as: UTF8.self)
    }

    /// A detail without the requests that it proposes. Of `The list has no item "fig": GET /v1/lists/l returns all of
    /// them.`, what stands before the colon stays.
    private static func withoutRequests(_ detail: ByteText) -> ByteText {
        let sentences = Array(detail.utf8).split(separator: Array(". ".utf8))
        return sentences.enumerated().compactMap { index, sentence -> ByteText? in
            let text = ByteText(decoding: sentence)
            guard let request = requestWords.compactMap({ sentence.firstRange(of: $0)?.lowerBound }).min() else {
                return index == sentences.count - 1 ? text : "\(text)."
            }
            let before = sentence[..<request]
            guard !text.hasPrefix("To "), let colon = before.ranges(of: Array(": ".utf8)).last else { return nil }
            return "\(ByteText(decoding: before[..<colon.lowerBound]))."
        }.joined(separator: " ")
    }

    private static let requestWords = ["/v1/", "Authorization", "{\"op\":\"moveItem\""].map { Array($0.utf8) }
}
