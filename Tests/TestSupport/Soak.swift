import Glibc

/// How large the largest tests are.
public enum Soak {
    /// How many items a long list has: `LISTSTATE_SOAK_ITEMS`, else as many as take a moment.
    public static let items = getenv("LISTSTATE_SOAK_ITEMS").flatMap { Int(String(cString: $0)) } ?? 20_000
}
