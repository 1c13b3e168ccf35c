internal import ListModel
internal import Microhttpd

extension API {
    /// `PUT` and `DELETE /v1/lists/{list}/items/{item}/star`
    func setStarred(_ isStarred: Bool, _ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setStarred([$0], isStarred) }
    }

    /// `POST /v1/lists/{list}/items/{item}/star`
    func toggleStar(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .toggleStar($0) }
    }
}
