import ClientState
import Foundation
import ListModel
import Texts

/// One stream: that of all lists of a client, or that of a part of one list.
@MainActor final class Feed {
    /// Who is told what the stream brings.
    @MainActor protocol Owner: AnyObject {
        /// The request that goes on from what is held; nil if there is nothing to follow.
        func following() -> WireRequest?
        func take(_ event: EventReader.Event) throws(AnswerError)
        func note(_ state: State)
        /// The server has answered with a status instead of a stream.
        func refused(_ code: Int) async
    }

    /// The state of the stream. `refused` says that the server does not take the query.
    enum State { case connecting, live, offline, unauthorized, refused }

    private let wire: Wire
    weak var owner: (any Owner)?
    private var running: Task<Void, Never>?
    private var patience = Patience()

    init(_ wire: Wire) { self.wire = wire }

    /// Connects, or connects anew because the lists are others.
    func connect() {
        running?.cancel()
        running = Task { [weak self] in
            while !Task.isCancelled, let pause = await self?.run() { try? await Task.sleep(for: .seconds(pause)) }
        }
    }

    func close() { running?.cancel() }

    /// Follows until the stream ends.
    ///
    /// - Returns: The seconds after which to connect again; nil if there is nothing to follow.
    private func run() async -> Double? {
        guard let request = owner?.following() else { return nil }
        var wanted = 0.0
        do {
            let (head, body) = try await wire.open(request)
            guard !Task.isCancelled else { return nil }
            guard head.code == 200 else {
                await owner?.refused(head.code)
                return patience.next(wanted: head["Retry-After"].flatMap { Double($0) } ?? 0)
            }
            owner?.note(.live)
            var reader = EventReader()
            for try await piece in body {
                for event in reader.read(piece) where !Task.isCancelled {
                    if event.name == "bye",
                        case .bye(let code, let retryAfter)? = try StreamEvent(event, isPart: false)
                    {
                        wanted = Double(retryAfter)
                        if code == "unauthenticated" { wire.forgetToken() }
                    } else {
                        try owner?.take(event)
                        patience.reset()
                    }
                }
            }
        } catch {
            // A stream ends for many reasons. What to do is always the same.
        }
        if !Task.isCancelled { owner?.note(.offline) }
        return patience.next(wanted: wanted)
    }

    /// Asks for the stream of whole lists, each from the version that is held.
    static func request(_ lists: [(list: ListID, since: Version?)]) -> WireRequest {
        let entries = lists.map { list, since in
            "{\"list\":\"\(list)\"" + (since.map { ",\"since\":\"\($0)\"" } ?? "") + "}"
        }
        let body = Array("{\"lists\":[\(entries.joined(separator: ","))]}".utf8)
        return WireRequest("POST", "/v1/changes", json: body, ["Accept": "text/event-stream"])
    }

    /// Asks for the stream of the rows of a query.
    static func request(_ list: ListID, _ query: ListQuery, since: Version?) -> WireRequest {
        let since = since.map { "&since=\($0)" } ?? ""
        return WireRequest(
            "GET", "/v1/lists/\(list)/changes?\(query.parameters)\(since)", ["Accept": "text/event-stream"])
    }
}

extension StreamEvent {
    /// - Returns: Nil for an event of a later server, and for an id without an event.
    init?(_ event: EventReader.Event, isPart: Bool) throws(AnswerError) {
        try self.init(name: event.name, data: event.data, isPart: isPart)
    }
}
