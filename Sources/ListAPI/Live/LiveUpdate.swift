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

/// The memory has no room for the bytes of an update.
struct NoRoom: Error {}

/// The update that leads followers of a list from one version to another, in one form. Its bytes are made once for all of
/// them, and count as memory as long as the update lives.
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
    /// About how many bytes it has.
    let estimatedBytes: Int
    /// The line that a stream of this list alone sends before the event.
    let resumePoint: [UInt8]
    /// Made of a source that goes once the bytes are there. A client that reads slowly keeps no old state of the list.
    private let content: Once<Source, Content>
    private let memory: MemoryBudget

    fileprivate struct Source: Sendable {
        let catchup: Catchup
        let list: ListID
        let rows: RowQuery
        let note: ChangeNote?
        let snapshot: PublishedSnapshot?
        let viewed: ViewedRows?
        let kind: Kind
        let form: UpdateForm?
    }

    private final class Content: Sendable {
        let bytes: [UInt8]
        /// The bytes as gzip; nil if gzip is not wanted, or not worth it.
        let coded: [UInt8]?
        private let claim: MemoryClaim

        init(_ bytes: [UInt8], coded: [UInt8]?, of memory: MemoryBudget) {
            self.bytes = bytes
            self.coded = coded
            claim = MemoryClaim(bytes.count + (coded?.count ?? 0), of: memory, for: .answers)
        }
    }

    private static let rowsMax = 500
    private static let bytesMax = 256 << 10

    /// - Parameters:
    ///   - form: The form of the bytes; nil if nobody wants them.
    ///   - note: The note of the transaction, if the update spans exactly one.
    ///   - snapshot: The published answer that the reset shares; nil if the reset has bytes of its own.
    init(
        _ found: ViewCatchup, _ list: ListID, as form: UpdateForm?, within memory: MemoryBudget,
        note: TransactionNote? = nil, snapshot: PublishedSnapshot? = nil
    ) {
        let catchup = found.catchup
        version = catchup.version
        let rowCount: Int
        switch catchup {
        case .changes(let changes, _, _, _):
            kind = changes.isEmpty ? .nothing : .change
            rowCount = changes.namedRowCount
        case .reset(let snapshot):
            kind = .reset
            // The number includes rows that the view does not show, because the update holds the whole state.
            rowCount = snapshot.state.itemCount
        }
        estimatedBytes = form == nil ? 0 : catchup.estimatedBytes(found.query, found.rows)
        isLarge = rowCount > Self.rowsMax || estimatedBytes > Self.bytesMax
        let source = Source(
            catchup: catchup, list: list, rows: found.query,
            note: note.map { ChangeNote(actor: $0.actor, label: $0.label) }, snapshot: snapshot, viewed: found.rows,
            kind: kind, form: form)
        resumePoint = EventText.resumePoint(version.description)
        self.memory = memory
        content = Once(from: source) { source in
            let bytes = source.bytes
            return Content(bytes, coded: source.form == .body(isCoded: true) ? worthwhileGzip(bytes) : nil, of: memory)
        }
    }

    var end: Int { version.revision }
    /// The event as streams send it, behind a resume point, or the body as a long poll is answered with it.
    var bytes: [UInt8] { content.value.bytes }
    /// The body as gzip; nil if gzip is not wanted, or not worth it.
    var codedBytes: [UInt8]? { content.value.coded }
    /// Whether the bytes can be had at once.
    var isMade: Bool { content.isMade }

    /// Makes the bytes, unless they are there already.
    func make() throws(NoRoom) {
        guard !isMade else { return }
        // While bytes are put together, there are up to two copies of them.
        let cost = 2 * estimatedBytes
        guard memory.take(cost, .work) else { throw NoRoom() }
        _ = content.value
        memory.count(-cost, .work)
    }
}

extension LiveUpdate.Source {
    fileprivate var bytes: [UInt8] {
        switch form {
        case nil: []
        case .event: event
        case .body: body(note: nil)
        }
    }

    private var event: [UInt8] {
        switch kind {
        case .nothing: EventText.nothing
        case .change: EventText.event(.change, body(note: note))
        case .reset: EventText.event(.reset, body(note: nil))
        }
    }

    private func body(note: ChangeNote?) -> [UInt8] {
        guard let snapshot else { return catchup.body(list: list, rows, viewed, note: note) }
        return resetBody(list: list, to: snapshot.version, snapshot: snapshot.body)
    }
}
