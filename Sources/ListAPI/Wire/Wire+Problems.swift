import ListDiff
import ListModel
import ListStore

extension Wire {
    /// What a problem says, in the members of RFC 9457 section 3.1 and ours.
    struct ProblemForm: Sendable {
        /// One place that breaks the schema.
        struct Fault: Sendable {
            /// A JSON pointer into the body, or another way to say where.
            var pointer: String
            var code: String
            var detail: String
        }

        var status: Int
        /// The stable word for programs; `type` is made of it.
        var code: String
        /// The kind of problem in a few words.
        var title: String
        /// What is wrong this time.
        var detail: String
        /// The path of the request.
        var instance: String?
        var requestID: String?
        var faults: [Fault] = []
        /// The index of the operation that was refused.
        var operation: Int?
        var limit: (name: String, value: Int)?
        /// The list's version, where the client's was not.
        var head: Version?
        /// What brings the client to `head`, in the request's view.
        var missed: (catchup: Catchup, list: ListID, view: View)?
    }

    /// A problem as `application/problem+json`.
    ///
    /// `type` is `/problems/` and the code: a reference that is relative to the server, and stable.
    static func problem(_ problem: ProblemForm) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 512)
        splicer.raw("{\"type\":")
        splicer.string("/problems/" + problem.code)
        splicer.raw(",\"title\":")
        splicer.string(problem.title)
        splicer.raw(",\"status\":")
        splicer.integer(problem.status)
        splicer.raw(",\"detail\":")
        splicer.string(problem.detail)
        if let instance = problem.instance {
            splicer.raw(",\"instance\":")
            splicer.string(instance)
        }
        splicer.raw(",\"code\":")
        splicer.string(problem.code)
        if let requestID = problem.requestID {
            splicer.raw(",\"requestId\":")
            splicer.string(requestID)
        }
        splicer.faultMembers(problem)
        splicer.stateMembers(problem)
        splicer.endObject()
        return splicer.bytes
    }
}

extension Wire.ProblemForm.Fault {
    init(_ error: WireError) {
        self.init(pointer: error.pointer, code: error.code, detail: error.detail)
    }
}

extension JSONSplicer {
    /// What the request did wrong.
    fileprivate mutating func faultMembers(_ problem: Wire.ProblemForm) {
        if !problem.faults.isEmpty {
            raw(",\"errors\":[")
            for fault in problem.faults {
                separate()
                self.fault(fault)
            }
            endArray()
        }
        if let operation = problem.operation {
            raw(",\"op\":")
            integer(operation)
        }
        if let limit = problem.limit {
            raw(",\"limit\":{\"name\":")
            string(limit.name)
            raw(",\"value\":")
            integer(limit.value)
            endObject()
        }
    }

    private mutating func fault(_ fault: Wire.ProblemForm.Fault) {
        raw("{\"pointer\":")
        string(fault.pointer)
        raw(",\"code\":")
        string(fault.code)
        raw(",\"detail\":")
        string(fault.detail)
        endObject()
    }

    /// What the list has become.
    fileprivate mutating func stateMembers(_ problem: Wire.ProblemForm) {
        if let head = problem.head {
            raw(",\"head\":")
            version(head)
        }
        if let missed = problem.missed {
            raw(",\"missed\":")
            catchup(missed.catchup, list: missed.list, view: missed.view)
        }
    }
}
