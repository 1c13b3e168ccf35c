internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Threads

/// The bytes of an update that a follower sends.
enum UpdateForm: Hashable, Sendable {
    case event
    case body(isCoded: Bool)
}

/// The update that leads followers of a list from one version to another. Its bytes are made once for all of them.
final class LiveUpdate: Sendable {
    enum Kind {
        /// The view has not changed.
        case nothing
        case change
        case reset
    }

    /// The version to which the update leads.
    let version: Version
    let kind: Kind
    /// Whether the update has too many bytes to be kept while nobody sends it.
    let isLarge: Bool
    /// The line that a stream of this list alone sends before the event.
    let resumePoint: [UInt8]
    /// The event as streams send it, behind a resume point.
    private let eventOnce: Once<Source, Bytes>
    /// The body as a long poll is answered with it.
    private let answer: Once<Source, Answer>

    fileprivate struct Source: Sendable {
        let catchup: Catchup
        let list: ListID
        let rows: RowQuery
        let note: ChangeNote?
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
        /// The body as gzip; empty if gzip is not worth it.
        let coded: Once<[UInt8], Bytes>

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            coded = Once(from: bytes) { Bytes(worthwhileGzip($0) ?? []) }
        }
    }

    private static let rowsMax = 500

    /// - Parameters:
    ///   - note: The note of the transaction, if the update spans exactly one.
    ///   - snapshot: The published answer that the reset shares; nil if the reset has bytes of its own.
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
            // The number includes rows that the view does not show, because the update holds the whole state.
            isLarge = snapshot.state.itemCount > Self.rowsMax
        }
        let source = Source(
            catchup: catchup, list: list, rows: found.query,
            note: note.map { ChangeNote(actor: $0.actor, label: $0.label) }, snapshot: snapshot, viewed: found.rows,
            kind: kind)
        resumePoint = EventText.resumePoint(version.description)
        eventOnce = Once(from: source) { Bytes($0.event) }
        answer = Once(from: source) { Answer($0.body(note: nil)) }
    }

    var end: Int { version.revision }
    var event: [UInt8] { eventOnce.value.bytes }
    var body: [UInt8] { answer.value.bytes }
    /// The body as gzip; nil if gzip is not worth it.
    var codedBody: [UInt8]? {
        let bytes = answer.value.coded.value.bytes
        return bytes.isEmpty ? nil : bytes
    }

    /// Makes the bytes of a form.
    func make(_ form: UpdateForm?) {
        switch form {
        case nil: break
        case .event: _ = event
        case .body(let isCoded): _ = isCoded ? codedBody : body
        }
    }

    /// Whether the bytes of a form can be had at once.
    func isMade(_ form: UpdateForm?) -> Bool {
        switch form {
        case nil: true
        case .event: eventOnce.isMade
        case .body(let isCoded): answer.isMade && (!isCoded || answer.value.coded.isMade)
        }
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

    fileprivate func body(note: ChangeNote?) -> [UInt8] {
        guard let snapshot else { return catchup.body(list: list, rows, viewed, note: note) }
        return resetBody(list: list, to: snapshot.version, snapshot: snapshot.body)
    }
}
