import Glibc
import JSONValue
import Texts

/// Follows a list by a stream, and comes back to it with longer and longer pauses when it breaks.
final class Follower {
    /// What the follower tells of. The version is that of the list after it.
    enum News {
        case event(EventReader.Event)
        /// There is no stream, for this reason, until the pause of so many seconds is over.
        case away(String, seconds: Double)
        case back
    }

    private enum End {
        case gone
        case broken(String)
        case refused(Failure)
    }

    private let server: RemoteServer
    private let path: String
    private let parameters: [(name: String, value: String)]
    /// Takes the news. False if it cannot use an event: then the next stream begins with a reset.
    private let show: (News) -> Bool

    /// The id of the last event: the version from which the next stream goes on.
    private var version: ByteText?
    /// How many streams have failed since the last event.
    private var failures = 0
    private var wasThere = false
    private var leastPause = 0.0

    /// The server sends a comment after 15 s of silence.
    private static let patience = 45
    private static let pauseMax = 30.0

    init(
        _ server: RemoteServer, list: String, _ parameters: [(name: String, value: String)],
        show: @escaping (News) -> Bool
    ) {
        (self.server, self.parameters, self.show) = (server, parameters, show)
        path = "/v1/lists/\(list)/changes"
    }

    /// Returns when the list is deleted.
    ///
    /// - Throws: The reason why there will be no stream: the server refuses it, or has never answered.
    func run() throws(Failure) {
        while true {
            switch try stream() {
            case .gone: return
            case .refused(let failure): throw failure
            case .broken(let reason):
                let pause = self.pause()
                _ = show(.away(reason, seconds: pause))
                usleep(UInt32(pause * 1_000_000))
                failures += 1
            }
        }
    }

    /// Half a second, and twice as long each time, less a random part: many clients shall not come back at once.
    private func pause() -> Double {
        let longest = min(Self.pauseMax, 0.5 * Double(1 << min(failures, 10)))
        return max(leastPause, longest * Double.random(in: 0.5...1))
    }

    private func stream() throws(Failure) -> End {
        let reader = AnswerReader(contentBytesMax: RemoteServer.answerBytesMax)
        var events = EventReader()
        var end: End?
        leastPause = 0
        reader.onContent = { [self] answer in
            guard answer.isStream else { return true }
            for event in events.add(reader.takeContent()) {
                end = take(event)
                guard end == nil else { return false }
            }
            return !events.isTooLong
        }
        var since: [(name: String, value: String)] = []
        if let version { since = [("since", "\(version)")] }
        let fields = try server.address.credentials(server.token) + [("Accept", "text/event-stream")]
        do throws(HTTPClient.Fault) {
            try HTTPClient(address: server.address, patience: Self.patience)
                .send("GET", path + query(since + parameters), fields: fields, json: nil, to: reader)
        } catch {
            let failure = Failure.client(error, server.address)
            return wasThere ? .broken(failure.message) : .refused(failure)
        }
        if let end { return end }
        guard let answer = reader.answer, !answer.isStream else { return .broken("The stream has ended.") }
        return refusal(answer)
    }

    private func refusal(_ answer: HTTPClient.Answer) -> End {
        let failure = Failure.problem(RemoteProblem(answer), server.address)
        return answer.isForNow ? .broken(failure.message) : .refused(failure)
    }

    /// Takes an event. Returns the end if the stream goes no further.
    private func take(_ event: EventReader.Event) -> End? {
        if let retry = event.retry { leastPause = min(Double(max(retry, 0)) / 1_000, Self.pauseMax) }
        if !wasThere || failures > 0 { _ = show(.back) }
        wasThere = true
        guard event.name != "bye" else { return farewell(event) }
        guard event.id != nil || !event.name.isEmpty else { return nil }
        failures = 0
        guard show(.event(event)) else {
            version = nil
            return .broken("The change does not belong to what is shown.")
        }
        guard event.name != "gone" else { return .gone }
        if let id = event.id { version = id }
        return nil
    }

    private func farewell(_ event: EventReader.Event) -> End {
        let bye = JSONObject(answer: event.data)
        let reason = printable(bye?["reason"]?.textValue ?? "")
        guard reason != "access" else {
            return .refused(.failed("The right to follow the list has ended.", 76))
        }
        leastPause = max(leastPause, min(Double(bye?["retryAfter"]?.integerValue ?? 0), Self.pauseMax))
        return .broken("The server has ended the stream (\(reason)).")
    }
}

extension HTTPClient.Answer {
    fileprivate var isStream: Bool { status == 200 && self["Content-Type"]?.hasPrefix("text/event-stream") == true }

    /// Whether a refusal says nothing about the request itself, which may be sent again later.
    var isForNow: Bool { status >= 500 || status == 429 || status == 408 }
}
