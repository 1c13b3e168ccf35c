"""PostgreSQL for one run: a server on a Unix socket in a temporary folder, with a synchronous standby if it is to have
one, and the ways to break them.

PostgreSQL refuses to run as root, so it then runs as the user `postgres`. Each server dies with this process.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import time

USER = "postgres"
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
max_connections = 200
shared_buffers = 64MB
fsync = on
synchronous_commit = on
wal_retrieve_retry_interval = 200ms
checkpoint_timeout = 30min
log_min_messages = log
synchronous_standby_names = '{standbys}'
"""
START_SECONDS = 60


def programs():
    """The folder with initdb and the other programs. Debian has one for each version, and none is on the PATH."""
    kept = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = kept[-1] if kept else shutil.which("initdb")
    if not found:
        raise RuntimeError("there is no initdb: install PostgreSQL (Debian: apt-get install postgresql)")
    return pathlib.Path(found).resolve().parent


def ending_with_this(is_postgres):
    """The words before a command that make it end with the thread that starts it, and run as PostgreSQL's user."""
    as_user = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if is_postgres and os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig", "KILL", *as_user]


def run(*command, seconds=120):
    try:
        done = subprocess.run([str(word) for word in command], cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(str(error)) from None
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


class Database:
    """One server of PostgreSQL."""

    def __init__(self, folder):
        self.folder, self._process = folder, None
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, USER, USER)

    @property
    def socket(self):
        return str(self.folder / ".s.PGSQL.5432")

    def create(self, standbys):
        # The data is synced by the server's own checkpoints.
        self._run("initdb", "-D", self.folder / "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self._write("conf", SETTINGS.format(folder=self.folder, standbys=standbys))

    def copy(self, primary, replication_port, standbys):
        """Makes this one a standby that gets the log of another one through a port of this machine."""
        self._run("pg_basebackup", "-D", self.folder / "data", "-h", primary.folder, "-U", USER, "-c", "fast", "-N",
                  "-X", "stream")
        self._write("conf", SETTINGS.format(folder=self.folder, standbys=standbys))
        self._write("conf", f"primary_conninfo = 'host=127.0.0.1 port={replication_port} user={USER} "
                            "application_name=standby sslmode=disable gssencmode=disable'\n")
        (self.folder / "data/standby.signal").touch()
        if os.geteuid() == 0:
            shutil.chown(self.folder / "data/standby.signal", USER, USER)

    def _write(self, name, text):
        with open(self.folder / f"data/postgresql.{name}", "a") as file:
            file.write(text)

    def _run(self, program, *arguments):
        return run(*ending_with_this(True), programs() / program, *arguments)

    def start(self):
        """Starts the server. Returns at once."""
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [*ending_with_this(True), programs() / "postgres", "-D", self.folder / "data"], cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def is_ready(self):
        """Whether the server takes statements."""
        try:
            return self.query("SELECT 1") == "1"
        except RuntimeError:
            return False

    def wait(self):
        """Waits until the server takes statements. The processes of a server that was killed need a moment to end, and
        no server starts before; so it is started again until it does."""
        end = time.monotonic() + START_SECONDS
        while not self.is_ready:
            if time.monotonic() > end:
                raise RuntimeError("PostgreSQL did not start: " + (self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)
            if self._process.poll() is not None:
                self.start()

    def stop(self, how=signal.SIGQUIT):
        """Stops the server at once, as a crash does. Its sessions end without a word, and it will recover."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def query(self, sql, database="postgres"):
        return run(programs() / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", USER, "-d",
                   database, "-c", sql, seconds=60)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Cluster:
    """The server that can be written to, and perhaps its standby."""

    def __init__(self, folder, has_standby):
        self._folder, self.has_standby, self._count = folder, has_standby, 0
        if os.geteuid() == 0:
            folder.chmod(0o755)
        self.primary, self.standby = self._new(), None
        self.primary.create(self._standbys)
        self.primary.start()
        self.primary.wait()
        # A change of the schema would wait for a standby that is not there yet.
        run(programs() / "psql", "-Xq", "-h", self.primary.folder, "-U", USER, "-d", "postgres",
            "-c", "SET synchronous_commit = local", "-c", "CREATE DATABASE lists")

    @property
    def _standbys(self):
        return "standby" if self.has_standby else ""

    def _new(self):
        self._count += 1
        return Database(self._folder / f"pg{self._count}")

    def add_standby(self, replication_port):
        self.standby = self._new()
        self.standby.copy(self.primary, replication_port, self._standbys)
        self.standby.start()
        self.standby.wait()

    def take_over(self):
        """Ends the primary for ever, and makes the standby the primary."""
        old, self.primary, self.standby = self.primary, self.standby, None
        old.stop(signal.SIGKILL)
        self.primary.query("SELECT pg_promote(true, 60)")
        old.remove()

    def stop(self):
        for database in (self.primary, self.standby):
            if database:
                database.stop()
