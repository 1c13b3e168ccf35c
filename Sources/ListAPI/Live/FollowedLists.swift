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
    init?(stored bytes: [UInt8], _ decoder: WireDecoder) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let wanted = try? WantedLists(Array(bytes[(end + 1)...]), decoder)
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

    /// - Throws: `not_json`, or the problems of `GET /v1/changes` with JSON pointers into the body.
    init(_ body: [UInt8], _ decoder: WireDecoder) throws(Problem) {
        let value: JSONSlice
        do throws(JSONError) { value = try JSONSlice(checking: body) } catch { throw Problem(error, in: body) }
        var query = Query()
        do throws(WireError) {
            names = try Self.read(value, decoder, into: &query)
        } catch {
            let errors = WireErrors()
            query = Query()
            errors.collect { () throws(WireError) in _ = try Self.read(value, decoder.telling(errors), into: &query) }
            throw Problem(error, all: errors.errors, and: query.problemsInBody)
        }
        let problems = query.problemsInBody
        guard problems.isEmpty else { throw Problem(all: problems) }
        rows = try query.rows()
    }

    /// - Parameter query: Gets the parameters. If `decoder` collects errors, they are whole even if the body has one.
    private static func read(
        _ value: JSONSlice, _ decoder: WireDecoder, into query: inout Query
    ) throws(WireError) -> [FollowedName] {
        let parameters = QueryParameter.followed
        let lists = try decoder.followBody(
            value, listsMax: followedListsMax, parameters.map { (ByteText($0.rawValue), $0.form) },
            add: { index, texts in query.set(parameters[index], to: texts) })
        return lists.map { FollowedName($0.list, $0.since) }
    }
}

extension QueryParameter {
    fileprivate var form: WireDecoder.ParameterForm {
        if isRepeatable { .texts } else { self == .starred ? .flag : .text }
    }
}

extension Query {
    /// The problems of the parameters of a stream of many lists, with JSON pointers to members.
    fileprivate var problemsInBody: [Problem] {
        problems(of: QueryParameter.followed, at: .followLists).map(\.inBody)
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
