/// A statement that sessions prepare when they first run it. Its values are parameters, never a part of its text.
struct Statement: Sendable {
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) { (self.name, self.sql) = (name, sql) }
}

// The stages of a list: 0 is open, 1 deleted and restorable, 2 ended. See Schema.swift.

extension Statement {
    // MARK: Sessions

    /// Sets a session up: its schema, the number of its lock, and its times.
    ///
    /// The locks of a node that was paused or cut off within a transaction end after two seconds. A statement whose client
    /// has left ends (where the server can find out), and so does the session of a machine that does not answer.
    /// The limit of ten minutes is for whatever nobody has thought of. None of these times ends a commit that waits for a
    /// standby.
    ///
    /// A statement has one plan, because planning takes longer than most statements: 0.28 ms of 0.33 ms to read the tail of
    /// a list. It keeps the plan until the server looks at the tables again, which can take a minute or more. The tables
    /// were small or empty then, and a plan that reads them from end to end seemed best. So no plan may do that, and none
    /// joins in another way than row by row with an index. Without a hash, a merge and a sequential scan the server would
    /// still read an index from end to end. So whatever is looked up in a table stands in a subquery that the server cannot
    /// move (`OFFSET 0`, `FOR UPDATE`), or is compared by `isAt`. Rows of the statement itself are compared by a hash
    /// (`isAmong`). A bitmap of an index costs a quarter more than the index itself for the few rows that are read each
    /// time, and they would have to be sorted. No plan is worth the time in which it would be compiled.
    static let begin = Statement(
        "begin",
        """
        SELECT set_config('search_path', $1, false), pg_advisory_lock($2), set_config('lock_timeout', $3, false),
          CASE WHEN version() LIKE '%linux%' THEN set_config('client_connection_check_interval', $4, false) END,
          set_config('idle_in_transaction_session_timeout', '2000', false),
          set_config('statement_timeout', '600000', false), set_config('tcp_keepalives_idle', '5', false),
          set_config('tcp_keepalives_interval', '2', false), set_config('tcp_keepalives_count', '3', false),
          set_config('tcp_user_timeout', '10000', false), set_config('enable_seqscan', 'off', false),
          set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
          set_config('enable_bitmapscan', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false),
          set_config('jit', 'off', false)
        """)

    /// Makes a commit that waits for the disk, and for the standby if there must be one.
    ///
    /// A server that has crashed shows commits that no standby has, and a failover could take them away again. Behind a
    /// commit of its own, a session sees only those that stay. The message is written to the log of the server and is
    /// read by nobody. An empty transaction would not wait for anything.
    static let barrier = Statement("barrier", "SELECT pg_logical_emit_message(true, 'liststate', '')")

    /// Waits until a session has ended in the server. Until then, a statement that was sent on it could still begin.
    static let ended = Statement("ended", "SELECT pg_advisory_xact_lock($1)")

    static let unsafeSettings = Statement(
        "unsafe settings",
        """
        SELECT name FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
          OR name = 'synchronous_commit' AND setting = 'local' ORDER BY name
        """)

    /// Notifies the other stores, in a transaction whose commit does not wait for the disk.
    ///
    /// It does need a lock of the whole server, which whoever else notifies there keeps until its commit is on the disk and
    /// on the standby. The next commit of the session waits for that, so the hint is given up soon.
    static let notify = Statement(
        "notify",
        """
        SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '20ms', true),
          pg_notify($1, payload) FROM unnest($2) payload
        """)
    /// As `notify`, if a row of the log is there.
    static let notifyOfRow = Statement(
        "notify of row",
        """
        SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '20ms', true),
          pg_notify($1, $2) FROM log WHERE list = $3 AND first = $4 AND token = $5
        """)

    // MARK: Reading

    static let places = Statement(
        "places",
        """
        SELECT name, id, position, l.generation,
          (SELECT g.token FROM log g WHERE g.list = l.id ORDER BY g.first DESC LIMIT 1), l.generation < c.generation
        FROM list l CROSS JOIN cluster c WHERE name = ANY ($1) AND stage < 2
        """)
    static let lists = Statement(
        "lists", "SELECT name FROM list WHERE stage < 2 AND name > $1 ORDER BY name LIMIT $2")
    static let retired = Statement(
        "retired",
        """
        SELECT l.name, l.id, l.position, l.generation, g.token, l.generation < c.generation, g.first, g.count, g.crc,
          g.bytes
        FROM list l CROSS JOIN cluster c CROSS JOIN LATERAL (
          SELECT * FROM log WHERE log.list = l.id ORDER BY first DESC LIMIT 1
        ) g
        WHERE l.stage = 1
        """)

