internal import Access
internal import HTTPTypes
internal import JSONValue
internal import ListModel
internal import ListWire
internal import Microhttpd
internal import Texts

extension API {
    /// `POST /v1/tickets`: makes a ticket for a stream.
    func postTicket(_ call: Call) throws(Problem) -> Answer {
        guard let tickets = configuration.gate.tickets, let book = call.book, !call.caller.isEverybody else {
            throw Problem(.notFound, "Nobody uses tokens on this server, so streams need no tickets.")
        }
        let target = try decode(call) { decoder, body throws(WireError) in try decoder.ticketBody(body) }.value
        let stream = try streamHead(of: target, for: call.caller)
        let ticket = Secret.makeTicket(configuration.gate.random)
        let until = configuration.gate.clock() + Ticket.secondsToFirstUse
        let (digest, hasQuery) = (stream.targetDigest, stream.hasQuery || target.utf8.last == UInt8(ascii: "?"))
        let location: ByteText = "\(target)\(hasQuery ? "&" : "?")ticket=\(ticket)"
        let (trace, caller, gate) = (call.trace, call.caller, configuration.gate)
        return onWorker { [self] in
            do throws(BookStoreError) {
                try tickets.make(ticket, for: caller, target: digest) { gate.renewed($0, in: book) == nil }
            } catch {
                return response(to: Problem(changing: error), trace)
            }
            var fields = Response.Fields.uncachedJSON + [Response.Field("Location", location)]
            fields.append(trace, id: trace.sentID ?? configuration.requestID())
            let body: JSONValue = [
                "ticket": .string(ticket), "location": .string(location), "until": .string(timeText(until)),
            ]
            return Response(status: .created, fields: fields, body: body.bytes)
        }
    }

    /// The head of a request for the stream at an address.
    ///
    /// - Throws: `invalid` if there is no stream, and what the stream would say to a caller without the right to it.
    private func streamHead(of target: ByteText, for caller: Caller) throws(Problem) -> RequestHead {
        guard let head = RequestHead(getting: target), let resource = try? router.resource(at: head.path),
            let endpoint = resource.endpoint(.get), endpoint.streams
        else {
            throw .noStream("At this address there is no stream. GET /openapi.yaml describes those that there are.")
        }
        let query: Query
        do throws(Problem) { query = try Query(head.query, of: endpoint) } catch { throw .noStream(error.detail) }
        guard query[.ticket] == nil else { throw .noStream("It has a ticket already: leave the parameter out.") }
        if case .list(let right) = endpoint.rule {
            guard let list = resource.arguments.first.flatMap({ ListID($0) }) else { throw .invalid(.list) }
            try requireAny([right], on: list, caller)
        }
        return head
    }
}

extension Problem {
    /// The problem of an address that is none of a stream.
    fileprivate static func noStream(_ detail: String) -> Problem {
        var problem = Problem(.invalid, "At /target: \(detail)")
        problem.faults = [Fault(pointer: "/target", code: "invalid_format", detail: detail)]
        return problem
    }
}
