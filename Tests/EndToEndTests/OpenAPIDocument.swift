import Foundation
import JSONValue
import TestSupport
import Yams

/// The parts of openapi.yaml that tests need.
struct OpenAPIDocument: Sendable {
    let root: JSONValue
    /// All operations, in the order of the page.
    let operations: [OpenAPIOperation]

    struct Malformed: Error {
        let what: String
    }

    /// - Parameter yaml: The text of the page.
    init(yaml: String) throws {
        guard let node = try Yams.compose(yaml: yaml) else { throw Malformed(what: "an empty page") }
        root = try JSONValue(node)
        var operations: [OpenAPIOperation] = []
        for (template, methods) in root["paths"]?.members ?? [] {
            for (method, value) in methods.members {
                operations.append(try OpenAPIOperation(template.string, method.string, value, in: root))
            }
        }
        self.operations = operations
    }

    /// The openapi.yaml of the project, read once.
    static func ofProject() throws -> OpenAPIDocument { try page.get() }

    private static let page = Result {
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../openapi.yaml").standardized
        return try OpenAPIDocument(yaml: String(contentsOf: page, encoding: .utf8))
    }

    var check: SchemaCheck { SchemaCheck(document: root) }

    func operation(_ id: String) -> OpenAPIOperation? { operations.first { $0.id == id } }

    /// The names of the members that a schema has.
    func properties(of schema: JSONValue) -> Set<String> {
        let target = schema["$ref"]?.string.flatMap { root.value(at: String($0.dropFirst())) } ?? schema
        return Set((target["properties"]?.members ?? []).map(\.key.string))
    }
}

/// One method of one path.
struct OpenAPIOperation: Sendable, CustomStringConvertible {
    struct Parameter: Sendable {
        let name: String
        /// The place of the parameter: `path`, `query` or `header`.
        let place: String
        let schema: JSONValue
    }

    struct Media: Sendable {
        let type: String
        let schema: JSONValue
        /// The examples by their names.
        let examples: JSONObject
    }

    struct Response: Sendable {
        let status: String
        let headers: [(name: String, isRequired: Bool, schema: JSONValue)]
        let content: [Media]
        let links: [JSONValue]
    }

    let id: String
    let method: String
    let template: String
    /// `x-rights`.
    let rights: String
    let parameters: [Parameter]
    let requestContent: [Media]
    let responses: [Response]

    var description: String { id }

    init(_ template: String, _ method: String, _ value: JSONValue, in root: JSONValue) throws {
        guard let id = value["operationId"]?.string else {
            throw OpenAPIDocument.Malformed(what: "\(method) \(template) has no operationId")
        }
        func resolved(_ value: JSONValue) throws -> JSONValue {
            guard let reference = value["$ref"]?.string else { return value }
            guard let target = root.value(at: String(reference.dropFirst())) else {
                throw OpenAPIDocument.Malformed(what: "\(id): \(reference) is nowhere")
            }
            return target
        }
        func media(_ content: JSONValue?, status: String? = nil) -> [Media] {
            (content?.members ?? []).map { type, value in
                let examples = (value["examples"]?.members ?? []).map { ($0.key, $0.value["value"] ?? .null) }
                return Media(
                    type: type.string, schema: Self.schema(of: value, status), examples: JSONObject(examples))
            }
        }
        self.id = id
        self.method = method.uppercased()
        self.template = template
        guard let rights = value["x-rights"]?.string else {
            throw OpenAPIDocument.Malformed(what: "\(id) has no x-rights")
        }
        self.rights = rights
        parameters = try (value["parameters"]?.elements ?? []).map { value in
            let value = try resolved(value)
            guard let name = value["name"]?.string, let place = value["in"]?.string, let schema = value["schema"] else {
                throw OpenAPIDocument.Malformed(what: "\(id): a parameter lacks its name, place or schema")
            }
            return Parameter(name: name, place: place, schema: schema)
        }
        requestContent = media(value["requestBody"]?["content"])
        responses = try (value["responses"]?.members ?? []).map { status, value in
            let value = try resolved(value)
            let headers = try (value["headers"]?.members ?? []).map { name, header in
                let header = try resolved(header)
                return (name.string, header["required"] == .bool(true), header["schema"] ?? .bool(false))
            }
            let links = try (value["links"]?.members ?? []).map { try resolved($0.value) }
            let content = media(value["content"], status: status.string)
            return Response(status: status.string, headers: headers, content: content, links: links)
        }
    }

    /// The schema of a body. The schema of a problem also has the codes and the status that are possible.
    private static func schema(of media: JSONValue, _ status: String?) -> JSONValue {
        let schema = media["schema"] ?? .bool(false)
        guard let codes = media["x-codes"], let status = status.flatMap(Int.init) else { return schema }
        let rules: JSONValue = ["status": ["const": .number(JSONNumber(status))], "code": ["enum": codes]]
        return ["allOf": [schema, ["properties": rules]]]
    }

    func response(_ status: Int) -> Response? { responses.first { $0.status == String(status) } }

    /// The request example with this name.
    func request(_ name: String) -> JSONValue? { requestContent.lazy.compactMap { $0.examples[name] }.first }
}

extension JSONValue {
    /// The node as JSON. A plain scalar is a string unless it is a word or a number of JSON.
    fileprivate init(_ node: Node) throws {
        switch node {
        case .scalar(let scalar): self = scalar.style == .plain ? Self.plain(scalar.string) : .string(scalar.string)
        case .sequence(let sequence): self = .array(try sequence.map { try JSONValue($0) })
        case .mapping(let mapping):
            self = .object(
                JSONObject(
                    try mapping.map { key, value in
                        guard let name = key.scalar?.string else { throw OpenAPIDocument.Malformed(what: "a key") }
                        return (name, try JSONValue(value))
                    }))
        case .alias: throw OpenAPIDocument.Malformed(what: "an alias, which not every reader of OpenAPI knows")
        }
    }

    private static func plain(_ text: String) -> JSONValue {
        switch text {
        case "null": .null
        case "true": .bool(true)
        case "false": .bool(false)
        default: JSONNumber(literal: text).map(JSONValue.number) ?? .string(text)
        }
    }
}
