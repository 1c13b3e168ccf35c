/// The server that has the tables, and what the tables say about it.
struct Cluster {
    /// The number that a server gets when its folder is made. A standby has the same.
    let system: Int
    /// It grows when a standby becomes the leader, and when a backup is restored up to a moment.
    let timeline: Int
    let generation: Int
    /// Whether commits wait for a standby.
    let hasStandby: Bool
    /// Whether the tables name another server, or say something else about standbys.
    let isElsewhere: Bool

    /// Whether no other server has replaced this one since `other` was seen.
    func isAfter(_ other: Cluster) -> Bool { system != other.system || timeline >= other.timeline }

    /// Whether no other server has led between the two.
    func isSame(as other: Cluster) -> Bool { system == other.system && timeline == other.timeline }
}

extension Cluster {
    init(_ session: Session) throws(Session.Failure) {
        let row = try session.run(.cluster).first ?? []
        let numbers = row.compactMap(\.integer)
        guard numbers.count == 5 else { throw .refused(state: "", "the table cluster has no row") }
        (system, timeline, generation) = (numbers[0], numbers[1], numbers[2])
        (hasStandby, isElsewhere) = (numbers[3] == 1, numbers[4] == 1)
    }
}

extension Statement {
    /// The server as it is. The name of a file of its log begins with the timeline, in hexadecimal digits. Tables that were
    /// restored from a dump have another number.
    private static let here = """
        here AS (
          SELECT system_identifier AS system, 'cluster'::regclass::oid::int8 AS home,
            ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int8 AS timeline,
            current_setting('synchronous_standby_names') <> ''
              AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS standby
          FROM pg_control_system()
        )
        """
    private static let isElsewhere =
        "(c.system, c.home, c.timeline, c.standby) IS DISTINCT FROM (h.system, h.home, h.timeline, h.standby)"

    static let cluster = Statement(
        "cluster",
        """
        WITH \(here) SELECT h.system, h.timeline, c.generation, h.standby, \(isElsewhere)
        FROM cluster c CROSS JOIN here h
        """)

    /// Notes the server that the tables are on now. If answered writes may be missing there, a generation begins.
    ///
    /// A standby that each commit waited for lacks none. A server with another system identifier has the tables from a
    /// backup, and so have tables with another number.
    static let moveCluster = Statement(
        "move cluster",
        """
        WITH \(here) UPDATE cluster c
        SET system = h.system, home = h.home, timeline = h.timeline, standby = h.standby,
          generation = c.generation + CASE
            WHEN c.system <> h.system OR c.home <> h.home OR c.timeline <> h.timeline AND NOT c.standby THEN 1 ELSE 0
          END
        FROM here h WHERE \(isElsewhere)
        """)

    /// Begins a generation, unless another one than `$1` has begun.
    static let beginGeneration = Statement(
        "begin generation", "UPDATE cluster SET generation = generation + 1 WHERE generation = $1")

    // MARK: Lists of older generations

    /// Lists of an older generation: name, life, number of entries, the generation that they are to have, and the last row
    /// of the log of a deleted one.
    static let old = Statement(
        "old",
        """
        SELECT l.name, l.id, l.position, c.generation, g.token, g.first, g.count, g.crc, g.bytes
        FROM list l CROSS JOIN cluster c LEFT JOIN LATERAL (
          SELECT * FROM log WHERE log.list = l.id AND l.stage = 1 ORDER BY first DESC LIMIT 1
        ) g ON true
        WHERE l.name = ANY ($1) AND l.stage < 2 AND l.generation < c.generation ORDER BY l.id LIMIT $2
        """)

    /// Adds the entries that lead lists into a new epoch, unless somebody else has.
    static let renew = Statement(
        "renew",
        """
        WITH wanted AS (
          SELECT * FROM unnest($1, $2, $3, $4, $5) AS w(life, position, count, crc, bytes)
        ), moved AS (
          UPDATE list l SET position = l.position + w.count, stamp = l.stamp + 1, generation = $6, token = $7
          FROM wanted w WHERE l.id = w.life AND l.position = w.position AND l.generation < $6 AND l.stage < 2
          RETURNING l.id
        )
        INSERT INTO log (list, first, count, token, crc, bytes)
        SELECT life, position, count, $7, crc, bytes FROM wanted JOIN moved ON moved.id = wanted.life
        """)
}
