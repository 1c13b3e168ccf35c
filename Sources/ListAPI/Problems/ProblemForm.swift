import ListDiff
import ListModel
import ListStore
internal import ListWire
internal import Texts

/// A problem in the members of RFC 9457 section 3.1 and our own (docs/contract.md section 7).
struct ProblemForm: Sendable {
    /// One place that breaks the schema.
    struct Fault: Sendable {
        /// A JSON pointer into the body, or another way to say where.
        var pointer: ByteText
        var code: String
        var detail: String
        /// What may stand there instead, where that is a matter of names.
        var known: [ByteText] = []
    }

    var status: Int
    /// The stable word for programs.
    var code: String
    /// The kind of problem in a few words.
    var title: String
    /// What is wrong this time.
    var detail: String
    /// The path of the request.
    var instance: ByteText?
    var requestID: ByteText?
    var faults: [Fault] = []
    /// The index of the operation that was refused.
    var operation: Int?
    var limit: (name: String, value: Int)?
    /// The list's version, where the client's was not.
    var head: Version?
    /// What brings the client to `head`, in the request's view.
    var missed: (catchup: Catchup, list: ListID, view: View)?
}

extension ProblemForm {
    /// The problem as `application/problem+json`.
    ///
    /// `type` is `/problems/` and the code: a reference that is relative to the server, and stable.
    var body: [UInt8] {
        var splicer = JSONSplicer(capacity: 512)
        splicer.raw("{\"type\":")
        splicer.string(ByteText("/problems/" + code))
        splicer.raw(",\"title\":")
        splicer.string(ByteText(title))
        splicer.raw(",\"status\":")
        splicer.integer(status)
        splicer.raw(",\"detail\":")
        splicer.string(ByteText(detail))
        splicer.requestMembers(self)
        splicer.faultMembers(self)
        splicer.stateMembers(self)
        splicer.endObject()
        return splicer.bytes
    }
}

extension JSONSplicer {
    /// Which request it was.
    fileprivate mutating func requestMembers(_ problem: ProblemForm) {
        if let instance = problem.instance {
            raw(",\"instance\":")
            string(instance)
        }
        raw(",\"code\":")
        string(ByteText(problem.code))
        if let requestID = problem.requestID {
            raw(",\"requestId\":")
            string(requestID)
        }
    }

    /// What the request did wrong.
    fileprivate mutating func faultMembers(_ problem: ProblemForm) {
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
            string(ByteText(limit.name))
            raw(",\"value\":")
            integer(limit.value)
            endObject()
        }
    }

    private mutating func fault(_ fault: ProblemForm.Fault) {
        raw("{\"pointer\":")
        string(fault.pointer)
        raw(",\"code\":")
        string(ByteText(fault.code))
        raw(",\"detail\":")
        string(ByteText(fault.detail))
        if !fault.known.isEmpty {
            raw(",\"known\":[")
            for name in fault.known {
                separate()
                string(name)
            }
            endArray()
        }
        endObject()
    }

    /// What the list has become.
    fileprivate mutating func stateMembers(_ problem: ProblemForm) {
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
