// Writing commits, and finding out what has become of them.

extension Statement {
    /// The receipts of commits, and the numbers of the commits of which others have answered a request.
    private static func answers(from first: Int) -> String {
        """
        answers AS (
          SELECT * FROM unnest($\(first), $\(first + 1), $\(first + 2), $\(first + 3), $\(first + 4), $\(first + 5))
            AS r(n, replaces, scope, time, crc, bytes)
        ), answered AS (
          SELECT a.n FROM answers a
          WHERE a.replaces = 0 AND EXISTS (SELECT FROM receipt r WHERE r.scope = a.scope OFFSET 0)
        )
        """
    }

    /// Keeps the receipts of the commits that are written. If another node keeps one of the same key in this moment, the
    /// statement fails, and finds that receipt when it is run again.
    private static func kept(of written: String, token: Int) -> String {
        """
        kept AS (
          INSERT INTO receipt (scope, time, token, crc, bytes)
          SELECT a.scope, a.time, $\(token), a.crc, a.bytes FROM answers a
          WHERE a.replaces = 0 AND \(isAmong(written, "n", "a.n"))
        ), replaced AS (
          INSERT INTO receipt (scope, time, token, crc, bytes)
          SELECT a.scope, a.time, $\(token), a.crc, a.bytes FROM answers a
          WHERE a.replaces = 1 AND \(isAmong(written, "n", "a.n"))
          ON CONFLICT (scope) DO UPDATE SET time = excluded.time, token = excluded.token, crc = excluded.crc,
            bytes = excluded.bytes, number = excluded.number
        )
        """
    }

    /// The records of commits, and the numbers of the commits of which a record is not what it should be. A record that
    /// somebody else changes at the moment is not, either.
    private static func records(from first: Int) -> String {
        let parameters = (first..<first + 8).map { "$\($0)" }.joined(separator: ", ")
        return """
            steps AS (
              SELECT * FROM unnest(\(parameters)) WITH ORDINALITY
                AS s(n, replaces, kind, key, used, crc, value, before, i)
            ), known AS (
              SELECT s.i FROM steps s CROSS JOIN LATERAL (
                SELECT 1 FROM record r
                WHERE r.kind = s.kind AND r.key = s.key AND r.value = s.before FOR UPDATE SKIP LOCKED
              ) r
              WHERE s.replaces = 0 AND s.before <> ''
            ), late AS (
              SELECT s.n FROM steps s
              WHERE s.replaces = 0 AND CASE WHEN s.before = ''
                THEN EXISTS (SELECT FROM record r WHERE r.kind = s.kind AND r.key = s.key OFFSET 0)
                ELSE s.i NOT IN (SELECT i FROM known) END
            )
            """
    }

    /// Keeps the records of the commits that are written. If another node makes one of the same key in this moment, the
    /// statement fails, and finds that record when it is run again. One that is there already is locked, or replaced
    /// whatever it is.
    private static func keptRecords(of written: String) -> String {
        let (rows, isWritten) = ("SELECT kind, key, used, crc, value FROM steps s", isAmong(written, "n", "s.n"))
        return """
            begunRecords AS (
              INSERT INTO record (kind, key, used, crc, value) \(rows)
              WHERE s.replaces = 0 AND s.before = '' AND \(isWritten)
            ), changedRecords AS (
              INSERT INTO record (kind, key, used, crc, value) \(rows)
              WHERE (s.replaces = 1 OR s.before <> '') AND \(isWritten)
              ON CONFLICT (kind, key) DO UPDATE SET used = excluded.used, crc = excluded.crc, value = excluded.value
            )
            """
    }

    /// Whether a number is among those of a part of the statement. The server makes a hash of them, but a join of two parts
    /// would go over all pairs. `IS TRUE` keeps it from making a join of this.
    private static func isAmong(_ part: String, _ column: String, _ number: String) -> String {
        "(\(number) IN (SELECT \(column) FROM \(part))) IS TRUE"
    }

    /// Whether the first column of an index is a value of another part of the statement. As an equality it would let the
    /// server read the whole index, in its order, and that costs as much as a look-up as long as the table has one row.
    ///
    /// A list that is looked up by its id must not say `stage < 2`, because then the whole index of names would do as well.
    static func isAt(_ column: String, _ value: String) -> String { "\(column) = ANY (ARRAY[\(value)])" }

    /// Whether a list is of the generation that a commit needs. Nobody writes to a list of an older one: see `Renewer`.
    private static let isOfGeneration = """
        (w.generation < 0 OR w.generation = l.generation AND w.generation = (SELECT generation FROM cluster))
        """

    /// Whether the last row before a position has the token that it should have. A takeover by a standby that lacked a row
    /// may have led to another one. A row that a snapshot stands for may be gone, and then nobody knows.
    ///
    /// The log is looked into only if the list itself has another token: that of a commit without entries.
    private static func isBehind(_ position: String) -> String {
        """
        (w.mark = 0 OR w.mark = l.token OR w.mark = coalesce((
          SELECT g.token FROM log g WHERE g.list = l.id AND g.first < \(position) ORDER BY g.first DESC LIMIT 1
        ), w.mark))
        """
    }

