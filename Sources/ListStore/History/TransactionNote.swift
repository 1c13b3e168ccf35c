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
    /// Whether its changes may be shown moving.
    public var isAnimated: Bool { signature?.isAnimated ?? true }
    /// Seconds since 1970.
    public let time: Int
    public let intent: Intent

    static let anonymous: ByteText = "anonymous"

    /// Nil for an animated, anonymous one without a label, as nearly all are; history has a note for each version.
    private let signature: Signature?

    private final class Signature: Sendable {
        let actor: ByteText
        let label: ByteText?
        let reversal: Reversal?
        let isAnimated: Bool

        init(actor: ByteText, label: ByteText?, reversal: Reversal?, isAnimated: Bool) {
            self.actor = actor
            self.label = label
            self.reversal = reversal
            self.isAnimated = isAnimated
        }
    }

    init(
        actor: ByteText, label: ByteText?, time: Int, intent: Intent, reversal: Reversal? = nil,
        isAnimated: Bool = true
    ) {
        let isPlain = isAnimated && label == nil && reversal == nil && actor == Self.anonymous
        signature =
            isPlain ? nil : Signature(actor: actor, label: label, reversal: reversal, isAnimated: isAnimated)
        self.time = time
        self.intent = intent
    }

    /// As it tells of a version in another epoch, where what it took back has no name.
    var withoutReversal: TransactionNote {
        reversal == nil
            ? self : TransactionNote(actor: actor, label: label, time: time, intent: intent, isAnimated: isAnimated)
    }

    /// About how much memory it takes.
    var estimatedBytes: Int { intent.estimatedBytes + (label?.utf8.count ?? 0) }
}

extension TransactionNote: Equatable {
    /// Whether they tell the same, but for what was asked for: the log keeps that in another form than memory. Nor does
    /// it count whether they are animated, which no snapshot keeps: no change set begins before the version of one.
    public static func == (left: Self, right: Self) -> Bool {
        left.actor == right.actor && left.label == right.label && left.time == right.time
            && left.reversal == right.reversal
    }
}
