extension Statement {
    /// What the lists take that each creator has made.
    static let holdings = Statement(
        "holdings",
        """
        SELECT creator, count(*), sum(items)::int8, sum(bytes)::int8 FROM list
        WHERE creator IS NOT NULL AND stage = 0 GROUP BY creator
        """)

    static let beginTransaction = Statement("begin transaction", "BEGIN")
    static let commitTransaction = Statement("commit transaction", "COMMIT")
    static let rollBackTransaction = Statement("roll back transaction", "ROLLBACK")
    static let record = Statement("record", "SELECT key, used, crc, value FROM record WHERE kind = $1 AND key = $2")
    static let records = Statement(
        "records",
        """
        SELECT key, used, crc, value FROM record
        WHERE kind = $1 AND key >= $2 AND ($4 = 0 OR key <> $2) ORDER BY key LIMIT $3
        """)
    static let putRecord = Statement(
        "put record",
        """
        INSERT INTO record (kind, key, used, crc, value) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (kind, key) DO UPDATE SET used = excluded.used, crc = excluded.crc, value = excluded.value
        RETURNING 1
        """)
    static let addRecord = Statement(
        "add record",
        """
        INSERT INTO record (kind, key, used, crc, value) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING 1
        """)
    static let changeRecord = Statement(
        "change record",
        """
        UPDATE record SET used = $3, crc = $4, value = $5
        WHERE kind = $1 AND key = $2 AND used = $6 AND value = $7 RETURNING 1
        """)
    static let removeRecord = Statement("remove record", "DELETE FROM record WHERE kind = $1 AND key = $2")
    /// Removes a record that was read and is damaged, unless others have written it anew.
    static let removeDamagedRecord = Statement(
        "remove damaged record", "DELETE FROM record WHERE kind = $1 AND key = $2 AND crc = $3")
    static let removeOldRecord = Statement(
        "remove old record", "DELETE FROM record WHERE kind = $1 AND key = $2 AND used = $3 AND value = $4 RETURNING 1")
}
