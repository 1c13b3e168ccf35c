internal import JSONValue
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Texts

/// The lists that one stream follows, and the view in which its client sees them.
final class FollowedLists: Sendable {
    let names: [FollowedName]
    let rows: RowQuery
    /// The version at which the stream began for each list; nil for a list that did not exist. `ResumeToken` counts
    /// revisions from these.
    let bases: [Version?]

    init(_ names: [FollowedName], _ rows: RowQuery, since bases: [Version?]) {
        (self.names, self.rows, self.bases) = (names, rows, bases)
    }

    /// Reads the bytes that `stored(_:since:)` made; nil if they have another form.
    init?(stored bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let wanted = try? WantedLists(Array(bytes[(end + 1)...]))
        else { return nil }
        let bases = ByteText(decoding: Array(bytes[..<end])).split(at: ",").map { Version($0) }
        guard bases.count == wanted.names.count else { return nil }
        (names, rows, self.bases) = (wanted.names, wanted.rows, bases)
    }

    /// The stored form of a subscription: a line of versions, then the body.
    ///
    /// - Parameter body: The body as the client sent it.
    static func stored(_ body: [UInt8], since bases: [Version?]) -> [UInt8] {
        let versions = bases.map { $0?.description ?? "-" }.joined(separator: ",")
        return Array("\(versions)\n".utf8) + body
    }
}

/// The body of `POST /v1/changes`: its members are the parameters of `GET /v1/changes`.
struct WantedLists {
    let names: [FollowedName]
    let rows: RowQuery

    static let bytesMax = 262_144
    private static let known: [ByteText] = ["lists"] + QueryParameter.followed.map { ByteText($0.rawValue) }

    /// - Throws: `not_json`, or the problems of `GET /v1/changes` with JSON pointers into the body.
    init(_ body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: body) } catch { throw Problem(error, in: body) }
        guard case .object(let object) = value else {
            throw .member("", "wrong_type", "Expected an object, such as \(Self.example).")
        }
        var wrong = WrongMembers()
        var query = Query()
        for member in object.members where member.key != "lists" && !wrong.isFull {
            wrong.attempt { () throws(Problem) in
                guard let parameter = QueryParameter(rawText: member.key), QueryParameter.followed.contains(parameter)
                else { throw .unknownMember(at: "", member.key, among: Self.known) }
                try query.set(parameter, member.value)
            }
        }
        let names = wrong.attempt { () throws(Problem) in try Self.names(object["lists"]) }
        for problem in query.problems(of: QueryParameter.followed, at: .followLists) { wrong.note(problem.inBody) }
        guard let names, wrong.problems.isEmpty else { throw Problem(all: wrong.problems) }
        self.names = names
        rows = try query.rows()
    }

    static let example = #"{"lists":[{"list":"groceries","since":"k3v9-42"}]}"#

    private static func names(_ value: JSONValue?) throws(Problem) -> [FollowedName] {
        guard let value else {
            throw .member("lists", "missing_member", "The member \"lists\" is needed. For example: \(example).")
        }
        guard case .array(let elements) = value, (1...followedListsMax).contains(elements.count) else {
            throw .member(
                "lists", "out_of_bounds", "Expected an array of 1 to \(followedListsMax) lists, such as \(example).")
        }
        var names: [FollowedName] = []
        var seen: Set<ListID> = []
        var wrong = WrongMembers()
        for (index, element) in elements.enumerated() where !wrong.isFull {
            wrong.attempt { () throws(Problem) in
                let name = try name(element, "lists/\(index)")
                guard seen.insert(name.list).inserted else {
                    throw .member("lists/\(index)/list", "repeated_id", "This list occurs twice: name it once.")
                }
                names.append(name)
            }
        }
        guard wrong.problems.isEmpty else { throw Problem(all: wrong.problems) }
        return names
    }

    private static func name(_ value: JSONValue, _ place: ByteText) throws(Problem) -> FollowedName {
        guard case .object(let object) = value else {
            throw .member(place, "wrong_type", #"Expected an object, such as {"list":"groceries"}."#)
        }
        var wrong = WrongMembers()
        for member in object.members where member.key != "list" && member.key != "since" && !wrong.isFull {
            wrong.note(.unknownMember(at: "\(place)/", member.key, among: ["list", "since"]))
        }
        let list = wrong.attempt { () throws(Problem) in try listID(object["list"], "\(place)/list") }
        let since = wrong.attempt { () throws(Problem) in try version(object["since"], "\(place)/since") }
        guard let list, let since, wrong.problems.isEmpty else { throw Problem(all: wrong.problems) }
        return FollowedName(list, since)
    }

    private static func listID(_ value: JSONValue?, _ place: ByteText) throws(Problem) -> ListID {
        guard let value else {
            throw .member(place, "missing_member", "The member \"list\" is needed, the id of a list.")
        }
        guard case .string(let text) = value else {
            throw .member(place, "wrong_type", "Expected the id of a list, a string in double quotes.")
        }
        guard let id = ListID(text) else {
            throw .member(place, "invalid_format", "The id of a list is \(WireFormat.listID.rawValue).")
        }
        return id
    }

    private static func version(_ value: JSONValue?, _ place: ByteText) throws(Problem) -> Version? {
        guard let value else { return nil }
        guard case .string(let text) = value else { throw .member(place, "wrong_type", sinceRule) }
        guard let version = Version(text) else { throw .member(place, "invalid_format", sinceRule) }
        return version
    }

    private static let sinceRule =
        #"Expected a version, copied whole, such as "k3v9-42". Without "since" the stream begins with the whole list."#
}

