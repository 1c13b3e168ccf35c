import ListDiff
import ListModel
import ListStore
internal import ListWire
internal import Texts

/// The form of a problem in JSON: the members of RFC 9457, section 3.1, and our own (docs/contract.md section 7).
struct ProblemForm: Sendable {
    /// One error in the request.
    struct Fault: Sendable {
        /// A JSON pointer into the body, or `?` and the name of a query parameter.
        var pointer: ByteText
        var code: String
        var detail: String
        /// The names or words that are allowed at the place; empty if it does not take one of a set.
        var known: [ByteText] = []
    }

    var status: Int
    /// The stable name of the problem, for programs.
    var code: String
    /// The kind of problem in a few words.
    var title: String
    /// A sentence about this occurrence.
    var detail: String
    /// The path of the request.
    var instance: ByteText?
    var requestID: ByteText?
    var faults: [Fault] = []
    /// The index of the operation that was refused; nil if no operation is to blame.
    var operation: Int?
    var limit: (name: String, value: Int)?
    /// The head of the list, for a client whose version is another one.
    var head: Version?
    /// The catch-up that brings the client to `head`, in the view of the request.
    var missed: (catchup: Catchup, list: ListID, view: View)?
}

extension ProblemForm {
    /// The problem as `application/problem+json`.
    ///
    /// `type` is `/problems/` with the code. It is a stable reference, relative to the server.
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
    /// Writes the members that identify the request.
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

    /// Writes the members about the errors of the request.
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

    /// Writes the members about the state of the list.
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
