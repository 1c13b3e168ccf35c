internal import ListDiff
internal import ListWire
internal import Microhttpd

extension API {
    /// `POST /v1/lists/{list}/reorders`
    func postReorder(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.reorderBody(body) }
        let write = try write(.reorder(body.value), body, call)
        return try submit(write, to: call.listID(), .list, call)
    }
}
