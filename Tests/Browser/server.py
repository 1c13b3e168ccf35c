"""A server for the tests, a client that writes to it, and a wire between a browser and the server that can be cut."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("LISTSTATE_BINARY", TOP / ".build/debug/liststate")


class Server:
    """`liststate serve` with the samples in a new folder. A restarted server keeps its port.

    With --first-token among the options, `token` is the first token.
    """

    def __init__(self, *options):
        self._options = options
        self.token = None
        self._folder = tempfile.TemporaryDirectory()
        self.port = 0
        self._process = None
        self.start()

    def start(self):
        self._process = subprocess.Popen(
            [BINARY, "serve", "--samples", "--port", str(self.port), "--data", self._folder.name,
             *self._options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self._process.stdout.readline()
        if first := re.search(r"lst_\w+$", line):
            self.token = first[0]
            line = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise RuntimeError(f"The server did not start: {line!r}")
        self.port = int(found[1])

    def end(self, how=signal.SIGTERM):
        self._process.send_signal(how)
        self._process.wait()
        self._process.stdout.close()

    def close(self):
        if self._process.poll() is None:
            self.end(signal.SIGKILL)
        self._folder.cleanup()

    @property
    def client(self):
        return Client(f"http://127.0.0.1:{self.port}", self.token)


class Client:
    """Requests and their JSON answers."""

    def __init__(self, base, token=None):
        self.base = base
        self.token = token

    def ask(self, method, path, body=None):
        """The status and the JSON of the answer; None if the answer has no JSON."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, parsed(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, parsed(error.read())

    def get(self, path):
        status, answer = self.ask("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {answer}")
        return answer

    def write(self, method, path, body=None):
        """The result of a write that must succeed."""
        status, answer = self.ask(method, path, body)
        if status not in (200, 201, 204):
            raise AssertionError(f"{method} {path}: {status} {answer}")
        return answer

    def edit(self, list_id, *operations):
        return self.write("POST", f"/v1/lists/{list_id}/transactions", {"operations": list(operations)})

    def lists(self):
        """The ids of all lists."""
        return [one["id"] for one in self.get("/v1/lists?limit=1000")["lists"]]

    def visible(self, list_id, **query):
        """The rows of a list as the server sends them: the id of each section, and the visible values of its rows."""
        text = urllib.parse.urlencode({"view": "visible", **query})
        snapshot = self.get(f"/v1/lists/{list_id}?{text}")
        return [
            [section["id"], [
                [item["id"], item.get("level", 0), item.get("starred", False),
                 bool(item.get("childCount")) and item.get("expanded", False)]
                for item in section.get("items", [])]]
            for section in snapshot.get("sections", [])]


def parsed(data):
    return json.loads(data) if data else None


class Wire:
    """Passes bytes between a browser and a server, records the requests, and can be cut.

    `answers_to_lose` is the number of later writes whose answers are lost. The server carries these writes out, but
    the browser sees its connection end, behind the head of the answer or before it (`loses_heads`). On a connection
    that was used before, a browser then repeats the request by itself. `keys` has the `Idempotency-Key` of each
    write that came; None for a write without one.
    """

    def __init__(self, server):
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._sockets = set()
        self.asked = []
        self.keys = []
        self.answers_to_lose = 0
        self.loses_heads = False
        self._losing = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Ends every connection, also in the middle of a message."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._server.port))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._sockets |= {near, far}
            threading.Thread(target=self._carry, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, False), daemon=True).start()

    def _carry(self, source, target, is_request):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if is_request:
                    self._note(data, target)
                elif source in self._losing:
                    head = data.find(b"\r\n\r\n") + 5
                    target.sendall(b"" if self.loses_heads else data[:head])
                    break
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        with self._lock:
            self._sockets -= {source, target}
            self._losing -= {source, target}

    def _note(self, data, server):
        lines = re.findall(rb"(?m)^([A-Z]+ \S+) HTTP/1\.1\r$", data)
        self.asked += [line.decode() for line in lines]
        if not lines or lines[0].startswith(b"GET"):
            return
        key = re.search(rb"(?im)^idempotency-key: *(\S+)\r$", data)
        with self._lock:
            self.keys.append(key and key[1].decode())
            if self.answers_to_lose > 0:
                self.answers_to_lose -= 1
                self._losing.add(server)
