// Lists are locked, and read on, by statements that are sent at once (`ListLocks`). So a later one cannot have the answer
// of an earlier one as a parameter. The names of the locked lists are in a setting of the transaction instead.

extension Statement {
    /// The names of the lists that the transaction has locked, with spaces between.
    private static let locked = "coalesce(current_setting('liststate.locked', true), '')"

    /// Lets each statement of the transaction wait for a lock for at most so long.
    static let limitWait = Statement("limit wait", "SELECT set_config('lock_timeout', $1, true)")

    /// Locks those of some lists that nobody has locked, until the transaction ends. Returns their names.
    static let lockFree = Statement(
        "lock free",
        """
        WITH free AS MATERIALIZED (
          SELECT l.name FROM unnest($1) w(name) JOIN list l ON l.name = w.name AND l.stage < 2
          ORDER BY l.id FOR UPDATE OF l SKIP LOCKED
        ), noted AS MATERIALIZED (
          SELECT set_config(
            'liststate.locked', concat_ws(' ', nullif(\(locked), ''), string_agg(name, ' ')), true)
          FROM free
        )
        SELECT name FROM free CROSS JOIN noted
        """)

    /// Locks a list, once nobody else has locked it, if the transaction has locked none. Returns its name if it is there.
    static let lock = Statement(
        "lock",
        """
        WITH one AS MATERIALIZED (
          SELECT name FROM list WHERE name = $1 AND stage < 2 AND \(locked) = '' FOR UPDATE
        ), noted AS MATERIALIZED (
          SELECT set_config('liststate.locked', name, true) FROM one
        )
        SELECT name FROM one CROSS JOIN noted
        """)

    /// As `tails`, of those lists that the transaction has locked.
    static let tailsOfLocked = Statement(
        "tails of locked", textOfTails(where: "w.name = ANY (string_to_array(\(locked), ' '))"))
}
