/// Names the transaction that an undo or a redo took back.
public struct Reversal: Sendable, Equatable {
    /// The revision of the transaction that a client made, however often it was undone and redone since.
    public var transaction: Int
    /// The revision that was taken back: that of the transaction, or of its last undo or redo.
    var inverted: Int
    /// Whether the transaction is in effect again.
    public var isRedo: Bool
    /// Whether the undo or redo brought back exactly the state before `inverted`.
    var isExact: Bool
}