    /// Adds entries to lists whose logs end where they should. The parameters with a number for each list come first,
    /// then those for each receipt. Returns the numbers of the lists that are written.
    static let append = Statement("append", append(records: false))
    /// As `append`, with the parameters for each record at the end.
    static let appendWithRecords = Statement("append with records", append(records: true))

    private static func append(records: Bool) -> String {
        """
        WITH \(wanted(holdingsFrom: 16)), \(answers(from: 10))\(records ? ", " + self.records(from: 19) : ""), held AS (
          \(held) AND w.n NOT IN (SELECT n FROM answered)\(records ? " AND w.n NOT IN (SELECT n FROM late)" : "")
          FOR UPDATE OF l SKIP LOCKED
        ), \(moved(of: "held")), \(kept(of: "held", token: 9))\(records ? ", " + keptRecords(of: "held") : "")
        SELECT n FROM moved
        """
    }

    /// The commits with a number for each list in `$1` to `$8`, and the holdings of their creators from a further parameter.
    private static func wanted(holdingsFrom first: Int) -> String {
        """
        wanted AS (
          SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $\(first), $\(first + 1), $\(first + 2))
            WITH ORDINALITY AS w(
              life, position, generation, mark, count, stage, crc, bytes, creator, heldItems, heldBytes, n)
        )
        """
    }

    /// As `append`, without receipts. The server does not have to prepare what keeps them.
    static let appendMany = Statement(
        "append many",
        """
        WITH \(wanted(holdingsFrom: 10)), held AS (
          \(held)
          FOR UPDATE OF l SKIP LOCKED
        ), \(moved(of: "held"))
        SELECT n FROM moved
        """)

    /// As `append`, for one list and no receipts. It takes half the time, and a lone commit is waited for.
    static let appendOne = Statement(
        "append one",
        """
        WITH wanted AS (
          SELECT $1 AS life, $2 AS position, $3 AS generation, $4 AS mark, $5 AS count, $6 AS stage, $7 AS crc,
            $8 AS bytes, $10 AS creator, $11 AS heldItems, $12 AS heldBytes, 1::int8 AS n
        ), held AS (
          \(held)
          FOR UPDATE OF l SKIP LOCKED
        ), \(moved(of: "held"))
        SELECT n FROM moved
        """)

    /// As `appendMany`, in a transaction that has locked the lists. None is passed over, and none is looked up twice.
    static let appendLocked = Statement(
        "append locked",
        """
        WITH \(wanted(holdingsFrom: 10)), \(moved(of: "wanted", where: isWritable))
        SELECT n FROM moved
        """)

    /// The wanted lists whose logs end where they should.
    private static let held = """
        SELECT w.* FROM wanted w JOIN list l ON \(isAt("l.id", "w.life")) WHERE \(isWritable)
        """

    /// Whether a log ends where it should.
    private static let isWritable = """
        l.position = w.position AND l.stage <> 2 AND \(isOfGeneration) AND \(isBehind("w.position"))
        """

    /// Moves the ends of lists, and adds their rows to the log, with the token `$9`.
    private static func moved(of part: String, where condition: String = "true") -> String {
        """
        moved AS (
          UPDATE list l
          SET position = l.position + w.count, stamp = l.stamp + 1,
            stage = CASE WHEN w.stage < 0 THEN l.stage ELSE w.stage END, token = $9,
            untidy = CASE WHEN w.stage = 2 THEN clock_timestamp() ELSE l.untidy END,
            creator = coalesce(nullif(w.creator, ''), l.creator),
            items = CASE w.creator WHEN '' THEN l.items ELSE w.heldItems END,
            bytes = CASE w.creator WHEN '' THEN l.bytes ELSE w.heldBytes END
          FROM \(part) w WHERE \(isAt("l.id", "w.life")) AND \(condition)
          RETURNING w.n, w.life, w.position, w.count, w.crc, w.bytes
        ), logged AS (
          INSERT INTO log (list, first, count, token, crc, bytes)
          SELECT life, position, count, $9, crc, bytes FROM moved WHERE count > 0
        )
        """
    }

    /// Begins lives of lists, unless the same statement has begun them before. A life before it must have ended, be
    /// restorable, or end where it should: then it ends here. The lists come in the order of their names, so that two
    /// nodes that begin the same lists never wait for one another in a circle.
    static let create = Statement("create", create(records: false))
    /// As `create`, with the parameters for each record at the end.
    static let createWithRecords = Statement("create with records", create(records: true))

