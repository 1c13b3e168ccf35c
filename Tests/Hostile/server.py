"""A server under attack, and its use of processor time, memory and disk."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
ENDED = FileNotFoundError, ProcessLookupError
"""Reading the file of a thread that has ended raises one of these: it ended before the file was opened, or since."""


class Answer:
    """A status, the headers in lower case, and a body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body) if self.body else None


class Cost:
    """The resources that the process used between two measurements."""

    def __init__(self, seconds, memory, disk):
        self.seconds, self.memory, self.disk = seconds, memory, disk


class Server:
    """`liststate serve` on a new folder, or in memory only."""

    def __init__(self, binary, *options, command=(), in_memory=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="liststate-hostile-"))
        place = ["--memory"] if in_memory else ["--data", self.folder / "data"]
        self._log = open(self.folder / "log", "wb")
        self._words = [*command, binary, "serve", "--port", "0", *place, *options]
        self._start()

    def _start(self):
        # The process group is new, so that a program which runs the server (callgrind) ends with it.
        self._process = subprocess.Popen(
            [str(word) for word in self._words], stdout=subprocess.PIPE, stderr=self._log, start_new_session=True)
        line = self._process.stdout.readline().decode()
        found = re.search(r"http://[\d.]+:(\d+)", line)
        if not found:
            raise RuntimeError(f"The server did not start: {line!r} {(self.folder / 'log').read_text()}")
        self.port = int(found[1])
        self.pid = self._process.pid

    # MARK: Costs

    def _tasks(self):
        return pathlib.Path(f"/proc/{self.pid}/task").iterdir()

    def _status(self, name):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"(?m)^{name}:\s+(\d+) kB", text)[1]) * 1024

    def seconds(self):
        """The processor time of all living threads. The server starts no threads while it serves."""
        total = 0
        for task in self._tasks():
            with contextlib.suppress(*ENDED):
                total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def disk(self):
        data = self.folder / "data"
        return sum(file.stat().st_size for file in data.rglob("*") if file.is_file()) if data.exists() else 0

    def wait_until_idle(self):
        """Waits until each thread has been asleep in three looks in a row, so that no work is left."""
        quiet = 0
        while quiet < 3:
            try:
                states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in self._tasks()]
            except ENDED:
                states = ["R"]
            quiet = 0 if any(state in "RD" for state in states) else quiet + 1

    def spent(self, body):
        """The cost of `body` to the server, measured until the server rests again. Memory is the peak above the
        memory before."""
        self.wait_until_idle()
        before = self.seconds(), self._status("VmRSS"), self.disk()
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")
        result = body()
        self.wait_until_idle()
        return result, Cost(
            self.seconds() - before[0], max(0, self._status("VmHWM") - before[1]), max(0, self.disk() - before[2]))

    # MARK: Requests

    def connect(self, timeout=120):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def ask(self, method, path, body=None, headers=(), timeout=120):
        """Sends one request unchanged. `path` and the values of `headers` may be any bytes."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        lines = [method.encode() + b" " + encoded(path) + b" HTTP/1.1"]
        given = {name.lower() for name, _ in headers}
        if "host" not in given:
            lines.append(b"Host: 127.0.0.1")
        lines += [name.encode() + b": " + encoded(value) for name, value in headers]
        if body is not None:
            if "content-type" not in given:
                lines.append(b"Content-Type: application/json")
            lines.append(b"Content-Length: %d" % len(body))
        lines.append(b"Connection: close")
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        with self.connect(timeout) as connection:
            # A server that refuses a body does not read it to its end.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(head + (body or b""))
            return parsed(received(connection))

    def lives(self):
        """Whether the process exists and reports that it is healthy."""
        return self._process.poll() is None and self.ask("GET", "/healthz", timeout=120).status == 200

    # MARK: The end

    def restart(self):
        """Kills the server, and starts another one on the same folder."""
        self._kill()
        self._start()

    def _kill(self):
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()

    def close(self):
        self._kill()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def encoded(text):
    return text if isinstance(text, bytes) else str(text).encode()


def received(connection):
    """All bytes until the other side closes."""
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(1 << 18):
            pieces.append(piece)
    return b"".join(pieces)


def parsed(data):
    """An answer; one with status 0 if there is none."""
    head, _, body = data.partition(b"\r\n\r\n")
    found = re.match(rb"HTTP/1\.1 (\d{3})", head)
    if not found:
        return Answer(0, {}, data)
    fields = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    headers = {name.decode("latin-1").lower(): value.strip().decode("latin-1") for name, _, value in fields}
    if headers.get("transfer-encoding") == "chunked":
        body = joined(body)
    return Answer(int(found[1]), headers, body)


def joined(body):
    """The content of a body in chunks."""
    content = []
    while True:
        size, _, rest = body.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        if length == 0:
            return b"".join(content)
        content.append(rest[:length])
        body = rest[length + 2:]
