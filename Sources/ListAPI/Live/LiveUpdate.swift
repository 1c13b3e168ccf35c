internal import ListDiff
internal import ListModel
internal import ListStore
internal import Threads

/// What leads followers of a list from one version to another, its bytes made once for all of them.
final class LiveUpdate: Sendable {
    enum Kind {
        /// The view is as it was.
        case nothing
        case change
        case reset
    }

    /// The version that it leads to.
    let version: Version
    let kind: Kind
    /// Whether its bytes are too many to be kept for nobody.
    let isLarge: Bool
    /// The line that a stream of this list alone sends before the event.
    let resumePoint: [UInt8]
    /// As streams send it, behind a resume point.
    private let eventOnce: Once<Source, Bytes>
    /// As a long poll is answered.
    private let answer: Once<Source, Answer>

    fileprivate struct Source: Sendable {
        let catchup: Catchup
        let list: ListID
        let rows: RowQuery
        let note: TransactionNote?
        let snapshot: PublishedSnapshot?
        let viewed: ViewedRows?
        let kind: Kind
    }

    private final class Bytes: Sendable {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    private final class Answer: Sendable {
        let bytes: [UInt8]
        /// Empty if it is not worth it.
        let coded: Once<[UInt8], Bytes>

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            coded = Once(from: bytes) { Bytes(worthwhileGzip($0) ?? []) }
        }
    }

    private static let rowsMax = 500

    /// - Parameters:
    ///   - note: Of the only transaction that it spans, if it spans one.
    ///   - snapshot: The bytes for a reset, if others have them too.
    init(
        _ found: ViewCatchup, _ list: ListID, note: TransactionNote? = nil, snapshot: PublishedSnapshot? = nil
    ) {
        let catchup = found.catchup
        version = catchup.version
        switch catchup {
        case .changes(let changes, _, _, _):
            kind = changes.isEmpty ? .nothing : .change
            isLarge = changes.namedRowCount > Self.rowsMax
        case .reset(let snapshot):
            kind = .reset
            // Also by the rows that the view does not show: it holds the state that they are in.
            isLarge = snapshot.state.itemCount > Self.rowsMax
        }
        let source = Source(
            catchup: catchup, list: list, rows: found.query, note: note, snapshot: snapshot, viewed: found.rows,
            kind: kind)
        resumePoint = EventText.resumePoint(version.description)
        eventOnce = Once(from: source) { Bytes($0.event) }
        answer = Once(from: source) { Answer($0.body(note: nil)) }
    }

    var end: Int { version.revision }
    var event: [UInt8] { eventOnce.value.bytes }
    var body: [UInt8] { answer.value.bytes }
    /// The body as gzip; nil if that is not worth it.
    var codedBody: [UInt8]? {
        let bytes = answer.value.coded.value.bytes
        return bytes.isEmpty ? nil : bytes
    }
}

extension LiveUpdate.Source {
    fileprivate var event: [UInt8] {
        switch kind {
        case .nothing: EventText.nothing
        case .change: EventText.event(.change, body(note: note))
        case .reset: EventText.event(.reset, body(note: nil))
        }
    }

    fileprivate func body(note: TransactionNote?) -> [UInt8] {
        guard let snapshot else { return catchup.body(list: list, rows, viewed, note: note) }
        return resetBody(list: list, to: snapshot.version, snapshot: snapshot.body)
    }
}
