internal import ListDiff
internal import ListModel
internal import Microhttpd
internal import Texts

/// The query of a request, each name known, and most given at most once.
struct Query {
    private var values: [QueryParameter: ByteText] = [:]
    /// Of those that may be repeated, in order.
    private var repeated: [QueryParameter: [ByteText]] = [:]

    init() {}

    /// - Throws: `invalid` (422) for an unknown or repeated name, `bad_request` for what does not decode.
    init(_ items: [QueryItem], allowed: [QueryParameter]) throws(Problem) {
        for item in items {
            guard let name = formDecoded(item.name.utf8),
                let value = formDecoded((item.value ?? "").utf8)
            else {
                throw Problem(.badRequest, "A percent-encoding of the query is broken or does not give UTF-8.")
            }
            guard let parameter = QueryParameter(rawText: name), allowed.contains(parameter) else {
                throw .unknownParameter(KnownNames(name, among: allowed.map { ByteText($0.rawValue) }))
            }
            guard !parameter.isRepeatable else {
                repeated[parameter, default: []].append(value)
                continue
            }
            guard values.updateValue(value, forKey: parameter) == nil else {
                throw .parameter(name, "Given more than once.")
            }
        }
    }

    /// Takes a value from elsewhere, of a parameter that has none or may have many.
    mutating func add(_ value: ByteText, for parameter: QueryParameter) {
        if parameter.isRepeatable { repeated[parameter, default: []].append(value) } else { values[parameter] = value }
    }

    /// Says that a parameter that may have many values was given.
    mutating func addNone(of parameter: QueryParameter) { repeated[parameter, default: []] += [] }

    subscript(parameter: QueryParameter) -> ByteText? { values[parameter] }

    /// The values of a parameter that may be repeated; nil if it is left out.
    func all(_ parameter: QueryParameter) -> [ByteText]? { repeated[parameter] }

    /// Every `list`, in order.
    ///
    /// - Throws: `invalid` if there is none, more than `most`, one twice, or one that cannot be the name of a list.
    func followedNames(most: Int) throws(Problem) -> [FollowedName] {
        let lists = all(.list) ?? []
        guard (1...most).contains(lists.count) else {
            throw .parameter("list", "From 1 to \(most) lists, each as list=name or list=name@version.")
        }
        var names: [FollowedName] = []
        var seen: Set<ListID> = []
        for text in lists {
            guard let name = FollowedName(text) else {
                throw .parameter(
                    "list", "A list is named as list=name or list=name@version, such as list=groceries@k3v9-42.")
            }
            guard seen.insert(name.list).inserted else { throw .parameter("list", "A list is named twice.") }
            names.append(name)
        }
        return names
    }

    func flag(_ parameter: QueryParameter) throws(Problem) -> Bool {
        switch values[parameter] {
        case nil, "false": return false
        case "true": return true
        case let other?: throw .parameter(parameter, other, among: ["true", "false"])
        }
    }

    func view(orElse other: View = .items) throws(Problem) -> View {
        guard let value = values[.view] else { return other }
        guard let view = View(rawText: value) else { throw .parameter(.view, value, among: ["items", "visible"]) }
        return view
    }

    func version(_ parameter: QueryParameter) throws(Problem) -> Version? {
        guard let value = values[parameter] else { return nil }
        guard let version = Version(value) else {
            throw .parameter(ByteText(parameter.rawValue), Self.versionForm)
        }
        return version
    }

    /// The form of a version, told to a client that sent something else.
    static let versionForm =
        "A version is a word, '-' and a number, such as k3v9-42: copy it whole from \"version\" or List-Version."

    func count(_ parameter: QueryParameter, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = values[parameter] else { return nil }
        let isDecimal = value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDecimal, let count = Int(value), range.contains(count) else {
            throw .parameter(ByteText(parameter.rawValue), "A number from \(range.lowerBound) to \(range.upperBound).")
        }
        return count
    }
}