    private static func create(records: Bool) -> String {
        let isInTime = records ? " AND w.n NOT IN (SELECT n FROM late)" : ""
        return """
            WITH wanted AS (
              SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $17, $18, $19)
                WITH ORDINALITY AS w(
                  name, life, old, position, generation, count, stage, crc, bytes, creator, heldItems, heldBytes, n)
            ), \(answers(from: 11))\(records ? ", " + self.records(from: 20) : ""), held AS (
              SELECT w.n, l.id FROM wanted w CROSS JOIN LATERAL (
                SELECT l.id FROM list l
                WHERE l.name = w.name AND l.stage < 2
                  AND CASE w.old WHEN 0 THEN l.stage = 1 ELSE l.id = w.old AND l.position = w.position END
                FOR UPDATE SKIP LOCKED
              ) l
              WHERE w.n NOT IN (SELECT n FROM answered)\(isInTime)
                AND NOT EXISTS (SELECT FROM list x WHERE x.id = w.life OFFSET 0)
            ), ended AS (
              UPDATE list l SET stage = 2, stamp = l.stamp + 1, token = $10, untidy = clock_timestamp()
              FROM held h WHERE \(isAt("l.id", "h.id"))
              RETURNING h.n
            ), begun AS (
              INSERT INTO list (id, name, position, stamp, stage, token, generation, untidy, creator, items, bytes)
              SELECT w.life, w.name, w.count, 1, w.stage, $10, w.generation, CASE w.stage WHEN 2 THEN clock_timestamp() END,
                nullif(w.creator, ''), w.heldItems, w.heldBytes
              FROM wanted w
              WHERE (\(isAmong("ended", "n", "w.n")) OR w.old <= 0) AND w.n NOT IN (SELECT n FROM answered)\(isInTime)
                AND NOT EXISTS (SELECT FROM list l WHERE l.name = w.name AND l.stage = 0 AND l.id <> w.old OFFSET 0)
              ORDER BY w.name
              ON CONFLICT DO NOTHING
              RETURNING id
            ), written AS (
              SELECT w.* FROM wanted w WHERE \(isAmong("begun", "id", "w.life"))
            ), logged AS (
              INSERT INTO log (list, first, count, token, crc, bytes)
              SELECT life, 0, count, $10, crc, bytes FROM written WHERE count > 0
            ), \(kept(of: "written", token: 10))\(records ? ", " + keptRecords(of: "written") : "")
            SELECT n FROM written
            """
    }

    /// Waits until nobody writes to some lists. A statement that was sent on a lost connection may still be at it.
    static let quiet = Statement(
        "quiet",
        """
        SELECT l.id FROM (
          SELECT unnest($1) AS id UNION
          SELECT named.id FROM unnest($2) n(name) CROSS JOIN LATERAL (
            SELECT id FROM list WHERE list.name = n.name AND stage < 2 OFFSET 0
          ) named
        ) w JOIN list l ON \(isAt("l.id", "w.id"))
        ORDER BY w.id FOR UPDATE OF l
        """)

    /// The outcomes of commits: whether their token is there, and whether they could still be written.
    ///
    /// The token of a commit without entries stands only in the list, where the next commit puts its own, and in its
    /// receipts. Its records have none: they are compared with what it would write.
    static let settled = Statement(
        "settled",
        """
        SELECT w.n,
          EXISTS (SELECT FROM log g WHERE g.list = w.life AND g.first = w.position AND g.token = $5 OFFSET 0)
            OR EXISTS (SELECT FROM list l WHERE l.id = w.life AND l.token = $5 OFFSET 0)
            OR EXISTS (
              SELECT FROM unnest($6, $7) AS a(n, scope)
              WHERE a.n = w.n AND EXISTS (SELECT FROM receipt r WHERE r.scope = a.scope AND r.token = $5 OFFSET 0))
            OR EXISTS (
              SELECT FROM unnest($11, $12, $13, $15) AS s(n, kind, key, value)
              WHERE s.n = w.n AND s.value <> '' AND EXISTS (
                SELECT FROM record r WHERE r.kind = s.kind AND r.key = s.key AND r.value = s.value OFFSET 0)),
          CASE WHEN w.old > 0
            THEN EXISTS (
              SELECT FROM list l
              WHERE l.id = w.old AND l.position = w.oldposition AND l.stage <> 2 AND \(isOfGeneration)
                AND \(isBehind("w.oldposition")) OFFSET 0)
            ELSE NOT EXISTS (SELECT FROM list l WHERE l.name = w.name AND l.stage = 0 OFFSET 0)
          END
            AND NOT EXISTS (
              SELECT FROM unnest($6, $7) AS a(n, scope)
              WHERE a.n = w.n AND EXISTS (SELECT FROM receipt r WHERE r.scope = a.scope OFFSET 0))
            AND NOT EXISTS (
              SELECT FROM unnest($11, $12, $13, $14) AS s(n, kind, key, before)
              WHERE s.n = w.n AND s.before <> coalesce((
                SELECT r.value FROM record r WHERE r.kind = s.kind AND r.key = s.key), ''))
        FROM unnest($1, $2, $3, $4, $8, $9, $10)
          WITH ORDINALITY AS w(life, position, old, oldposition, name, generation, mark, n)
        """)
}
