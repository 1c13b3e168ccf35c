import JSONValue
import TestSupport

/// Replays the story of `x-scenario` on a server. `x-scenario-rules` in openapi.yaml says how it is read.
struct OpenAPIScenario {
    private let document: OpenAPIDocument
    private let client: HTTPClient
    /// The real values for the stand-ins in the examples.
    private var captured: [(standIn: String, text: String)] = []

    init(_ document: OpenAPIDocument, _ client: HTTPClient) {
        self.document = document
        self.client = client
    }

    /// Sends the request of a step, and compares the answer with the expectation and with the description of the
    /// operation.
    ///
    /// - Returns: The differences; empty if there are none.
    mutating func replay(_ step: JSONValue) throws -> [String] {
        guard let operation = step["operationId"]?.string.flatMap(document.operation) else {
            return ["no such operation"]
        }
        if step["expect"]?["events"] != nil { return try followed(step, operation) }
        let answer = try send(step, operation)
        for (standIn, source) in step["capture"]?.members ?? [] {
            guard let text = try Self.text(of: source, in: answer) else { return ["nothing to capture for \(standIn)"] }
            captured.append((standIn.string, text))
        }
        guard let expected = step["expect"] else { return ["nothing is expected"] }
        return try unmet(expected, operation, answer) + undescribed(answer, operation)
    }

    private func read(_ value: JSONValue) -> JSONValue { value.mappingStrings(read) }

    private func read(_ string: String) -> String {
        captured.reduce(string) { $0.replacing($1.standIn, with: $1.text) }
    }

    private static func text(of source: JSONValue, in answer: RawResponse) throws -> String? {
        let member = try source["pointer"]?.string.flatMap { try JSONValue(parsing: answer.body).value(at: $0)?.string }
        guard let place = source["header"]?.string.flatMap({ answer[$0] }) ?? member,
            let pattern = source["pattern"]?.string
        else { return nil }
        return try Regex(pattern).firstMatch(in: place)?.output[1].substring.map(String.init)
    }
}

// MARK: - The request

extension OpenAPIScenario {
    private func send(_ step: JSONValue, _ operation: OpenAPIOperation) throws -> RawResponse {
        var fields = (step["headers"]?.members ?? []).map { ($0.key.string, read($0.value.string ?? "")) }
        guard let body = step["body"] ?? step["request"]?.string.flatMap(operation.request) else {
            return try client.send(operation.method, target(step, operation), fields)
        }
        fields.append(("Content-Type", step["contentType"]?.string ?? operation.requestContent[0].type))
        return try client.send(operation.method, target(step, operation), fields, body: read(body).bytes)
    }

    /// The differences between the first events of a stream and the expected ones.
    private func followed(_ step: JSONValue, _ operation: OpenAPIOperation) throws -> [String] {
        let fields = (step["headers"]?.members ?? []).map { ($0.key.string, read($0.value.string ?? "")) }
        let body = step["request"]?.string.flatMap(operation.request).map { read($0).bytes }
        let stream = try EventClient(
            port: client.port, target(step, operation), fields.filter { $0.0 != "Accept" }, posting: body)
        guard let response = operation.response(stream.head.status) else { return [stream.head.statusLine] }
        var faults = response.headers.flatMap { name, isRequired, schema in
            guard let text = stream.head[name] else { return isRequired ? ["\(name) is required and missing"] : [] }
            return document.check.faults(in: Self.value(of: text, schema), against: schema, at: name)
        }
        for name in step["expect"]?["events"]?.elements ?? [] {
            let example = response.content.lazy.compactMap { $0.examples[name.string ?? ""] }.first.map(read) ?? .null
            guard let event = try stream.next() else { return faults + ["the stream ends before \(name.text)"] }
            if event.id != example["id"]?.string { faults.append("the id is \(event.id), not \(example.text)") }
            if event.name != example["event"]?.string { faults.append("\(event.name ?? "nothing") is no \(name.text)") }
            let data = try JSONValue(parsing: Array((example["data"]?.string ?? "").utf8))
            faults += event.json.differences(from: data)
        }
        return faults
    }

    private func target(_ step: JSONValue, _ operation: OpenAPIOperation) -> String {
        var path = operation.template
        var query: [String] = []
        for (name, value) in step["parameters"]?.members ?? [] {
            if case .array(let values) = value {
                query += values.map { "\(name)=\(percentEncoded(read($0.string ?? "")))" }
                continue
            }
            let text = percentEncoded(read(value.string ?? ""))
            if let place = path.firstRange(of: "{\(name)}") {
                path.replaceSubrange(place, with: text)
            } else {
                query.append("\(name)=\(text)")
            }
        }
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    /// Encodes everything but the unreserved characters of RFC 3986, section 2.3.
    private func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let character = Character(UnicodeScalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

// MARK: - The answer

extension OpenAPIScenario {
    /// The parts of the expectation that the answer does not meet.
    private func unmet(
        _ expected: JSONValue, _ operation: OpenAPIOperation, _ answer: RawResponse
    ) throws -> [String] {
        guard answer.status == expected["status"]?.integer else { return ["\(answer.statusLine): \(answer.text)"] }
        var faults: [String] = []
        for (name, value) in expected["headers"]?.members ?? [] {
            let wanted = read(value.string ?? "")
            let sent = answer[name.string]
            if sent == nil || wanted != "*" && sent != wanted {
                faults.append("\(name) is \(sent ?? "missing"), not \(wanted)")
            }
        }
        let example = expected["answer"]?.string.map { name in
            operation.response(answer.status)?.content.lazy.compactMap { $0.examples[name] }.first ?? .null
        }
        guard let body = expected["body"] ?? example else { return faults }
        return try faults + JSONValue(parsing: answer.body).differences(from: read(body))
    }

    /// The differences between the answer and the description of its response.
    private func undescribed(_ answer: RawResponse, _ operation: OpenAPIOperation) throws -> [String] {
        guard let response = operation.response(answer.status) else { return ["\(answer.status) is not described"] }
        var faults = response.headers.flatMap { name, isRequired, schema in
            guard let text = answer[name] else { return isRequired ? ["\(name) is required and missing"] : [] }
            return document.check.faults(in: Self.value(of: text, schema), against: schema, at: name)
        }
        guard !answer.body.isEmpty else { return faults }
        guard let media = response.content.first(where: { $0.type == answer["Content-Type"] }) else {
            return faults + ["a body of the type \(answer["Content-Type"] ?? "of nothing") is not described"]
        }
        guard media.type.hasSuffix("json") else { return faults }
        faults += document.check.faults(in: try JSONValue(parsing: answer.body), against: media.schema)
        return faults
    }

    /// The value of a field in the type of its schema.
    private static func value(of text: String, _ schema: JSONValue) -> JSONValue {
        guard schema["type"] == "integer", let number = JSONNumber(literal: text) else { return .string(text) }
        return .number(number)
    }
}
