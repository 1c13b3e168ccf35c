// Lists are locked, and read on (`ListLocks`).

extension Statement {
    /// Lets each statement of the transaction wait for a lock for at most so long.
    static let limitWait = Statement("limit wait", "SELECT set_config('lock_timeout', $1, true)")

    /// Locks those of some lists that nobody has locked, until the transaction ends, and reads them on as `tails` does. A
    /// list with a negative start is not read on.
    ///
    /// The list itself is seen as it is when it is locked, but its entries as they were when the statement began. If
    /// others have written in between, entries are missing, which can be seen by the end of the list.
    static let lockFree = Statement(
        "lock free",
        """
        WITH found AS MATERIALIZED (
          SELECT w.n, l.id, l.position, l.generation, w.start
          FROM unnest($1, $2) WITH ORDINALITY AS w(name, start, n) CROSS JOIN LATERAL (
            SELECT * FROM list WHERE list.name = w.name AND stage < 2 FOR UPDATE SKIP LOCKED
          ) l
        )
        \(readingOn)
        """)

    /// Locks a list, once nobody else has locked it. Returns a row if it is there.
    static let lock = Statement("lock", "SELECT id FROM list WHERE name = $1 AND stage < 2 FOR UPDATE")
}
