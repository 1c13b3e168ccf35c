public import JSONValue

/// Checks values against JSON Schema (draft 2020-12), with the keywords that openapi.yaml uses.
///
/// It also checks the rules that openapi.yaml keeps beside its schemas because generators of clients do not understand
/// them. An unknown keyword is a fault too, so that no rule is left unchecked.
public struct SchemaCheck: Sendable {
    /// The document that references such as `#/components/schemas/Item` point into.
    let document: JSONValue
    /// The named schemas by their references. References are followed very often.
    private let schemas: [JSONValue: JSONValue]

    public init(document: JSONValue) {
        self.document = document
        let named = document["components"]?["schemas"]?.members ?? []
        schemas = Dictionary(
            named.map { (.string("#/components/schemas/\($0.key)"), $0.value) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// The faults of `value`, each with its place; empty if the value is valid.
    ///
    /// - Parameter place: The place of the value as a JSON Pointer (RFC 6901).
    public func faults(in value: JSONValue, against schema: JSONValue, at place: String = "") -> [String] {
        switch schema {
        case .bool(true): return []
        case .bool(false): return ["\(place): nothing may stand here"]
        case .object(let keywords):
            let subject = Subject(value: value, place: place)
            return keywords.members.flatMap { faults(in: subject, $0.key.string, $0.value, beside: keywords) }
        case .null, .number, .string, .array: return ["\(place): this is no schema: \(schema.text)"]
        }
    }

    func isValid(_ value: JSONValue, against schema: JSONValue) -> Bool {
        faults(in: value, against: schema).isEmpty
    }

    /// A value and its place.
    struct Subject {
        var value: JSONValue
        var place: String

        func fault(_ text: String) -> [String] { ["\(place): \(text)"] }
    }

    private func faults(
        in subject: Subject, _ keyword: String, _ argument: JSONValue, beside keywords: JSONObject
    ) -> [String] {
        switch keyword {
        case "$ref": referenced(subject, argument)
        case "x-rules": faults(in: subject.value, against: argument, at: subject.place)
        case "allOf", "anyOf", "oneOf", "not": combined(subject, keyword, argument)
        case "type", "enum", "const", "x-known-values": general(subject, keyword, argument)
        case "minimum", "maximum": number(subject, keyword, argument)
        case "pattern", "minLength", "maxLength", "x-max-bytes": string(subject, keyword, argument)
        case "items", "minItems", "maxItems", "uniqueItems": array(subject, keyword, argument)
        case "minProperties", "maxProperties", "properties", "required", "propertyNames", "dependentRequired":
            object(subject, keyword, argument)
        case "additionalProperties": others(subject, argument, beside: keywords)
        case "x-closed": others(subject, .bool(argument != .bool(true)), beside: keywords)
        case "description", "default", "examples", "discriminator", "x-swift-identifiable": []
        default: subject.fault("the keyword \(keyword) is not checked")
        }
    }
}

// MARK: - Schemas in schemas

extension SchemaCheck {
    private func referenced(_ subject: Subject, _ argument: JSONValue) -> [String] {
        if let schema = schemas[argument] { return faults(in: subject.value, against: schema, at: subject.place) }
        guard case .string(let reference) = argument, let pointer = reference.dropping(prefix: "#"),
            let schema = document.value(at: pointer.string)
        else { return subject.fault("a reference to nothing: \(argument.text)") }
        return faults(in: subject.value, against: schema, at: subject.place)
    }

    private func combined(_ subject: Subject, _ keyword: String, _ argument: JSONValue) -> [String] {
        guard keyword != "not" else {
            return isValid(subject.value, against: argument) ? subject.fault("is what it must not be") : []
        }
        let all = argument.elements.map { faults(in: subject.value, against: $0, at: subject.place) }
        let matchCount = all.count { $0.isEmpty }
        switch keyword {
        case "allOf": return all.flatMap { $0 }
        case "anyOf" where matchCount > 0, "oneOf" where matchCount == 1: return []
        default: return subject.fault("matches \(matchCount) of \(keyword)") + all.flatMap { $0 }
        }
    }
}

// MARK: - One value

extension SchemaCheck {
    private func general(_ subject: Subject, _ keyword: String, _ argument: JSONValue) -> [String] {
        switch keyword {
        case "const":
            return subject.value == argument ? [] : subject.fault("is not \(argument.text)")
        case "enum", "x-known-values":
            return argument.elements.contains(subject.value) ? [] : subject.fault("is none of \(argument.text)")
        default:
            let names = argument.string.map { [$0] } ?? argument.elements.compactMap(\.string)
            return names.contains { subject.value.isOf(type: $0) } ? [] : subject.fault("is no \(argument.text)")
        }
    }

    private func number(_ subject: Subject, _ keyword: String, _ argument: JSONValue) -> [String] {
        guard case .number(let number) = subject.value, case .number(let bound) = argument else { return [] }
        guard let value = number.double, let limit = bound.double else { return subject.fault("is out of range") }
        let isWithin = keyword == "minimum" ? value >= limit : value <= limit
        return isWithin ? [] : subject.fault("is beyond \(keyword) \(argument.text)")
    }

    private func string(_ subject: Subject, _ keyword: String, _ argument: JSONValue) -> [String] {
        guard case .string(let string) = subject.value else { return [] }
        guard keyword == "pattern" else {
            // A length is a number of code points (JSON Schema validation, section 6.3).
            guard let limit = argument.integer else { return subject.fault("\(keyword) is no number") }
            let count = keyword == "x-max-bytes" ? string.utf8.count : string.scalarCount
            let isWithin = keyword == "minLength" ? count >= limit : count <= limit
            return isWithin ? [] : subject.fault("has a length of \(count), \(keyword) is \(limit)")
        }
        guard let pattern = argument.string, let regex = try? Regex(pattern).matchingSemantics(.unicodeScalar) else {
            return subject.fault("no pattern: \(argument.text)")
        }
        return string.string.contains(regex) ? [] : subject.fault("\(string) does not match \(pattern)")
    }
}

// MARK: - Arrays and objects

extension SchemaCheck {
    private func array(_ subject: Subject, _ keyword: String, _ argument: JSONValue) -> [String] {
        guard case .array(let elements) = subject.value else { return [] }
        switch keyword {
        case "minItems":
            return elements.count >= argument.integer ?? 0 ? [] : subject.fault("has too few elements")
        case "maxItems":
            return elements.count <= argument.integer ?? 0 ? [] : subject.fault("has too many elements")
        case "uniqueItems":
            return Set(elements).count == elements.count ? [] : subject.fault("has an element twice")
        default:
            return elements.enumerated().flatMap { index, element in
                faults(in: element, against: argument, at: "\(subject.place)/\(index)")
            }
        }
    }

    private func object(_ subject: Subject, _ keyword: String, _ argument: JSONValue) -> [String] {
        guard case .object(let object) = subject.value else { return [] }
        switch keyword {
        case "minProperties":
            return object.count >= argument.integer ?? 0 ? [] : subject.fault("has too few members")
        case "maxProperties":
            return object.count <= argument.integer ?? 0 ? [] : subject.fault("has too many members")
        case "required":
            return missing(argument, in: object, subject)
        case "dependentRequired":
            return argument.members.filter { object[$0.key] != nil }.flatMap { missing($0.value, in: object, subject) }
        case "propertyNames":
            return object.members.flatMap { faults(in: .string($0.key), against: argument, at: subject.place) }
        default:
            return argument.members.flatMap { name, schema in
                object[name].map { faults(in: $0, against: schema, at: "\(subject.place)/\(name)") } ?? []
            }
        }
    }

    /// The faults of the members that `properties` does not name.
    private func others(_ subject: Subject, _ schema: JSONValue, beside keywords: JSONObject) -> [String] {
        guard case .object(let object) = subject.value else { return [] }
        let named = keywords["properties"]?.members.map(\.key) ?? []
        return object.members.filter { !named.contains($0.key) }.flatMap { name, value in
            faults(in: value, against: schema, at: "\(subject.place)/\(name)")
        }
    }

    private func missing(_ names: JSONValue, in object: JSONObject, _ subject: Subject) -> [String] {
        names.elements.compactMap(\.string).filter { object[$0] == nil }.flatMap { subject.fault("lacks \($0)") }
    }
}
