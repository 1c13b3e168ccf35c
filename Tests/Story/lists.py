"""The server of the story, its lists, and those who write to them besides the clients."""
import concurrent.futures
import http.client
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request

HISTORY = 400
"""How many versions of a list the server keeps: fewer than others write while a client is away."""

WAYS = 20
"""Connections of those who write besides the clients: more than there are lists, so that each list has one."""


class Server:
    """`liststate serve` with a folder. A restarted server keeps its port."""

    def __init__(self, binary, options):
        self.binary, self.options, self.port = binary, options, 0
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="liststate-story-"))
        self.folder = self.top / "data"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "serve", "--port", str(self.port), "--data", self.folder, "--history-versions-max",
             str(HISTORY), *self.options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line := self.process.stdout.readline())
        if not found:
            raise RuntimeError(f"The server did not start: {line!r}")
        self.port = int(found[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def back_up(self):
        self._command("backup", self.top / "lists.db", "--data", self.folder)

    def restore(self):
        """Puts the copy in the place of the lists of a server that is killed."""
        shutil.rmtree(self.folder)
        self._command("restore", self.top / "lists.db", "--data", self.folder)

    def _command(self, *words):
        subprocess.run([self.binary, *words], check=True, stdout=subprocess.DEVNULL)

    def close(self):
        self.kill()
        shutil.rmtree(self.top)

    def ask(self, method, path, body=None):
        """The JSON of an answer, and its fields."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={} if body is None else {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null"), answer.headers

    def write(self, name, *operations):
        return self.ask("POST", f"/v1/lists/{name}/transactions", {"operations": operations})[0]

    def rows(self, name):
        """The rows of a list, and its version."""
        found = self.ask("GET", f"/v1/lists/{name}?view=items")[0]
        return rows_of(found["sections"]), found["version"]


def rows_of(sections):
    """By section: the id, the content and the star of each row."""
    return [[section["id"], [[one["id"], one.get("content", {}), one.get("starred", False)]
                             for one in section.get("items", [])]] for section in sections]


class Labels:
    """Counts the transactions of the clients by their labels, by reading the history before it is forgotten."""

    def __init__(self, server, names):
        self._server, self._heads = server, dict.fromkeys(names)
        self.counts, self._over = {}, threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._over.wait(0.1):
            try:
                self.look()
            except (OSError, http.client.HTTPException):
                pass  # The server is killed at times.

    def look(self):
        with self._lock:
            for name in self._heads:
                self._read(name)

    def _read(self, name):
        found, path = {}, f"/v1/lists/{name}/transactions?limit=200"
        while path:
            page, fields = self._server.ask("GET", path)
            for one in page["transactions"]:
                if one["version"] == self._heads[name]:
                    path = None
                    break
                found[one["version"]] = one.get("label")
            else:
                link = re.search(r'<([^>]*)>; rel="next"', fields.get("Link", ""))
                path = link and link[1]
        if found:
            self._heads[name] = next(iter(found))
        for label in found.values():
            if label:
                self.counts[label] = self.counts.get(label, 0) + 1

    def pass_over(self, work):
        """Does what makes more versions than the history has; nobody else writes meanwhile."""
        with self._lock:
            work()
            for name in self._heads:
                newest = self._server.ask("GET", f"/v1/lists/{name}/transactions?limit=1")[0]["transactions"]
                self._heads[name] = newest[0]["version"] if newest else None

    def stop(self):
        self._over.set()
        self._thread.join()


def write_with_keys(server, names, count, first):
    """Writes of somebody else: `count` stars and unstars with a key each, to the lists in turn."""
    with concurrent.futures.ThreadPoolExecutor(WAYS) as pool:
        ways = [pool.submit(_write_some, server, names[way % len(names)], range(first + way, first + count, WAYS))
                for way in range(WAYS)]
    for way in ways:
        way.result()


def _write_some(server, name, numbers):
    with socket.create_connection(("127.0.0.1", server.port)) as end:
        file = end.makefile("rb")
        for number in numbers:
            op = "starItems" if (number // WAYS) % 2 == 0 else "unstarItems"
            body = b'{"operations":[{"op":"%s","items":["other"]}]}' % op.encode()
            end.sendall(b"POST /v1/lists/%s/transactions HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: \"other-%d\"\r\n"
                        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                        % (name.encode(), number, len(body), body))
            status, length = file.readline(), 0
            while (line := file.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            file.read(length)
            if status.split()[1:2] != [b"200"]:
                raise RuntimeError(f"a foreign write got {status}")
