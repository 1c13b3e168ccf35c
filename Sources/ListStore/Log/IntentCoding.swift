public import ListDiff
import ListModel
internal import Texts

/// Encodes the intents of clients for the log, and limits how much of them is kept.
///
/// The store does not read the bytes. The owner of the coding decodes them.
public final class IntentCoding: Sendable {
    /// The size in bytes up to which an intent is kept whole. Of a longer one, the log and memory keep the abridged
    /// form only.
    let bytesMax: Int
    private let encode: @Sendable (WriteIntent) -> [UInt8]
    private let abridge: @Sendable (WriteIntent) -> [UInt8]

    /// - Parameters:
    ///   - bytesMax: The size in bytes up to which an intent is kept whole.
    ///   - encode: Encodes a whole intent.
    ///   - abridge: Encodes the part of a longer intent that is kept: at most a few bytes for each operation.
    public init(
        bytesMax: Int, encode: @escaping @Sendable (WriteIntent) -> [UInt8],
        abridge: @escaping @Sendable (WriteIntent) -> [UInt8]
    ) {
        self.bytesMax = bytesMax
        self.encode = encode
        self.abridge = abridge
    }

    /// The form in which history keeps an intent.
    ///
    /// - Parameter isLogged: Whether the log will need its bytes.
    func kept(_ intent: WriteIntent, isLogged: Bool) -> TransactionNote.Intent {
        guard intent.estimatedBytes <= bytesMax else { return .encoded(abridge(intent)) }
        guard isLogged else { return .sent(intent) }
        let bytes = encode(intent)
        return .encoded(bytes.count <= bytesMax ? bytes : abridge(intent))
    }
}

extension WriteIntent {
    /// An estimate of the bytes that it takes in memory.
    var estimatedBytes: Int {
        switch self {
        case .operation(let operation): operation.estimatedBytes
        case .operations(let operations): operations.reduce(0) { $0 + $1.estimatedBytes }
        case .reorder(let reorder): reorder.sections.reduce(0) { $0 + $1.estimatedBytes }
        case .undo, .redo, .restore: 0
        }
    }
}

/// The bytes of a text without its characters.
private let wordBytes = 16

extension Identifier {
    fileprivate var estimatedBytes: Int { wordBytes + rawValue.utf8.count }
}

extension Sequence {
    fileprivate func estimatedBytes<Namespace>() -> Int where Element == Identifier<Namespace> {
        reduce(0) { $0 + $1.estimatedBytes }
    }
}

extension Operation {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .appendSections(let sections), .insertSections(let sections, _):
            sections.reduce(0) { $0 + $1.estimatedBytes }
        case .deleteSections(let ids), .reloadSections(let ids): ids.estimatedBytes()
        case .moveSection, .deleteAllItems, .moveItem, .toggleStar: 4 * wordBytes
        case .updateSection(_, let changes): wordBytes + changes.estimatedBytes
        case .updateList(let changes): changes.title.estimatedBytes + changes.layout.estimatedBytes
        case .appendItems(let items, _), .insertItems(let items, _), .replaceChildren(_, let items):
            items.estimatedBytes
        case .deleteItems(let ids), .reconfigureItems(let ids), .reloadItems(let ids), .setStarred(let ids, _),
            .setExpanded(let ids, _):
            ids.estimatedBytes()
        case .updateItem(_, let changes): changes.estimatedBytes
        case .applySnapshot(let snapshot):
            snapshot.sections.reduce(
                snapshot.changes.title.estimatedBytes + snapshot.changes.layout.estimatedBytes
            ) { $0 + $1.estimatedBytes }
        case .applySectionSnapshot(let section): section.estimatedBytes
        }
    }
}

extension [NewItem] {
    fileprivate var estimatedBytes: Int {
        reduce(0) { $0 + $1.id.estimatedBytes + ($1.parent?.estimatedBytes ?? 0) + ($1.value?.estimatedBytes ?? 0) }
    }
}

extension ItemChanges {
    fileprivate var estimatedBytes: Int {
        switch content {
        case .keep: 2 * wordBytes
        case .replace(let text), .merge(let text): 2 * wordBytes + text.byteCount
        }
    }
}

extension NewSection {
    fileprivate var estimatedBytes: Int {
        let texts = [properties.layout, properties.header, properties.footer].compactMap { $0?.byteCount }
        let title = properties.title?.utf8.count ?? 0
        return texts.reduce(properties.id.estimatedBytes + title, +) + items.estimatedBytes
    }
}

extension WantedSection {
    fileprivate var estimatedBytes: Int { id.estimatedBytes + changes.estimatedBytes + items.estimatedBytes }
}

extension SectionChanges {
    fileprivate var estimatedBytes: Int {
        title.estimatedBytes + layout.estimatedBytes + header.estimatedBytes + footer.estimatedBytes
    }
}

extension Change<JSONText?> {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .keep: 0
        case .set(let text): text?.byteCount ?? 0
        }
    }
}

extension Change<ByteText?> {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .keep: 0
        case .set(let text): text?.utf8.count ?? 0
        }
    }
}

extension Change<ByteText> {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .keep: 0
        case .set(let text): text.utf8.count
        }
    }
}

extension Reorder.SectionOrder {
    fileprivate var estimatedBytes: Int {
        switch wanted {
        case .difference(let insertions, let removals): 4 * wordBytes * (insertions.count + removals.count)
        case .final(let items): items.estimatedBytes()
        }
    }
}
