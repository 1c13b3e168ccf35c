/// Which rows an index counts (CONTRACT.md section 8).
public enum View: Sendable { case items, visible }
