import ClientState
import Foundation
import ListModel
import Texts

/// One stream for all lists of a client.
@MainActor final class Feed {
    /// Who is told what the stream brings.
    @MainActor protocol Owner: AnyObject {
        /// The lists to be followed, each with the version that is held.
        var followed: [(list: ListID, since: Version?)] { get }
        func take(_ event: StreamEvent)
        func note(_ state: State)
    }

    /// The state of the stream.
    enum State { case connecting, live, offline, unauthorized }

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
        guard let lists = owner?.followed, !lists.isEmpty else { return nil }
        var wanted = 0.0
        do {
            let request = WireRequest(
                "POST", "/v1/changes", json: Self.body(lists), ["Accept": "text/event-stream"])
            let (head, body) = try await wire.open(request)
            guard head.code == 200 else {
                // The token may read none of the lists, or there is none of them.
                if head.code == 404 { for (list, _) in lists { owner?.take(.gone(list)) } }
                owner?.note(head.code == 401 ? .unauthorized : .offline)
                return patience.next(wanted: head["Retry-After"].flatMap { Double($0) } ?? 0)
            }
            owner?.note(.live)
            var reader = EventReader()
            for try await piece in body {
                for event in reader.read(piece) where !Task.isCancelled {
                    guard let event = try StreamEvent(name: event.name, data: event.data) else { continue }
                    if case .bye(let code, let retryAfter) = event {
                        wanted = Double(retryAfter)
                        if code == "unauthenticated" { wire.forgetToken() }
                    } else {
                        patience.reset()
                        owner?.take(event)
                    }
                }
            }
        } catch {
            // A stream ends for many reasons. What to do is always the same.
        }
        if !Task.isCancelled { owner?.note(.offline) }
        return patience.next(wanted: wanted)
    }

    private static func body(_ lists: [(list: ListID, since: Version?)]) -> [UInt8] {
        let entries = lists.map { list, since in
            "{\"list\":\"\(list)\"" + (since.map { ",\"since\":\"\($0)\"" } ?? "") + "}"
        }
        return Array("{\"lists\":[\(entries.joined(separator: ","))]}".utf8)
    }
}
