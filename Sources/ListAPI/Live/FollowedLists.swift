internal import JSONValue
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Texts

/// The lists that one stream follows, and the view in which its client sees them.
final class FollowedLists: Sendable {
    let names: [FollowedName]
    let rows: RowQuery
    /// The versions at which the stream began, list by list, from which tokens count. Nil for a list that was not there.
    let bases: [Version?]

    init(_ names: [FollowedName], _ rows: RowQuery, since bases: [Version?]) {
        (self.names, self.rows, self.bases) = (names, rows, bases)
    }

    /// Reads what `stored` has written; nil if it is something else.
    init?(stored bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let wanted = try? WantedLists(Array(bytes[(end + 1)...]))
        else { return nil }
        let bases = ByteText(decoding: Array(bytes[..<end])).split(at: ",").map { Version($0) }
        guard bases.count == wanted.names.count else { return nil }
        (names, rows, self.bases) = (wanted.names, wanted.rows, bases)
    }

    /// - Parameter body: As the client has sent it.
    static func stored(_ body: [UInt8], since bases: [Version?]) -> [UInt8] {
        let versions = bases.map { $0?.description ?? "-" }.joined(separator: ",")
        return Array("\(versions)\n".utf8) + body
    }
}

/// The body of `POST /v1/changes`: the parameters of the GET as members.
struct WantedLists {
    let names: [FollowedName]
    let rows: RowQuery

    static let bytesMax = 262_144
    private static let known: [ByteText] = ["lists"] + QueryParameter.followed.map { ByteText($0.rawValue) }

    /// - Throws: `not_json`, and otherwise as the GET, with pointers into the body.
    init(_ body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: body) } catch { throw Problem(error, in: body) }
        guard case .object(let object) = value else { throw .member("", "wrong_type", "Expected an object.") }
        var names: [FollowedName]?
        var query = Query()
        for member in object.members {
            if member.key == "lists" {
                names = try Self.names(member.value)
            } else {
                guard let parameter = QueryParameter(rawText: member.key), QueryParameter.followed.contains(parameter)
                else { throw .unknownMember(at: "", member.key, among: Self.known) }
                try query.set(parameter, member.value)
            }
        }
        guard let names else { throw .member("lists", "missing_member", "This member is needed.") }
        self.names = names
        do throws(Problem) { rows = try query.rows() } catch { throw error.inBody }
    }

    private static func names(_ value: JSONValue) throws(Problem) -> [FollowedName] {
        guard case .array(let elements) = value, (1...followedListsMax).contains(elements.count) else {
            throw .member("lists", "out_of_bounds", "From 1 to \(followedListsMax) lists.")
        }
        var names: [FollowedName] = []
        var seen: Set<ListID> = []
        for (index, element) in elements.enumerated() {
            guard let name = try name(element, "lists/\(index)"), seen.insert(name.list).inserted else {
                throw .member("lists/\(index)/list", "repeated_id", "A list is named twice.")
            }
            names.append(name)
        }
        return names
    }

    private static func name(_ value: JSONValue, _ place: ByteText) throws(Problem) -> FollowedName? {
        guard case .object(let object) = value else { throw .member(place, "wrong_type", "Expected an object.") }
        var list: ListID?
        var since: Version?
        for member in object.members {
            guard member.key == "list" || member.key == "since" else {
                throw .unknownMember(at: "\(place)/", member.key, among: ["list", "since"])
            }
            guard case .string(let text) = member.value else {
                throw .member("\(place)/\(member.key)", "wrong_type", "Expected a string.")
            }
            if member.key == "list" {
                list = ListID(text)
                guard list != nil else { throw .member("\(place)/list", "invalid_format", "Not the id of a list.") }
            } else {
                since = Version(text)
                guard since != nil else {
                    throw .member("\(place)/since", "invalid_format", "Not of the form of a version, such as k3v9-42.")
                }
            }
        }
        guard let list else { throw .member("\(place)/list", "missing_member", "This member is needed.") }
        return FollowedName(list, since)
    }
}

extension Query {
    /// - Throws: `invalid` if it is no string, or where the parameter may be repeated no array of such.
    fileprivate mutating func set(_ parameter: QueryParameter, _ value: JSONValue) throws(Problem) {
        let name = ByteText(parameter.rawValue)
        switch (value, parameter.isRepeatable) {
        case (.string(let text), false) where parameter != .starred: add(text, for: parameter)
        case (.bool(let flag), false) where parameter == .starred: add(flag ? "true" : "false", for: parameter)
        case (.array(let elements), true):
            // None at all is something else than no such member.
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
    /// The same problem, told of members instead of parameters.
    fileprivate var inBody: Problem {
        var problem = self
        problem.faults = faults.map { fault in
            var fault = fault
            if let name = fault.pointer.dropping(prefix: "?") { fault.pointer = "/\(name)" }
            return fault
        }
        return problem
    }
}
