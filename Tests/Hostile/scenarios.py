"""Attacks that take more than one request. Each takes a server and returns what was sent, touched and answered."""
import contextlib
import time
import urllib.parse

from scripts import EDITS, ITEMS, LIST, flat, item, put, sections
from server import received


class Scenario:
    """`prepare` is not counted; `body` is, and returns the bytes that it sent, touched and was answered.

    `cpu` are the seconds of processor time that it may take in the long form.
    """

    def __init__(self, name, prepare, body, cpu=1.0):
        self.name, self.prepare, self.body, self.cpu = name, prepare, body, cpu


def ok(answer, *statuses):
    if answer.status not in (statuses or (200, 201, 204)):
        raise AssertionError(f"{answer.status} {answer.body[:300]}")
    return answer


# MARK: Undo

def emptied(server):
    flat(200, {"text": "x" * 65_000})(server)
    version = ok(server.ask("POST", EDITS, {"operations": [{"op": "deleteAllItems"}]})).json["version"]
    server.note = {"version": version, "touched": 200 * 65_000}


def undone(server):
    answer = ok(server.ask("POST", f"{LIST}/undo", {"transaction": server.note["version"]}))
    return 100 + server.note["touched"] + len(answer.body)


# MARK: Streams

STREAMS = 100


def followed(server):
    put(server, [{"id": "s", "items": [item(f"i{n}", {"text": f"row {n}"}) for n in range(ITEMS)]}])
    server.streams = []
    for n in range(STREAMS):
        connection = server.connect()
        query = urllib.parse.quote(f"row {n}")
        connection.sendall(
            f"GET {LIST}/changes?filter={query} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            "Accept: text/event-stream\r\n\r\n".encode())
        # Its first event is the whole view, or it was refused.
        data = b""
        while b"event: reset" not in data and b" 200 OK" in (data[:20] or b" 200 OK"):
            data += connection.recv(1 << 16)
        server.streams.append(connection)


def moved(server):
    answer = ok(server.ask("POST", EDITS, {"operations": [{"op": "moveItem", "item": "i7777", "before": "i0"}]}))
    # Each stream gets an event or an id; none is silent, because the version is new.
    answered = len(answer.body)
    for connection in server.streams:
        with contextlib.suppress(OSError):
            connection.settimeout(10)
            answered += len(connection.recv(1 << 16))
            connection.close()
    return 200 + STREAMS * 100 + answered


# MARK: Long lists of sections

def many_sections(server):
    server.note = {}


def made_and_removed(server):
    body = '{"sections":[%s]}' % ",".join(f'{{"id":"s{n}"}}' for n in range(70_000))
    answer = ok(server.ask("PUT", LIST, body.encode()), 200, 201, 413)
    more = server.ask("POST", EDITS, {"operations": [{"op": "deleteAllItems"}]})
    return 2 * len(body) + len(answer.body) + len(more.body)


# MARK: Keys

def nothing(server):
    flat(1)(server)


def keyed(server):
    sent = 0
    for n in range(500):
        ok(server.ask("PUT", f"{LIST}/items/i0/star", headers=[("Idempotency-Key", f"{n}-" + "k" * 240)]))
        sent += 600
    return sent


ALL = [
    Scenario("the undo of an emptied list of large items", emptied, undone),
    Scenario(f"{STREAMS} filtered streams and one move", followed, moved),
    Scenario("70,000 sections made and removed", many_sections, made_and_removed),
    Scenario("500 stars with long keys", nothing, keyed, cpu=2.0),
]
