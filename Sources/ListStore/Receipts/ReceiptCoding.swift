import ListDiff
import ListModel
internal import Texts

/// The parts of an answer that are kept for retries of its request.
struct KeptAnswer {
    var request: [UInt8]
    var list: ListID
    var kind: WriteResult.Kind
    /// The versions before and after the write.
    var from: Version
    var version: Version
    /// The version that the client knew, if it was older than `from`.
    var base: Version?
    var outcomes: [Outcome]
    var warnings: [Warning]
    var details: [OutcomeDetail] = []
}

extension KeptAnswer {
    /// The format of an answer with details, which are at its end.
    private static let format: UInt8 = 2
    /// The format of an answer without details, as most are. Old answers all have it.
    private static let formatWithoutDetails: UInt8 = 1

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(details.isEmpty ? Self.formatWithoutDetails : Self.format)
        writer.write(request)
        writer.write(list.rawValue)
        writer.write(kind.code)
        writer.write(from)
        writer.write(version)
        writer.write(base) { $0.write($1) }
        writer.write(all: outcomes) { $0.write($1) }
        writer.write(all: warnings) { $0.write($1) }
        if !details.isEmpty { writer.write(all: details) { $0.write($1) } }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        let format = try reader.byte()
        guard format == Self.format || format == Self.formatWithoutDetails else { throw ByteReader.Malformed() }
        request = try reader.chunk()
        guard let list = ListID(try reader.text()) else { throw ByteReader.Malformed() }
        self.list = list
        guard let kind = WriteResult.Kind(code: try reader.byte()) else { throw ByteReader.Malformed() }
        self.kind = kind
        from = try reader.version()
        version = try reader.version()
        base = try reader.optional { reader throws(ByteReader.Malformed) in try reader.version() }
        outcomes = try reader.all { reader throws(ByteReader.Malformed) in try reader.outcome() }
        warnings = try reader.all { reader throws(ByteReader.Malformed) in try reader.warning() }
        if format == Self.format {
            details = try reader.all { reader throws(ByteReader.Malformed) in try reader.detail() }
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }
}

extension WriteResult.Kind {
    fileprivate var code: UInt8 {
        switch self {
        case .created: 1
        case .changed: 2
        case .unchanged: 3
        case .deleted: 4
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 1: self = .created
        case 2: self = .changed
        case 3: self = .unchanged
        case 4: self = .deleted
        default: return nil
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ version: Version) {
        write(version.epoch)
        write(version.revision)
    }

    fileprivate mutating func write(_ outcome: Outcome) {
        switch outcome {
        case .applied: write(UInt8(1))
        case .adjusted(let reason):
            write(UInt8(2))
            write(ByteText(reason.rawValue))
        case .partial(let items, let sections, let reason):
            write(UInt8(5))
            write(items)
            write(sections)
            write(ByteText(reason.rawValue))
        case .dropped(let reason):
            write(UInt8(4))
            write(ByteText(reason.rawValue))
        }
    }

    fileprivate mutating func write(_ detail: OutcomeDetail) {
        write(detail.operation)
        write(detail.created)
        write(detail.reparented)
    }

    fileprivate mutating func write(_ warning: Warning) {
        switch warning {
        case .movedExisting(let items): write(1, items)
        case .missingItems(let items): write(2, items)
        case .missingSections(let sections):
            write(UInt8(3))
            write(sections)
        case .keptInPlace(let items): write(4, items)
        case .skippedUnknown(let items): write(5, items)
        case .rebasedToNothing(let version):
            write(UInt8(6))
            write(version)
        case .leftOut(let items, let sections):
            write(UInt8(7))
            write(items)
            write(sections)
        case .replacedDeleted(let version):
            write(UInt8(8))
            write(version)
        }
    }

    private mutating func write(_ tag: UInt8, _ items: [ItemID]) {
        write(tag)
        write(items)
    }

    private mutating func write<Namespace>(_ ids: [Identifier<Namespace>]) {
        write(all: ids) { $0.write($1.rawValue) }
    }
}

extension ByteReader {
    fileprivate mutating func version() throws(Malformed) -> Version {
        Version(epoch: try epoch(), revision: try number())
    }

    fileprivate mutating func outcome() throws(Malformed) -> Outcome {
        switch try byte() {
        case 1: return .applied
        case 2: return .adjusted(try reason())
        // Old receipts have this tag, without sections.
        case 3: return .partial(try ids(), try reason())
        case 4: return .dropped(try reason())
        case 5: return .partial(try ids(), sections: try ids(), try reason())
        default: throw Malformed()
        }
    }

    fileprivate mutating func detail() throws(Malformed) -> OutcomeDetail {
        OutcomeDetail(operation: try number(), created: try ids(), reparented: try ids())
    }

    fileprivate mutating func warning() throws(Malformed) -> Warning {
        switch try byte() {
        case 1: return .movedExisting(try ids())
        case 2: return .missingItems(try ids())
        case 3: return .missingSections(try ids())
        case 4: return .keptInPlace(try ids())
        case 5: return .skippedUnknown(try ids())
        case 6: return .rebasedToNothing(try version())
        case 7: return .leftOut(items: try number(), sections: try number())
        case 8: return .replacedDeleted(try version())
        default: throw Malformed()
        }
    }

    private mutating func ids<Namespace>() throws(Malformed) -> [Identifier<Namespace>] {
        try all { reader throws(Malformed) in Identifier(unchecked: try reader.text()) }
    }

    private mutating func reason() throws(Malformed) -> Outcome.Reason {
        guard let reason = Outcome.Reason(rawText: try text()) else { throw Malformed() }
        return reason
    }
}
