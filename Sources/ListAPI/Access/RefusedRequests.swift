internal import Access
internal import HTTPTypes
internal import Microhttpd
internal import Texts

extension API {
    /// As `noteRefused`, for a request of which nothing but the head is there. Its sender has no rights at all.
    func noteRefusedAtDoor(_ problem: Problem, _ head: RequestHead) {
        guard problem.isOfRights else { return }
        configuration.gate.note(.refused(refused(problem, head)), by: "anonymous")
    }

    /// Tells the audit log of a request that is refused because its sender lacks a right.
    func noteRefused(_ problem: Problem, _ head: RequestHead) {
        guard problem.isOfRights else { return }
        let gate = configuration.gate
        let caller = gate.book.flatMap { knownCaller(of: head, head.visitor as? Visit, in: $0) }
        gate.note(.refused(refused(problem, head)), by: caller?.actor ?? "anonymous")
    }

    /// As `noteRefused`, for a request whose head is gone.
    ///
    /// - Parameter client: The address from which it came; nil if it is unknown.
    func noteRefused(_ problem: Problem, _ trace: Trace, from client: ClientAddress?, by actor: ByteText) {
        guard problem.isOfRights, let method = trace.method else { return }
        configuration.gate.note(.refused(refused(problem, method, trace.path, client)), by: actor)
    }

    private func refused(_ problem: Problem, _ head: RequestHead) -> AccessEvent.RefusedRequest {
        refused(problem, head.method, head.path, head.client)
    }

    private func refused(
        _ problem: Problem, _ method: HTTPRequest.Method, _ path: ByteText, _ client: ClientAddress?
    ) -> AccessEvent.RefusedRequest {
        AccessEvent.RefusedRequest(
            method: ByteText(method.rawValue), path: path, status: problem.status.code, address: client?.text)
    }
}

extension Problem {
    /// Whether the sender of the request, and not the request, is what is wrong.
    fileprivate var isOfRights: Bool { code == .unauthenticated || code == .forbidden || hidesList }
}
