import Foundation
import Synchronization
import Threads

/// A PostgreSQL server of the tests' own, in a new folder, on a Unix socket in that folder.
///
/// A shell watches over it. It stops the server and removes the folder when its input ends, or the tests have crashed.
public final class PostgreSQLServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The server that most tests share, each with a schema or a database of its own.
    public static var shared: PostgreSQLServer { get throws { try started.get() } }
    private static let started = Result { try PostgreSQLServer() }
    private static let count = Atomic(0)

    /// The folder of the data and of the socket.
    public let folder: String
    private let input: FileHandle
    private let output: FileHandle
    private let shell: Process
    private let lock = Lock()

    public init() throws {
        let (input, output) = (Pipe(), Pipe())
        shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", Self.script, "sh", "\(getpid())"]
        shell.standardInput = input
        shell.standardOutput = output
        shell.standardError = output
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
        // The servers that other tests start must not keep the input open.
        for handle in [self.input, self.output] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        try shell.runAlone()
        folder = try Self.answer(self.output)
    }

    deinit {
        try? input.close()
        shell.waitUntilExit()
    }

    /// Kills the server with all of its processes at once. Returns when it is gone.
    public func crash() throws { try tell("crash") }

    /// Starts the server again.
    public func start() throws { try tell("start") }

    private func tell(_ word: String) throws {
        try lock.withLock {
            try input.write(contentsOf: Data("\(word)\n".utf8))
            _ = try Self.answer(output)
        }
    }

    /// A line of the shell behind "ok".
    private static func answer(_ output: FileHandle) throws -> String {
        var said: [UInt8] = []
        while let byte = try output.read(upToCount: 1)?.first {
            said.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            let line = String(decoding: said, as: UTF8.self).split(separator: "\n").last ?? ""
            if line.hasPrefix("ok ") { return String(line.dropFirst(3)) }
        }
        throw Failure(description: "PostgreSQL did not start: \(String(decoding: said, as: UTF8.self))")
    }

    /// The URL of a database of this server.
    public func url(_ database: String = "postgres", user: String = "postgres", password: String? = nil) -> String {
        "postgres://\(user)\(password.map { ":\($0)" } ?? "")@/\(database)?host=\(folder)"
    }

    /// A name that nothing else in these tests has.
    public static func newName() -> String { "t\(count.add(1, ordering: .relaxed).newValue)" }

    /// Makes a database. Returns its name.
    public func newDatabase() throws -> String {
        let name = Self.newName()
        try query("CREATE DATABASE \(name)")
        return name
    }

    /// Runs a statement as the owner of everything. Returns its rows as lines, with `|` between columns.
    @discardableResult
    public func query(_ sql: String, in database: String = "postgres") throws -> String {
        let psql = Process()
        let output = Pipe()
        psql.executableURL = URL(filePath: "/usr/bin/env")
        psql.arguments = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, url(database)]
        psql.standardOutput = output
        try psql.runAlone()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        psql.waitUntilExit()
        guard psql.terminationStatus == 0 else { throw Failure(description: "psql: \(sql)") }
        return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// PostgreSQL refuses to run as root.
    private static let script = #"""
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
        [ -n "$bin" ] || { echo "the package postgresql is missing"; exit 1; }
        dir=$(mktemp -d /tmp/liststate-pg-XXXXXX) || exit 1
        as=
        if [ "$(id -u)" = 0 ]; then
            as="setpriv --reuid=postgres --regid=postgres --clear-groups"
            chown postgres:postgres "$dir"
        fi
        cd "$dir" || exit 1
        start() {
            # The processes of a server that was killed need a moment to end, and no server starts before.
            tries=0
            until $as "$bin/pg_ctl" -D "$dir/data" -w -s -l "$dir/log" start >/dev/null 2>&1; do
                tries=$((tries + 1)); [ $tries -lt 100 ] || { cat "$dir/log"; return 1; }
                sleep 0.1
            done
        }
        stop() { $as "$bin/pg_ctl" -D "$dir/data" -m immediate -s stop; cd / && rm -rf "$dir"; }
        trap : INT TERM
        parent=$1
        $as "$bin/initdb" -D "$dir/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >"$dir/init" 2>&1 ||
            { cat "$dir/init"; rm -rf "$dir"; exit 1; }
        sed -i '1i local all locked scram-sha-256' "$dir/data/pg_hba.conf"
        cat >>"$dir/data/postgresql.conf" <<END
        listen_addresses = ''
        unix_socket_directories = '$dir'
        max_connections = 200
        # Tests look for statements by their text.
        track_activity_query_size = 8192
        shared_buffers = 32MB
        END
        start || { stop; exit 1; }
        # Another process of the tests may hold the other end of the input.
        (while kill -0 "$parent" 2>/dev/null && [ -d "$dir" ]; do sleep 1; done; stop) </dev/null >/dev/null 2>&1 &
        echo "ok $dir"
        while read -r word; do
            case $word in
                crash)
                    server=$(head -n 1 "$dir/data/postmaster.pid")
                    all="$server $(cat "/proc/$server/task/$server/children")"
                    kill -9 $all
                    for process in $all; do while kill -0 "$process" 2>/dev/null; do sleep 0.05; done; done
                    echo "ok killed"
                    ;;
                start) start && echo "ok started" ;;
            esac
        done
        stop
        """#
}
