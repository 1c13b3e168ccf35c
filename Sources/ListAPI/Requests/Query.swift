internal import JSONValue
internal import ListDiff
internal import ListModel
internal import ListWire
internal import Microhttpd
internal import Texts

/// The query of a request. All names in it are known, and most occur at most once.
struct Query {
    private var values = FewParameters<ByteText>()
    /// The values of the parameters that may be repeated, in order.
    private var repeated = FewParameters<[ByteText]>()

    init() {}

    /// - Throws: `invalid` (422) for unknown and repeated names, which then also tells of wrong values; `bad_request`
    ///   for a percent-encoding that is broken.
    init(_ items: [QueryItem], of endpoint: Endpoint) throws(Problem) {
        let allowed = endpoint.parameters
        var wrong: [Problem] = []
        for item in items {
            guard let name = formDecoded(item.name), let value = formDecoded(item.value ?? "")
            else {
                throw Problem(
                    .badRequest,
                    "The query has a percent-encoding that is broken or does not give UTF-8: % itself is %25.")
            }
            guard let parameter = QueryParameter(rawText: name), allowed.contains(parameter) else {
                guard wrong.count < WireErrors.most else { continue }
                let literal = (try? JSONValue(parsing: Array(value.utf8))) ?? .string(value)
                let names = KnownNames(name, among: allowed.map { ByteText($0.rawValue) }, value: literal.shown)
                let meant = names.meant.flatMap { QueryParameter(rawText: $0) }
                let isRepeated = meant.map { meant in
                    !meant.isRepeatable && items.contains { $0.name == ByteText(meant.rawValue) }
                }
                wrong.append(.unknownParameter(names, isRepeated: isRepeated ?? false))
                continue
            }
            guard !parameter.isRepeatable else {
                repeated.append([value], to: parameter)
                continue
            }
            if values[parameter] != nil {
                wrong.append(.parameter(name, "It occurs more than once: give it once."))
            }
            values[parameter] = value
        }
        guard wrong.isEmpty else { throw Problem(all: wrong + problems(at: endpoint)) }
    }

    /// Sets the values of a parameter that did not come in a query: one value, unless it may be repeated. No value of
    /// a repeatable parameter is not the same as leaving it out.
    mutating func set(_ parameter: QueryParameter, to texts: [ByteText]) {
        if parameter.isRepeatable { repeated[parameter] = texts } else { values[parameter] = texts.first }
    }

    subscript(parameter: QueryParameter) -> ByteText? { values[parameter] }

    /// The values of a parameter that may be repeated; nil if it is left out.
    func all(_ parameter: QueryParameter) -> [ByteText]? { repeated[parameter] }

    /// The values of all `list` parameters, in order.
    ///
    /// - Throws: `invalid` if there is none, if there are more than `most`, if a list occurs twice, or if one is
    ///   malformed.
    func followedNames(most: Int) throws(Problem) -> [FollowedName] {
        let lists = all(.list) ?? []
        guard (1...most).contains(lists.count) else {
            throw .parameter("list", "Give 1 to \(most) lists, each as list=groceries or list=groceries@k3v9-42.")
        }
        var names: [FollowedName] = []
        var seen: Set<ListID> = []
        for text in lists {
            guard let name = FollowedName(text) else {
                throw .parameter(
                    "list",
                    "A list is named as list=groceries or list=groceries@k3v9-42, and several as list=a&list=b.")
            }
            guard seen.insert(name.list).inserted else {
                throw .parameter("list", "The list \(name.list) occurs twice: name it once.")
            }
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
            let form =
                "A version is a word, '-' and a number, such as k3v9-42: copy it whole from an answer's \"version\"."
            throw .parameter(ByteText(parameter.rawValue), "\(form) \(Self.withoutVersion[parameter] ?? "")")
        }
        return version
    }

    /// Reads a parameter that counts something.
    ///
    /// - Parameter meaning: A sentence about what the parameter counts and its bounds, for a client that sent something
    ///   else.
    func count(
        _ parameter: QueryParameter, in range: ClosedRange<Int>, meaning: @autoclosure () -> String
    ) throws(Problem) -> Int? {
        guard let value = values[parameter] else { return nil }
        let isDecimal = value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDecimal, let count = Int(value), range.contains(count) else {
            throw .parameter(ByteText(parameter.rawValue), meaning())
        }
        return count
    }

