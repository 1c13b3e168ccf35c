internal import ListModel
internal import Microhttpd

extension API {
    /// `POST /v1/lists/{list}/items/{item}/expand` and `/collapse`
    func expand(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setExpanded([$0], true) }
    }

    func collapse(_ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setExpanded([$0], false) }
    }
}
