import ClientState
import ListDiff
import ListModel
import ListWire

/// Keeps the rows of lists soon after the server has told of a change, and reads them when a list is opened.
///
/// A list is written as a whole. So that this takes little of the time of a long list that changes all the time, the
/// next writing waits fifty times as long as the last one took.
@MainActor final class RowKeeper {
    private static let pauseMin = Duration.seconds(2)
    private static let pauseFactor = 50

    private let files: RowFiles?
    private var changed: [ListID: ListCore] = [:]
    private var waiting: Task<Void, Never>?
    private var writing: Task<Duration, Never>?

    /// - Parameter files: Nil if rows end with the process.
    init(_ files: RowFiles?) { self.files = files }

    /// The rows of a list as the server has told them some day; nil if they are not kept.
    func rows(of list: ListID) async -> ListSnapshot? {
        guard let files else { return nil }
        return await Task.detached {
            guard let rows = files.rows(of: list), let snapshot = try? ListSnapshot(answer: rows) else { return nil }
            return snapshot.id == list ? snapshot : nil
        }.value
    }

    /// The server has told of a change, or that the list has gone.
    func noteChange(of core: ListCore) {
        guard files != nil else { return }
        changed[core.id] = core
        guard waiting == nil else { return }
        let last = writing
        waiting = Task {
            let pause = max(Self.pauseMin, (await last?.value ?? .zero) * Self.pauseFactor)
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            waiting = nil
            write()
        }
    }

    /// Writes what is not written yet.
    ///
    /// - Returns: The end of it.
    func close() -> Task<Duration, Never>? {
        waiting?.cancel()
        write()
        return writing
    }

    private func write() {
        guard let files, !changed.isEmpty else { return }
        let rows = changed.values.map { ($0.id, ($0.local as? LocalList)?.held(as: $0.id)) }
        changed = [:]
        let last = writing
        writing = Task.detached(priority: .utility) {
            _ = await last?.value
            return ContinuousClock().measure {
                for (list, snapshot) in rows { files.keep(snapshot?.body, of: list) }
            }
        }
    }
}
