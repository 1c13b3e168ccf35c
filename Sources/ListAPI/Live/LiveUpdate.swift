internal import ListDiff
internal import ListModel
internal import ListStore
internal import Locks

/// What leads followers of a list from one version to another, its bytes made once for all of them.
final class LiveUpdate: Sendable {
    enum Kind {
        /// The view is as it was.
        case nothing
        case change
        case reset
    }

    let list: ListID
    /// The version that it leads to.
    let version: Version
    let kind: Kind
    /// As a stream of one list sends it, its resume point included.
    private let wholeEvent: Once<LiveUpdate.Source, Bytes>
    /// As a stream of many lists sends it, after a resume point of its own.
    private let bareEvent: Once<LiveUpdate.Source, Bytes>
    /// As a long poll is answered.
    private let answer: Once<LiveUpdate.Source, Bytes>

    fileprivate struct Source: Sendable {
        let catchup: Catchup
        let list: ListID
        let view: View
        let note: TransactionNote?
        let kind: Kind
    }

    private final class Bytes: Sendable {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// - Parameter note: Of the only transaction that it spans, if it spans one.
    init(_ catchup: Catchup, _ list: ListID, _ view: View, _ note: TransactionNote?) {
        self.list = list
        version = catchup.version
        kind =
            switch catchup {
            case .changes(let changes, _, _): changes.isEmpty ? .nothing : .change
            case .reset: .reset
            }
        let source = Source(catchup: catchup, list: list, view: view, note: note, kind: kind)
        wholeEvent = Once(from: source) { Bytes($0.event(withResumePoint: true)) }
        bareEvent = Once(from: source) { Bytes($0.event(withResumePoint: false)) }
        answer = Once(from: source) { Bytes($0.catchup.body(list: $0.list, view: $0.view)) }
    }

    var end: Int { version.revision }
    var event: [UInt8] { wholeEvent.value.bytes }
    var eventWithoutResumePoint: [UInt8] { bareEvent.value.bytes }
    var body: [UInt8] { answer.value.bytes }
}

extension LiveUpdate.Source {
    fileprivate func event(withResumePoint: Bool) -> [UInt8] {
        var event = EventText()
        if withResumePoint { event.id(catchup.version.description) }
        guard kind != .nothing else { return event.ended }
        event.name(kind == .reset ? .reset : .change)
        event.data(catchup.body(list: list, view: view, note: note))
        return event.ended
    }
}
