"""A PostgreSQL server for one run: it is created, filled with rows, loaded by pgbench, and removed."""
import atexit
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from harness import HERE, free_port

USER = "postgres"
UPDATE = HERE / "update.sql"
# The settings that differ from the defaults. No other setting should matter for the figures.
SETTINGS = {"fsync": "on", "synchronous_commit": "on", "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
            "max_connections": "200"}
SHOWN = ["server_version", "fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers"]


def programs():
    """The folder with initdb and the other programs. Debian has one for each version, and none is on the PATH."""
    kept = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = kept[-1] if kept else shutil.which("initdb")
    if not found:
        sys.exit("there is no initdb: install PostgreSQL (Debian: apt-get install postgresql)")
    return pathlib.Path(found).resolve().parent


def default_folder():
    """.build of the checkout, or /var/tmp if PostgreSQL's user cannot reach that."""
    build = HERE.resolve().parents[1] / ".build"
    is_closed = any(not folder.stat().st_mode & 0o001 for folder in build.parents)
    return pathlib.Path("/var/tmp") if os.geteuid() == 0 and is_closed else build


class Postgres:
    """The server. It ends with this process."""

    def __init__(self, folder, rows):
        self.programs, self.port, self.data = programs(), free_port(), folder / "postgres"
        # PostgreSQL refuses to run as root, and its own user must be able to reach the data.
        self.prefix = ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []
        # The copy is in a folder that PostgreSQL's user can read.
        self.update = shutil.copy(UPDATE, self.data.parent)
        self.data.mkdir()
        if self.prefix:
            folder.chmod(0o755)
            shutil.chown(self.data, USER, USER)
        self.run("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C")
        settings = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        atexit.register(self.stop)
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.data / "log", "-o", f"-p {self.port} {settings}", "start")
        self.query("CREATE TABLE items (id integer PRIMARY KEY, list integer, starred boolean, title text);"
                   f"INSERT INTO items SELECT id, id % 64, false, 'Item ' || id FROM generate_series(1, {rows}) id;"
                   "VACUUM ANALYZE items")
        self.rows = rows
        self.settings = {name: self.query(f"SHOW {name}") for name in SHOWN}

    def run(self, program, *arguments):
        command = [str(part) for part in (*self.prefix, self.programs / program, *arguments)]
        # The server inherits the open files of pg_ctl, so the output goes to a file, for whose end nothing waits.
        with open(self.data.parent / f"{program}.log", "w+") as log:
            status = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
            log.seek(0)
            said = log.read()
        if status != 0:
            sys.exit(f"{program} failed\n{said}")
        return said.strip()

    @property
    def client(self):
        return ["-h", "127.0.0.1", "-p", self.port, "-U", USER]

    def url(self, database):
        """The database as libpq's URL."""
        return f"postgres://{USER}@127.0.0.1:{self.port}/{database}"

    def query(self, text, database=USER):
        statements = [part for one in text.split(";") for part in ("-c", one)]
        return self.run("psql", *self.client, "-d", database, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1",
                        *statements)

    def updates(self, clients, seconds):
        """Updates per second of one row each by its key, without the time to connect."""
        said = self.run("pgbench", *self.client, "-n", "-M", "prepared", "-c", clients, "-j", min(clients, 2),
                        "-T", seconds, "-D", f"rows={self.rows}", "-f", self.update, USER)
        rate = re.search(r"^tps = ([0-9.]+) \(without initial connection time\)", said, re.MULTILINE)
        failed = re.search(r"number of failed transactions: (\d+)", said)
        if not rate or not float(rate[1]) or (failed and int(failed[1])):
            sys.exit(f"pgbench failed\n{said}")
        return float(rate[1])

    def stop(self):
        """Kills the server without a shutdown, because its data is removed too."""
        pid_file = self.data / "postmaster.pid"
        if not pid_file.exists():
            return
        stop = [str(part) for part in (*self.prefix, self.programs / "pg_ctl", "-D", self.data)]
        ended = subprocess.run([*stop, "-w", "-m", "immediate", "stop"], cwd="/", stdout=subprocess.DEVNULL)
        if ended.returncode != 0:
            os.kill(int(pid_file.read_text().split()[0]), signal.SIGKILL)
