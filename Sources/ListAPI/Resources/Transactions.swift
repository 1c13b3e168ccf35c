internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd

extension API {
    /// `POST /v1/lists/{list}/transactions`
    func postTransaction(_ call: Call) throws(Problem) -> Answer {
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.transactionBody(body) }
        let write = try write(.operations(body.value), body, call)
        return try submit(write, to: call.listID(), .list, call)
    }
}
