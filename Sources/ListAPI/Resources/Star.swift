internal import ListModel
internal import Microhttpd

extension API {
    /// `PUT` and `DELETE /v1/lists/{list}/items/{item}/star`
    func star(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setStarred([$0], true) }
    }

    func unstar(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setStarred([$0], false) }
    }

    /// `POST /v1/lists/{list}/items/{item}/star`
    func toggleStar(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .toggleStar($0) }
    }
}