/// The problems of the members of an object, up to `WireErrors.most`.
private struct WrongMembers {
    private(set) var problems: [Problem] = []

    var isFull: Bool { problems.count >= WireErrors.most }

    mutating func note(_ problem: Problem) { problems.append(problem) }

    /// The value that `read` returns; nil if it throws. The problem is then noted.
    @discardableResult
    mutating func attempt<Value>(_ read: () throws(Problem) -> Value) -> Value? {
        do throws(Problem) { return try read() } catch {
            note(error)
            return nil
        }
    }
}

extension Query {
    /// - Throws: `invalid` if the value is neither a string nor, for a parameter that may be repeated, an array of
    ///   strings.
    fileprivate mutating func set(_ parameter: QueryParameter, _ value: JSONValue) throws(Problem) {
        let name = ByteText(parameter.rawValue)
        switch (value, parameter.isRepeatable) {
        case (.string(let text), false) where parameter != .starred: add(text, for: parameter)
        case (.bool(let flag), false) where parameter == .starred: add(flag ? "true" : "false", for: parameter)
        case (.array(let elements), true):
            // An empty array is not the same as a missing member.
            addNone(of: parameter)
            for (index, element) in elements.enumerated() {
                guard case .string(let text) = element else {
                    throw .member("\(name)/\(index)", "wrong_type", "Expected a string.")
                }
                add(text, for: parameter)
            }
        default: throw .member(name, "wrong_type", "Expected \(Self.wanted(for: parameter)).")
        }
    }

    private static func wanted(for parameter: QueryParameter) -> StaticString {
        if parameter.isRepeatable { return "an array" }
        return parameter == .starred ? "true or false" : "a string"
    }
}

extension Problem {
    /// The same problem with JSON pointers to members in the place of names of parameters.
    fileprivate var inBody: Problem {
        var problem = self
        problem.faults = faults.map { fault in
            var fault = fault
            if let name = fault.pointer.dropping(prefix: "?") { fault.pointer = "/\(name)" }
            return fault
        }
        if let fault = problem.faults.first { problem.detail = "At \(fault.pointer): \(fault.detail)" }
        return problem
    }
}
