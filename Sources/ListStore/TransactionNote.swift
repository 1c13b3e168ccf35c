public import Texts

/// Who made a version, when, what they called it, and what they asked for.
public struct TransactionNote: Sendable {
    /// What a client asked for, as history keeps it.
    public enum Intent: Sendable {
        case sent(Write.Intent)
        /// As `IntentCoding` made it.
        case encoded([UInt8])
        /// The log did not keep it.
        case unknown

        /// About how much memory it takes besides what the list holds anyway.
        var estimatedBytes: Int {
            switch self {
            case .sent(let intent): intent.estimatedBytes
            case .encoded(let bytes): bytes.count
            case .unknown: 0
            }
        }
    }

    /// The token's subject, else `anonymous`.
    public var actor: ByteText { signature?.actor ?? Self.anonymous }
    /// The client's own words for what it did.
    public var label: ByteText? { signature?.label }
    /// Nil unless it is an undo or a redo.
    public var reversal: Reversal? { signature?.reversal }
    /// Seconds since 1970.
    public let time: Int
    public let intent: Intent

    static let anonymous: ByteText = "anonymous"

    /// Nil for an anonymous one without a label, as nearly all are; history has a note for each version.
    private let signature: Signature?

    private final class Signature: Sendable {
        let actor: ByteText
        let label: ByteText?
        let reversal: Reversal?

        init(actor: ByteText, label: ByteText?, reversal: Reversal?) {
            self.actor = actor
            self.label = label
            self.reversal = reversal
        }
    }

    init(actor: ByteText, label: ByteText?, time: Int, intent: Intent, reversal: Reversal? = nil) {
        let isPlain = label == nil && reversal == nil && actor == Self.anonymous
        signature = isPlain ? nil : Signature(actor: actor, label: label, reversal: reversal)
        self.time = time
        self.intent = intent
    }

    /// As it tells of a version in another epoch, where what it took back has no name.
    var withoutReversal: TransactionNote {
        reversal == nil ? self : TransactionNote(actor: actor, label: label, time: time, intent: intent)
    }

    /// About how much memory it takes.
    var estimatedBytes: Int { intent.estimatedBytes + (label?.utf8.count ?? 0) }
}

extension TransactionNote: Equatable {
    /// Whether they tell the same, but for what was asked for: the log keeps that in another form than memory.
    public static func == (left: Self, right: Self) -> Bool {
        left.actor == right.actor && left.label == right.label && left.time == right.time
            && left.reversal == right.reversal
    }
}
