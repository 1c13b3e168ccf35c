public import ListDiff
public import Texts

/// The note of a version: its actor, its time, its label and its intent.
public struct TransactionNote: Sendable {
    /// The intent of a client, as history keeps it.
    public enum Intent: Sendable {
        case sent(WriteIntent)
        /// The bytes that `IntentCoding` made of the intent.
        case encoded([UInt8])
        /// The log does not have the intent.
        case unknown

        /// An estimate of the bytes that the intent takes in memory, besides those that the list has anyway.
        var estimatedBytes: Int {
            switch self {
            case .sent(let intent): intent.estimatedBytes
            case .encoded(let bytes): bytes.count
            case .unknown: 0
            }
        }
    }

    /// The actor. The server has no users, so it is `anonymous`.
    public var actor: ByteText { signature?.actor ?? Self.anonymous }
    /// The client's own text about the transaction.
    public var label: ByteText? { signature?.label }
    /// The transaction that this one took back; nil unless it is an undo or a redo.
    public var reversal: Reversal? { signature?.reversal }
    /// Whether clients may animate the changes of the transaction.
    public var isAnimated: Bool { signature?.isAnimated ?? true }
    /// The time in seconds since 1970.
    public let time: Int
    public let intent: Intent

    static let anonymous: ByteText = "anonymous"

    /// Nil for an animated, anonymous transaction without a label, as nearly all are. History has a note for each
    /// version.
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

    /// The note for a version of another epoch, in which the revision that was taken back does not exist.
    var withoutReversal: TransactionNote {
        reversal == nil
            ? self : TransactionNote(actor: actor, label: label, time: time, intent: intent, isAnimated: isAnimated)
    }

    /// An estimate of the bytes that it takes in memory.
    var estimatedBytes: Int { intent.estimatedBytes + (label?.utf8.count ?? 0) }
}

extension TransactionNote: Equatable {
    /// Whether two notes tell the same. Intents are not compared, because the log keeps them in another form than
    /// memory. Animation is not compared, because no snapshot keeps it, and no change set begins before the version of
    /// a snapshot.
    public static func == (left: Self, right: Self) -> Bool {
        left.actor == right.actor && left.label == right.label && left.time == right.time
            && left.reversal == right.reversal
    }
}
