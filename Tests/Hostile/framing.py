"""Requests that are not quite HTTP, from `framing.jsonl`. They are sent directly to the server and through nginx.

Some of them hide a second request, which deletes a list. That list must stay, whatever the answers are.
"""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from server import Server, parsed

TABLE = pathlib.Path(__file__).with_name("framing.jsonl")
VICTIM = "/v1/lists/victim"
SECONDS = 30
"""How long an answer may take: a server that waits for more of a request ends it before, by its own deadline."""
DELETED = 204
"""The answer to the hidden request, if it runs."""


def cases():
    """The name of each case, its bytes, the statuses of its answers, and whether the server closes the connection."""
    for line in TABLE.read_text().splitlines():
        row = json.loads(line)
        text = "".join(part if isinstance(part, str) else part[0] * part[1] for part in row["request"])
        yield row["name"], text.encode("latin-1"), row["answers"], row["closes"]


def statuses(data):
    """The statuses of the answers in `data`, in order."""
    found = []
    while data.startswith(b"HTTP/1.1 "):
        head, end, rest = data.partition(b"\r\n\r\n")
        if not end:
            break
        answer = parsed(head + end)
        found.append(answer.status)
        bodiless = answer.status in (204, 304) or answer.status < 200
        data = rest[0 if bodiless else int(answer.headers.get("content-length", 0)):]
    return found


def exchange(port, request, count, closes):
    """Sends a request. Returns all bytes until the other side closes, or until there are `count` answers."""
    data = b""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(request)
        with contextlib.suppress(ConnectionError):
            while closes or len(statuses(data)) < count:
                piece = connection.recv(1 << 16)
                if not piece:
                    break
                data += piece
    return data


class Proxy:
    """An nginx in front of a server."""

    def __init__(self, server):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="liststate-proxy-"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        places = "".join(
            f"{name}_temp_path {self.folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        configuration = self.folder / "configuration"
        configuration.write_text(f"""
            daemon off; master_process off; pid {self.folder}/pid; error_log {self.folder}/errors;
            events {{ worker_connections 64; }}
            http {{ access_log off; {places} client_header_timeout 3s; client_body_timeout 3s; keepalive_timeout 1s;
                server {{ listen 127.0.0.1:{self.port};
                    location / {{ proxy_pass http://127.0.0.1:{server.port}; proxy_http_version 1.1;
                        proxy_set_header Connection ""; proxy_request_buffering off; }} }} }}""")
        self._process = subprocess.Popen(
            ["nginx", "-p", str(self.folder), "-e", str(self.folder / "errors"), "-c", str(configuration)],
            stderr=subprocess.DEVNULL)
        while not self._listens():
            if self._process.poll() is not None:
                raise RuntimeError("nginx did not start: " + (self.folder / "errors").read_text())
            time.sleep(0.01)

    def _listens(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        return False

    def close(self):
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def rows(binary, behind_proxy):
    """The name of each case, with its answers and its errors."""
    with Server(binary, "--request-deadline-seconds", "3", "--allow-host", "*") as server:
        yield from direct(server)
        if behind_proxy and shutil.which("nginx"):
            proxy = Proxy(server)
            try:
                yield from proxied(server, proxy)
            finally:
                proxy.close()


def direct(server):
    for name, request, answers, closes in cases():
        victim(server)
        found = statuses(exchange(server.port, request, len(answers), closes))
        faults = harm(server) + dead(server)
        if len(found) != len(answers) or any(one not in any_of for one, any_of in zip(found, answers)):
            faults.append(f"answered {found}, expected {answers}")
        yield f"framing: {name}", str(found), faults


def proxied(server, proxy):
    """Sends the cases through nginx, which is less strict. If nginx sees a second request, it forwards and answers
    it as such. A DELETE that was carried out without an answer of its own was smuggled past nginx."""
    for name, request, answers, _ in cases():
        victim(server)
        found = statuses(exchange(proxy.port, request, len(answers), True))
        faults = ([] if DELETED in found else harm(server)) + dead(server)
        yield f"framing through nginx: {name}", str(found), faults


def victim(server):
    answer = server.ask("PUT", VICTIM, {"sections": []})
    if answer.status not in (200, 201):
        raise RuntimeError(f"PUT of the list: {answer.status}")


def harm(server):
    return [] if server.ask("GET", VICTIM).status == 200 else ["the hidden request ran"]


def dead(server):
    return [] if server.lives() else ["the server does not answer /healthz any more"]
