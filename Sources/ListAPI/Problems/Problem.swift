internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Texts

/// A problem (RFC 9457): why a request was refused. A refused request has changed nothing.
struct Problem: Error, Sendable {
    /// One error in the request.
    struct Fault: Sendable {
        /// A JSON pointer into the body, or `?` and the name of a query parameter.
        var pointer: ByteText
        var code: String
        var detail: String
        /// The names or words that are allowed at the place; empty if it does not take one of a set.
        var known: [ByteText] = []
    }

    /// A limit that was exceeded.
    struct Limit: Sendable, Equatable {
        /// The name of the limit in openapi.yaml, such as `operationsMax`.
        var name: String
        var value: Int
    }

    var code: ProblemCode
    /// A sentence about what is wrong with this request, for a person to read.
    var detail: String
    /// The index of the operation that was refused; nil if no operation is to blame.
    var operation: Int?
    var faults: [Fault] = []
    var limit: Limit?
    /// The head of the list, for a client whose version is another one.
    var head: Version?
    /// The catch-up that brings the client to `head`.
    var missed: (catchup: Catchup, list: ListID, view: View)?
    /// The number with which the sequence of the client goes on.
    var expected: Int?
    /// Why the server is not ready, as one word; only in answers to `/readyz`.
    var reason: StaticString?
    /// The cause, for the log only.
    var cause: String?
    /// Whether this is no problem, but asks for a worker. No client is told.
    var isForWorker = false
    /// Whether a list is said not to be there because the caller may not see it, for the audit log only.
    var hidesList = false
    /// The fields that the answer carries besides those of every problem.
    var fields = HTTPFields()

    init(_ code: ProblemCode, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    var status: HTTPResponse.Status { code.status }

    /// The problem as `application/problem+json`: the members of RFC 9457, section 3.1, and our own (docs/contract.md
    /// section 7). Its `type` is a stable reference, relative to the server.
    ///
    /// - Parameter path: The path as it was sent; empty if the head could not be read.
    func body(path: ByteText, requestID: ByteText) -> [UInt8] {
        JSONSplicer.object(capacity: 512) { splicer in
            splicer.member("\"type\":", ByteText("/problems/" + code.rawValue))
            splicer.member(",\"title\":", ByteText(code.title))
            splicer.member(",\"status\":", status.code)
            splicer.member(",\"detail\":", ByteText(Self.filled(detail, from: path)))
            if !path.isEmpty { splicer.member(",\"instance\":", path) }
            splicer.member(",\"code\":", ByteText(code.rawValue))
            splicer.member(",\"requestId\":", requestID)
            if !faults.isEmpty {
                splicer.objects(",\"errors\":[", faults) { $0.faultMembers($1, Self.filled($1.detail, from: path)) }
            }
            if let reason { splicer.member(",\"reason\":", ByteText(reason.description)) }
            if let operation { splicer.member(",\"op\":", operation) }
            if let limit {
                splicer.member(",\"limit\":{\"name\":", ByteText(limit.name))
                splicer.member(",\"value\":", limit.value)
                splicer.endObject()
            }
            if let expected { splicer.member(",\"expected\":", expected) }
            if let head { splicer.member(",\"head\":", head) }
            if let missed {
                splicer.raw(",\"missed\":")
                splicer.catchup(missed.catchup, list: missed.list, view: missed.view)
            }
        }
    }

    /// The member of a body that has the id of the request.
    static func member(requestID: ByteText) -> [UInt8] {
        let object = JSONSplicer.object(capacity: 64) { $0.member("\"requestId\":", requestID) }
        return Array(object.dropFirst().dropLast())
    }

    /// Fills in the ids of the path. Sentences name calls such as `GET /v1/lists/{list}`, and with the ids the client
    /// can paste them.
    private static func filled(_ sentence: String, from path: ByteText) -> String {
        // No call has more than three ids. The bound keeps a long path from costing a look at the sentence for each of
        // its segments.
        var segments = path.split(at: "/").drop { $0.isEmpty || $0 == "v1" }.prefix(6)
        var sentence = sentence
        while let collection = segments.popFirst(), let id = segments.popFirst() {
            // An id with other characters is encoded in a path, so it differs between a path and a body.
            guard let place = places[collection], Item.isKind(id) else { continue }
            sentence = sentence.replacing(place, with: "\(id)")
        }
        return sentence
    }

    private static let places: [ByteText: String] = [
        "list": "{list}", "lists": "{list}", "sections": "{section}", "items": "{item}",
    ]
}

extension Problem {
    /// The problem of a query parameter that is not understood. Only the beginning of a long name is shown.
    static func parameter(_ name: ByteText, _ detail: String) -> Problem {
        var problem = Problem(.invalid, "Parameter \(name): \(detail)")
        problem.faults = [Fault(pointer: ByteText("?\(name.description)"), code: "parameter", detail: detail)]
        return problem
    }

    /// The problem of a query parameter with an unknown name.
    ///
    /// - Parameter isRepeated: Whether the parameter that was probably meant is in the query too.
    static func unknownParameter(_ names: KnownNames, isRepeated: Bool) -> Problem {
        let detail = names.detail("parameter") + (isRepeated ? " That is there already: leave one out." : "")
        var problem = parameter(names.sent, detail)
        problem.detail = detail
        problem.faults[0].known = names.known
        return problem
    }

    /// The problem of a query parameter whose value is none of the words that it can have.
    static func parameter(_ parameter: QueryParameter, _ value: ByteText, among words: [ByteText]) -> Problem {
        let names = KnownNames(value, among: words)
        var problem = self.parameter(ByteText(parameter.rawValue), names.detail("value"))
        problem.faults[0].known = names.known
        return problem
    }

    static func exceeded(_ code: ProblemCode, _ limit: Limit) -> Problem {
        var problem = Problem(code, "The limit \(limit.name) allows at most \(limit.value).")
        problem.limit = limit
        return problem
    }

    /// Asks for a worker that does the work of the request.
    static var forWorker: Problem {
        var problem = Problem(.unavailable, "The list is at work.")
        problem.isForWorker = true
        return problem
    }

    /// The problem with a `Retry-After`.
    func retrying(afterSeconds seconds: Int) -> Problem {
        var problem = self
        problem.fields[.retryAfter] = String(seconds)
        return problem
    }
}

extension JSONSplicer {
    fileprivate mutating func faultMembers(_ fault: Problem.Fault, _ detail: String) {
        member("\"pointer\":", fault.pointer)
        member(",\"code\":", ByteText(fault.code))
        member(",\"detail\":", ByteText(detail))
        guard !fault.known.isEmpty else { return }
        raw(",\"known\":[")
        for name in fault.known {
            separate()
            string(name)
        }
        endArray()
    }
}
