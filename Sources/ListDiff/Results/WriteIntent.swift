public import ListModel

/// The change that a client asks for.
public enum WriteIntent: Sendable {
    case operation(Operation)
    case operations([Operation])
    case reorder(Reorder)
    /// Takes a transaction back. Nil stands for the caller's last transaction that is in effect.
    case undo(Version?)
    /// Takes an undo back. The version is that of the transaction or of its undo. Nil stands for the caller's last
    /// undo that is in effect.
    case redo(Version?)
    /// Makes the state of a kept version the head again.
    case restore(Version)
}