    /// Reads `limit`, the number of things on a page; nil if it is left out or the endpoint has no pages.
    func limit(at endpoint: Endpoint) throws(Problem) -> Int? {
        guard let page = endpoint.page else { return nil }
        return try count(
            .limit, in: 1...page.limitMax,
            meaning: """
                It says how many \(page.things) a page has: a whole number from 1 to \(page.limitMax), such as \
                limit=100. Without "limit" it has \(page.usual). \(KnownNames.paging)
                """)
    }

    /// Reads `wait`, the number of seconds for which the answer may wait; at most `waitMax`.
    func wait() throws(Problem) -> Int? {
        try count(
            .wait, in: 0...(1 << 53 - 1),
            meaning: """
                It says for how many seconds the answer may wait for a change: a whole number, such as \
                since=k3v9-42&wait=30. More than \(Self.waitMax) count as \(Self.waitMax). Copy the version whole \
                from "version" in the answer of GET /v1/lists/{list}. Without "since" the answer comes at once.
                """
        ).map { min($0, Self.waitMax) }
    }

    /// The greatest wait in seconds. It is used in the place of a longer one.
    static let waitMax = 55

    /// Reads `before` or `after`: how many rows of a window stand on one side of its anchor.
    func windowCount(_ side: QueryParameter) throws(Problem) -> Int? {
        try count(
            side, in: 0...Self.windowMax,
            meaning: "\(Self.windowForm) The numbers are from 0 to \(Self.windowMax).")
    }

    static let windowForm = """
        "before" and "after" are numbers of rows around the item whose id is in "around": \
        around=milk&before=20&after=60. Without "around", leave both out. GET /v1/lists/{list} has the ids.
        """

    /// The greatest number of rows that a window may have on one side of its anchor.
    private static let windowMax = 10_000

    /// Whether a client asks for a reset.
    func isReload() throws(Problem) -> Bool {
        switch values[.mode] {
        case nil, "difference": return false
        case "reload": return true
        case let other?: throw .parameter(.mode, other, among: ["difference", "reload"])
        }
    }

    /// Reads `until`, the version at which the changes end.
    ///
    /// - Parameter isStream: Whether the client asks for a stream, which goes on past any version.
    func until(isStream: Bool) throws(Problem) -> Version? {
        guard let until = try version(.until) else { return nil }
        guard !isStream, values[.wait] == nil else {
            throw .parameter("until", #"The changes end at "until": leave out "wait", and do not ask for a stream."#)
        }
        if let since = try version(.since), until.epoch == since.epoch, until.revision < since.revision {
            throw .parameter("until", #"The version in "until" is older than the one in "since"."#)
        }
        return until
    }

    /// The answer without a version, for the detail of a problem.
    private static let withoutVersion: [QueryParameter: StaticString] = [
        .since: #"Without "since" the answer is the whole list."#,
        .until: #"Without "until" the changes lead to the present."#,
        .at: #"Without "at" the answer is the list as it is now."#,
    ]
}

/// Values of some parameters. A query has few parameters, and is asked for many that it does not have. A linear search
/// is faster here than a hash.
private struct FewParameters<Value> {
    private var entries: [(parameter: QueryParameter, value: Value)] = []

    subscript(parameter: QueryParameter) -> Value? {
        get { index(of: parameter).map { entries[$0].value } }
        set {
            guard let newValue else { return entries.removeAll { $0.parameter == parameter } }
            if let index = index(of: parameter) {
                entries[index].value = newValue
            } else {
                entries.append((parameter, newValue))
            }
        }
    }

    private func index(of parameter: QueryParameter) -> Int? {
        for index in entries.indices where entries[index].parameter == parameter { return index }
        return nil
    }
}

extension FewParameters<[ByteText]> {
    fileprivate mutating func append(_ values: [ByteText], to parameter: QueryParameter) {
        if let index = index(of: parameter) {
            entries[index].value += values
        } else {
            entries.append((parameter, values))
        }
    }
}
