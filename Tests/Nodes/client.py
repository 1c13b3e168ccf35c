"""An HTTP client that knows when a connection broke, and a client of event streams."""
import json
import socket

READ = 1 << 16


class Lost(Exception):
    """The connection ended before the answer was complete. Nobody knows whether the request was carried out."""


class Late(Lost):
    """The answer did not come in time."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body) if self.body else {}

    @property
    def code(self):
        """The code of a problem; None for everything else."""
        try:
            return self.json.get("code") if self.status >= 400 else None
        except ValueError:
            return None

    @property
    def is_replay(self):
        return self.headers.get("idempotency-replayed") == "true"


class Connection:
    """One connection to a host and a port. After `Lost` it can be used no more."""

    def __init__(self, address, patience):
        try:
            self._socket = socket.create_connection(address, timeout=patience)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except TimeoutError:
            raise Late() from None
        except OSError as error:
            raise Lost(str(error)) from None
        self._bytes = b""

    def close(self):
        self._socket.close()

    def send(self, method, path, body=None, headers=(), patience=10):
        text = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers)]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(text)}"]
        self._patience(patience)
        try:
            self._socket.sendall("\r\n".join([*lines, "", ""]).encode() + text)
        except TimeoutError:
            raise Late() from None
        except OSError as error:
            raise Lost(str(error)) from None

    def ask(self, method, path, body=None, headers=(), patience=10):
        """The answer to a request.

        `patience`: the seconds for which the server may say nothing.
        Raises `Lost`."""
        self.send(method, path, body, headers, patience)
        status, fields = self.read_head()
        return Answer(status, fields, self._take(int(fields.get("content-length", 0))))

    def read_head(self):
        while b"\r\n\r\n" not in self._bytes:
            self._receive()
        head, _, self._bytes = self._bytes.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        fields = (line.partition(":") for line in lines)
        try:
            return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in fields}
        except (IndexError, ValueError):
            raise Lost(f"no HTTP: {first!r}") from None

    def read_chunk(self, patience):
        """The bytes of the next chunk; none at the end of the body."""
        self._patience(patience)
        while b"\r\n" not in self._bytes:
            self._receive()
        line, _, self._bytes = self._bytes.partition(b"\r\n")
        return self._take(int(line, 16) + 2)[:-2]

    def _take(self, count):
        while len(self._bytes) < count:
            self._receive()
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken

    def _patience(self, seconds):
        self._socket.settimeout(seconds)

    def _receive(self):
        try:
            read = self._socket.recv(READ)
        except TimeoutError:
            raise Late() from None
        except OSError as error:
            raise Lost(str(error)) from None
        if not read:
            raise Lost("closed")
        self._bytes += read


class Stream:
    """An event stream (HTML Standard, section 9.2)."""

    def __init__(self, address, path, last_id, patience):
        self._connection = Connection(address, patience)
        headers = [("Accept", "text/event-stream")] + ([("Last-Event-ID", last_id)] if last_id else [])
        self._connection.send("GET", path, headers=headers, patience=patience)
        self.status, fields = self._connection.read_head()
        self._is_chunked = fields.get("transfer-encoding") == "chunked"
        self._text, self._id = b"", last_id

    def events(self, patience):
        """The events of the next chunk, as `(name, id, data)`; `name` is None for a bare id. None at the end.

        Raises `Lost`, and `Late` if nothing comes for that many seconds."""
        chunk = self._connection.read_chunk(patience) if self._is_chunked else b""
        if not chunk:
            return None
        *blocks, self._text = (self._text + chunk).split(b"\n\n")
        return [event for event in map(self._event, blocks) if event]

    def _event(self, block):
        name, data, has_id = None, [], False
        for line in block.split(b"\n"):
            field, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if field == b"id":
                self._id, has_id = value.decode(), True
            elif field == b"event":
                name = value.decode()
            elif field == b"data":
                data.append(value)
        return (name, self._id, b"\n".join(data)) if data or has_id else None

    def close(self):
        self._connection.close()
