internal import ListDiff
internal import ListModel
internal import Microhttpd

/// The query of a request, each name known and given at most once.
struct Query {
    private var values: [QueryParameter: String] = [:]

    init() {}

    /// - Throws: `invalid` (422) for an unknown or repeated name, `bad_request` for what does not decode.
    init(_ items: [QueryItem], allowed: [QueryParameter]) throws(Problem) {
        for item in items {
            guard let name = formDecoded(item.name.utf8),
                let value = formDecoded((item.value ?? "").utf8)
            else {
                throw Problem(.badRequest, "A percent-encoding of the query is broken or does not give UTF-8.")
            }
            guard let parameter = QueryParameter(rawValue: name), allowed.contains(parameter) else {
                throw .parameter(name, "This resource has no such parameter.")
            }
            guard values.updateValue(value, forKey: parameter) == nil else {
                throw .parameter(name, "Given more than once.")
            }
        }
    }

    subscript(parameter: QueryParameter) -> String? { values[parameter] }

    func flag(_ parameter: QueryParameter) throws(Problem) -> Bool {
        switch values[parameter] {
        case nil, "false": return false
        case "true": return true
        default: throw .parameter(parameter.rawValue, "Either true or false.")
        }
    }

    func view() throws(Problem) -> View {
        guard let value = values[.view] else { return .items }
        guard let view = View(rawValue: value) else { throw .parameter("view", "Either items or visible.") }
        return view
    }

    func version(_ parameter: QueryParameter) throws(Problem) -> Version? {
        guard let value = values[parameter] else { return nil }
        guard let version = Version(value) else {
            throw .parameter(parameter.rawValue, "Not of the form of a version, such as k3v9-42.")
        }
        return version
    }

    func count(_ parameter: QueryParameter, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = values[parameter] else { return nil }
        let isDecimal = value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDecimal, let count = Int(value), range.contains(count) else {
            throw .parameter(parameter.rawValue, "A number from \(range.lowerBound) to \(range.upperBound).")
        }
        return count
    }
}