    /// A list as a whole, if the place is negative, or else its entries after that place: the list, its chunks, and the
    /// rows of its log, in this order. All of it is as of one moment. The row before the first entry comes without its
    /// bytes, for its token.
    static let load = Statement(
        "load",
        """
        WITH found AS (
          SELECT id, position, covered, snapshot, chunks, l.generation, l.generation < c.generation AS isold,
            CASE WHEN $2 < 0 THEN covered ELSE $2 END AS start
          FROM list l CROSS JOIN cluster c WHERE name = $1 AND stage < 2
        )
        SELECT 0 AS part, id, position AS number, covered AS count, chunks AS crc, NULL::bytea AS bytes, generation, isold
        FROM found
        UNION ALL
        SELECT 1, f.id, c.number, f.snapshot, c.crc, c.bytes, NULL, NULL
        FROM found f JOIN chunk c ON \(isAt("c.list", "f.id")) AND c.snapshot = f.snapshot WHERE $2 < 0
        UNION ALL
        SELECT 2, f.id, g.first, g.count, g.crc, CASE WHEN g.first + g.count > f.start THEN g.bytes END, g.token, NULL
        FROM found f CROSS JOIN LATERAL (\(Self.rowBefore)) s
          JOIN log g ON \(isAt("g.list", "f.id")) AND g.first >= s.first AND g.first + g.count >= f.start
        ORDER BY 1, 3
        """)

    /// The entries of some lists after a place of each, with the number of the list: a row for each row of the log, which
    /// also has the list, or a single one if there is none. All of it is as of one moment. The row before the first entry
    /// comes without its bytes, for its token.
    static let tails = Statement(
        "tails",
        """
        WITH found AS (
          SELECT w.n, l.id, l.position, l.generation, w.start
          FROM unnest($1, $2) WITH ORDINALITY AS w(name, start, n) CROSS JOIN LATERAL (
            SELECT * FROM list WHERE list.name = w.name AND stage < 2 OFFSET 0
          ) l
        )
        \(readingOn)
        """)

    /// The rows of the lists in a part `found`. Those of one list come in the order of the log, because an index is read
    /// for each list. Whoever takes them finds out if they do not.
    static let readingOn = """
        SELECT f.n, f.id, f.position, f.generation, f.generation < c.generation, g.first, g.count, g.crc, g.bytes, g.token
        FROM found f CROSS JOIN cluster c LEFT JOIN LATERAL (
          SELECT g.first, g.count, g.crc, CASE WHEN g.first + g.count > f.start THEN g.bytes END AS bytes, g.token
          FROM (\(rowBefore)) s JOIN log g ON g.list = f.id AND g.first >= s.first AND g.first + g.count >= f.start
          WHERE f.start >= 0 ORDER BY g.first
        ) g ON true
        """

    /// The first entry of the last row before the start.
    private static let rowBefore = """
        SELECT coalesce((
            SELECT b.first FROM log b WHERE b.list = f.id AND b.first < f.start ORDER BY b.first DESC LIMIT 1
          ), 0) AS first
        """

    static let receipt = Statement("receipt", "SELECT time, crc, bytes FROM receipt WHERE scope = $1")
    /// Removes a receipt that was read and is damaged, unless others have written it anew.
    static let removeDamagedReceipt = Statement(
        "remove damaged receipt", "DELETE FROM receipt WHERE scope = $1 AND crc = $2")
    static let receipts = Statement(
        "receipts",
        """
        SELECT scope, time, crc, bytes FROM (
          SELECT * FROM receipt ORDER BY number DESC LIMIT $1
        ) newest WHERE time >= $2 ORDER BY number
        """)

    // MARK: Snapshots

    static let lockList = Statement("lock list", "SELECT pg_try_advisory_lock(\(lockClass), ($1 & 2147483647)::int4)")
    static let unlockList = Statement("unlock list", "SELECT pg_advisory_unlock(\(lockClass), ($1 & 2147483647)::int4)")

