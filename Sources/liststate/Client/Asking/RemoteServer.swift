import Glibc
import JSONValue
import ListModel
import Texts

/// A server, and the token with which a command asks it.
struct RemoteServer {
    let address: ServerAddress
    let token: String?

    /// The longest time in seconds in which an answer does not go on.
    private static let patience = 60
    /// The most bytes of an answer: more than a list of two million items has.
    static let answerBytesMax = 2 << 30

    /// Sends a request, and returns the answer whatever its status is.
    ///
    /// - Throws: `.client` if there is no answer.
    func send(
        _ method: String, _ path: String, fields: [(name: String, value: String)] = [], json: [UInt8]? = nil
    ) throws(Failure) -> HTTPClient.Answer {
        let reader = AnswerReader(contentBytesMax: Self.answerBytesMax)
        let all = try address.credentials(token) + fields
        do throws(HTTPClient.Fault) {
            try HTTPClient(address: address, patience: Self.patience)
                .send(method, path, fields: all, json: json, to: reader)
        } catch {
            throw .client(error, address)
        }
        guard let answer = reader.whole else { throw .client(.noAnswer, address) }
        return answer
    }

    /// Sends a request, and returns the answer if it is a success.
    ///
    /// - Throws: `.problem` if it is not.
    func answer(
        _ method: String, _ path: String, fields: [(name: String, value: String)] = [], json: [UInt8]? = nil
    ) throws(Failure) -> HTTPClient.Answer {
        let answer = try send(method, path, fields: fields, json: json)
        guard (200..<300).contains(answer.status) else { throw .problem(RemoteProblem(answer), address) }
        return answer
    }

    /// Sends a GET, and returns the object that is answered.
    func object(_ path: String) throws(Failure) -> JSONObject { try object(in: answer("GET", path)) }

    /// The object that an answer has.
    func object(in answer: HTTPClient.Answer) throws(Failure) -> JSONObject {
        guard let object = JSONObject(answer: answer.body) else { throw noForm }
        return object
    }

    /// The next page of an answer; nil behind the last one.
    ///
    /// - Throws: `.failed` if `Link` leads somewhere else.
    func next(after answer: HTTPClient.Answer) throws(Failure) -> String? {
        for link in (answer["Link"] ?? "").split(at: ",") where link.hasSuffix("; rel=\"next\"") {
            let path = link.split(at: ";")[0].trimmed.trimmed { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
            // Only a path of the same server, of characters that may stand in the head of a request.
            guard path.hasPrefix("/v1/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw noForm }
            return path.string
        }
        return nil
    }

    var noForm: Failure { .failed("\(address) answers in a form that this program does not know.", 76) }
}

/// Why a server has refused a request.
struct RemoteProblem: Error {
    let status: Int
    let code: ByteText
    let title: ByteText
    let detail: ByteText
    /// With which number a sequence goes on.
    let expected: Int?

    init(_ answer: HTTPClient.Answer) {
        let problem = JSONObject(answer: answer.body)
        status = answer.status
        code = problem?["code"]?.textValue ?? ""
        title = problem?["title"]?.textValue ?? ""
        expected = problem?["expected"]?.integerValue
        let errors = problem?["errors"]?.arrayValue.compactMap { error -> ByteText? in
            guard let detail = error.member("detail")?.textValue else { return nil }
            return "\(error.member("pointer")?.textValue ?? ""): \(detail)"
        }
        let whole = problem?["detail"]?.textValue ?? ""
        detail = ([whole] + (errors ?? []).filter { !whole.hasSuffix($0) }.prefix(5)).joined(separator: "\n  ")
    }

    /// The title and the detail, for a person.
    func sentence(of address: ServerAddress) -> String {
        guard !title.isEmpty else { return "\(address) answered \(status)." }
        let advice = status == 401 ? " LISTSTATE_TOKEN, --token-file or --token has the token." : ""
        let lines = detail.split(at: "\n").map { printable($0).string }
        return "\(printable(title).string). \(lines.joined(separator: "\n"))\(advice)"
    }
}

extension JSONObject {
    /// The object that an answer of a server is; nil if it is none.
    init?(answer bytes: [UInt8]) {
        // The deepest one: {"changes":{"sections":{"inserted":[{"section":{"items":[{"content":…}]}}]}}}
        guard case .object(let object)? = try? JSONValue(parsing: bytes, levelsAround: 12) else { return nil }
        self = object
    }
}

/// Values of an answer, whose form is the contract's. What has another form is nil or empty.
extension JSONValue {
    func member(_ name: ByteText) -> JSONValue? { objectValue?[name] }

    var objectValue: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    var textValue: ByteText? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var integerValue: Int? {
        guard case .number(let number) = self else { return nil }
        return number.integer
    }

    var arrayValue: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}

/// Whether a list can have this id.
func isListID(_ text: String) -> Bool { ListID(ByteText(text)) != nil }

/// A text as it stands in a query, percent-encoded.
func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded = ""
    for byte in text.utf8 {
        let scalar = Unicode.Scalar(byte)
        let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
        if isPlain || "-._~".utf8.contains(byte) {
            encoded.unicodeScalars.append(scalar)
        } else {
            for digit in [digits[Int(byte >> 4)], digits[Int(byte & 15)]].enumerated() {
                if digit.offset == 0 { encoded += "%" }
                encoded.unicodeScalars.append(Unicode.Scalar(digit.element))
            }
        }
    }
    return encoded
}

/// A query of these parameters; empty without any.
func query(_ parameters: [(name: String, value: String)]) -> String {
    guard !parameters.isEmpty else { return "" }
    return "?" + parameters.map { "\($0.name)=\(percentEncoded($0.value))" }.joined(separator: "&")
}
