internal import ListModel
internal import Microhttpd

extension API {
    /// `POST /v1/lists/{list}/items/{item}/expand` and `/collapse`
    func setExpanded(_ isExpanded: Bool, _ call: Call) throws(Problem) -> Answer {
        try edit(call, plainBody(call)) { .setExpanded([$0], isExpanded) }
    }
}
