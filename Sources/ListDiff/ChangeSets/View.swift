/// The choice of the rows that indexes count (docs/contract.md section 8).
public enum View: String, Sendable {
    /// All items, hidden ones too.
    case items
    /// The items whose ancestors are all expanded.
    case visible
}
