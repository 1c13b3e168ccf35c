internal import ListModel
internal import ListStore

/// Writes snapshots, and removes what nobody needs, on a session of its own, so that no commit waits for it.
///
/// One node at a time does this for a list. The server's advisory lock of the list goes with the session that holds it.
///
/// - Safety: `@unchecked` is sound because the journal reaches it under a lock.
final class Upkeep: @unchecked Sendable {
    /// A snapshot of which not all chunks are written yet.
    private struct Unfinished {
        /// The number that its parts share.
        let number: Int
        let life: Int
        /// The number of its chunks in the tables.
        let id: Int
        var count = 0
    }

    let connector: Connector
    let random: @Sendable () -> UInt64
    private var session: Session?
    private var unfinished: [ListID: Unfinished] = [:]

    private static let rowsOfPiece = 512
    private static let chunksOfPiece = 64
    private static let receiptsOfPiece = 4_096

    init(_ connector: Connector, random: @escaping @Sendable () -> UInt64) {
        (self.connector, self.random) = (connector, random)
    }

    /// Runs `body` with the session. Whatever is unfinished is given up if the session is lost, because its locks are.
    func run<Result>(_ body: (Session) throws(Session.Failure) -> Result) throws(JournalError) -> Result {
        do throws(Session.Failure) {
            try connector.requireFormat()
            if session.map(connector.isOfUse) != true {
                (session, unfinished) = (nil, [:])
                try connector.requirePresence()
                session = try connector.connect()
            }
            guard let session else { throw .lost("no session") }
            return try body(session)
        } catch {
            throw error.harmless
        }
    }

    /// Runs `body` as one transaction that waits for the disk. It is run again if it has met others in a circle.
    ///
    /// - Throws: `.unknown` if the connection was lost while the transaction was ended.
    func transaction<Result>(
        _ body: (Session) throws(Session.Failure) -> Result
    ) throws(JournalError) -> Result {
        var isCommitting = false
        for _ in 0..<Self.triesMax {
            var failure: Session.Failure?
            let result = try run { session throws(Session.Failure) -> Result? in
                isCommitting = false
                do throws(Session.Failure) {
                    try session.run(.beginTransaction)
                    let result = try body(session)
                    isCommitting = true
                    _ = try session.runDurably(.commitTransaction, [])
                    return result
                } catch {
                    failure = error
                    if !session.isLost { try session.runScript("ROLLBACK") }
                    return nil
                }
            }
            if let result { return result }
            guard let failure, !failure.isPassing else { continue }
            guard isCommitting, case .lost(let text) = failure else { throw failure.harmless }
            throw .unknown(text)
        }
        throw .away("others write the same all the time")
    }

    private static let triesMax = 100

    // MARK: Snapshots

    func write(_ part: SnapshotPart) throws(JournalError) {
        do throws(JournalError) {
            try run { session throws(Session.Failure) in
                if part.first == 0 { try begin(part, session) }
                guard var snapshot = unfinished[part.list], snapshot.number == part.number,
                    snapshot.count == part.first
                else { return try forget(part.list, session) }
                try session.run(
                    .addChunks,
                    [
                        .integer(snapshot.life), .integer(snapshot.id), .integer(part.first),
                        .integers(
                            part.chunks.enumerated().map { offset, chunk in
                                Checksum.of([snapshot.life, snapshot.id, part.first + offset], chunk)
                            }),
                        .byteArrays(part.chunks),
                    ])
                snapshot.count += part.chunks.count
                unfinished[part.list] = snapshot
                guard part.isLast else { return }
                _ = try session.runDurably(
                    .cover,
                    [
                        .integer(snapshot.life), .integer(part.position), .integer(snapshot.id),
                        .integer(snapshot.count), .integer(part.generation),
                    ])
                try forget(part.list, session)
            }
        } catch {
            if let snapshot = unfinished.removeValue(forKey: part.list) { unlock(snapshot.life) }
            throw error
        }
    }

    /// Gives the lock of a list back after a failure. If that fails, the session is given up, and its locks with it.
    private func unlock(_ life: Int) {
        guard let session, !session.isLost else { return }
        do throws(Session.Failure) { try session.run(.unlockList, [.integer(life)]) } catch {
            (self.session, unfinished) = (nil, [:])
        }
    }

    private func begin(_ part: SnapshotPart, _ session: Session) throws(Session.Failure) {
        try forget(part.list, session)
        let name = Parameter.text(Array(part.list.rawValue.utf8))
        let parameters = [name, .integer(part.position), .integer(part.generation)]
        let life = try session.run(.coverable, parameters).first?.first?.integer
        guard let life, part.life ?? life == life, try lock(life, session) else { return }
        unfinished[part.list] = Unfinished(number: part.number, life: life, id: Int(random() >> 2) + 1)
    }

    private func forget(_ list: ListID, _ session: Session) throws(Session.Failure) {
        guard let snapshot = unfinished.removeValue(forKey: list) else { return }
        try session.run(.unlockList, [.integer(snapshot.life)])
    }

    private func lock(_ life: Int, _ session: Session) throws(Session.Failure) -> Bool {
        try session.run(.lockList, [.integer(life)]).first?.first?.integer == 1
    }

    // MARK: Removing

    /// Removes some of what one list does not need any more. Returns whether there was none with anything.
    func removeSome() throws(JournalError) -> Bool {
        try run { session throws(Session.Failure) in
            let busy = unfinished.values.map(\.life)
            let due = try session.run(.untidy, [.integer(connector.patience.keep), .integers(busy)]).first
            guard let due, let life = due[0].integer, let stage = due[1].integer, let covered = due[2].integer,
                try lock(life, session)
            else { return true }
            do throws(Session.Failure) { try removeSome(of: life, stage, covered, session) } catch {
                unlock(life)
                throw error
            }
            try session.run(.unlockList, [.integer(life)])
            return false
        }
    }

    private func removeSome(of life: Int, _ stage: Int, _ covered: Int, _ session: Session) throws(Session.Failure) {
        let list = Parameter.integer(life)
        let rows = try session.run(
            .removeRows, [list, .integer(stage == 2 ? .max : covered), .integer(Self.rowsOfPiece)])
        let chunks = try session.run(.removeOtherChunks, [list, .integer(Self.chunksOfPiece)])
        if rows.count < Self.rowsOfPiece, chunks.count < Self.chunksOfPiece {
            if stage == 2 {
                try session.run(.removeList, [list])
            } else {
                try session.run(.noteTidy, [list, .integer(covered)])
            }
        }
    }

    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        try run { session throws(Session.Failure) in
            let removed = try session.run(
                .removeReceipts, [.integer(max(0, keepNewest)), .integer(olderThan), .integer(Self.receiptsOfPiece)])
            return removed.count < Self.receiptsOfPiece
        }
    }

    func close() { session = nil }
}
