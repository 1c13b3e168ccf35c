import JSONValue
import Threads
import TestSupport

/// A client that follows a list, loses its connection, and comes back with the id of the last event. It only records
/// what it sees.
struct ListWatcher: Sendable {
    /// The title that a list gets when no client writes any more.
    static let lastTitle = "The end"

    let list: String
    let port: UInt16
    let nemesis: Nemesis
    /// Whether the last write has been acknowledged.
    let hasEnded: Locked<Bool>

    private static let commentsMax = 2

    /// Follows the list until it has seen the last write, or until heartbeats after the last write show that nothing
    /// more comes.
    func watch() -> Watch {
        var watch = Watch(list: list)
        var lastEventID = ""
        while !nemesis.isOver {
            if (try? follow(&watch, &lastEventID)) == true { break }
        }
        return watch
    }

    /// - Returns: Whether nothing more will come.
    private func follow(_ watch: inout Watch, _ lastEventID: inout String) throws -> Bool {
        let strikes = nemesis.strikes
        let stream = try EventClient(port: port, "/v1/lists/\(list)/changes", lastEventID: lastEventID)
        guard stream.head.status == 200 else { return hasEnded.withLock { $0 } }
        watch.entries.append(.connected(lastEventID: lastEventID))
        while true {
            let isEnd = hasEnded.withLock { $0 }
            guard let event = try stream.next(orAfterComments: Self.commentsMax) else {
                return isEnd && !stream.isAtEnd
            }
            guard event.name != "bye" || !nemesis.hasStruckDisk(after: strikes) else { return false }
            let data = event.json
            watch.entries.append(.event(name: event.name, id: event.id, data: data))
            lastEventID = event.id
            // No server follows the last one, and one that cannot read the list says so again and again.
            guard event.name != "bye" || !isEnd else { return true }
            let title = data["properties"]?["title"] ?? data["snapshot"]?["title"]
            guard title?.string != Self.lastTitle else { return true }
        }
    }
}