    /// The life of a list that a snapshot of `$2` entries would be of use to. Its last entry stays in the log as long as
    /// it says that the list is deleted.
    static let coverable = Statement(
        "coverable",
        """
        UPDATE list SET untidy = coalesce(untidy, clock_timestamp())
        WHERE name = $1 AND stage < 2 AND covered < $2 AND $2 <= position - stage AND generation = $3 RETURNING id
        """)
    static let removeOtherChunks = Statement(
        "remove other chunks",
        """
        DELETE FROM chunk USING (
          SELECT c.list, c.snapshot, c.number FROM chunk c JOIN list l ON l.id = c.list
          WHERE c.list = $1 AND (c.snapshot IS DISTINCT FROM l.snapshot OR l.stage = 2) LIMIT $2
        ) gone
        WHERE \(isAt("chunk.list", "gone.list")) AND chunk.snapshot = gone.snapshot AND chunk.number = gone.number
        RETURNING chunk.number
        """)
    static let addChunks = Statement(
        "add chunks",
        """
        INSERT INTO chunk (list, snapshot, number, crc, bytes)
        SELECT $1, $2, $3 + n - 1, crc, bytes FROM unnest($4, $5) WITH ORDINALITY AS c(crc, bytes, n)
        """)
    /// Puts a snapshot in the place of entries, unless another one stands for as many.
    static let cover = Statement(
        "cover",
        """
        UPDATE list SET covered = $2, snapshot = $3, chunks = $4, untidy = clock_timestamp()
        WHERE id = $1 AND stage <> 2 AND covered < $2 AND $2 <= position - stage AND generation = $5
        """)

    // MARK: Whole lists

    /// Begins lives of lists of which entries come from elsewhere, unless there is a list of the name. Returns the
    /// numbers of those that begin. The lists come in the order of their names, as in `create`.
    static let beginWhole = Statement(
        "begin whole",
        """
        INSERT INTO list (
          id, name, position, stamp, covered, snapshot, chunks, stage, token, generation, creator, items, bytes)
        SELECT life, name, position, 1, covered, nullif(snapshot, 0), chunks, stage, $8,
          (SELECT generation FROM cluster), nullif(creator, ''), items, bytes
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $9, $10, $11)
          AS w(life, name, position, covered, snapshot, chunks, stage, creator, items, bytes)
        ORDER BY name ON CONFLICT DO NOTHING RETURNING id
        """)
    static let addRowsOfMany = Statement(
        "add rows of many",
        """
        INSERT INTO log (list, first, count, token, crc, bytes)
        SELECT life, first, count, $6, crc, bytes FROM unnest($1, $2, $3, $4, $5) AS r(life, first, count, crc, bytes)
        """)
    static let addChunksOfMany = Statement(
        "add chunks of many",
        """
        INSERT INTO chunk (list, snapshot, number, crc, bytes)
        SELECT * FROM unnest($1, $2, $3, $4, $5) AS c(life, snapshot, number, crc, bytes)
        """)

    // MARK: Removal

    static let untidy = Statement(
        "untidy",
        """
        SELECT id, stage, covered FROM list
        WHERE untidy <= clock_timestamp() - make_interval(secs => $1) AND id <> ALL ($2) ORDER BY untidy LIMIT 1
        """)
    static let removeRows = Statement(
        "remove rows",
        """
        DELETE FROM log USING (
          SELECT list, first FROM log WHERE list = $1 AND first + count <= $2 ORDER BY first LIMIT $3
        ) gone
        WHERE \(isAt("log.list", "gone.list")) AND log.first = gone.first RETURNING log.first
        """)
    static let removeList = Statement("remove list", "DELETE FROM list WHERE id = $1 AND stage = 2")
    /// Notes that nothing of a list can be removed, unless a snapshot has come meanwhile.
    static let noteTidy = Statement(
        "note tidy", "UPDATE list SET untidy = NULL WHERE id = $1 AND stage <> 2 AND covered = $2")
    static let removeReceipts = Statement(
        "remove receipts",
        """
        DELETE FROM receipt WHERE number IN (
          SELECT number FROM receipt
          WHERE number <= (SELECT number FROM receipt ORDER BY number DESC OFFSET $1 LIMIT 1)
            OR number < coalesce((SELECT min(number) FROM receipt WHERE time >= $2), 9223372036854775807)
          ORDER BY number LIMIT $3
        ) RETURNING 1
        """)
}
