"""Attacks of several requests. Each takes a server, and returns the bytes that were sent, touched and answered."""
import contextlib
import json
import urllib.parse

from scripts import EDITS, ITEMS, LIST, flat, item, large, put


class Scenario:
    """`prepare` is not measured. `body` is measured, and returns the bytes that it sent, touched and was answered.

    `cpu` is the processor time in seconds that is allowed in the long form. `options` are options of the server.
    """

    def __init__(self, name, prepare, body, cpu=1.0, options=()):
        self.name, self.prepare, self.body, self.cpu, self.options = name, prepare, body, cpu, options


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
        # The first event is the whole view, unless the stream was refused.
        data = b""
        while b"event: reset" not in data and b" 200 OK" in (data[:20] or b" 200 OK"):
            data += connection.recv(1 << 16)
        server.streams.append(connection)


def moved(server):
    answer = ok(server.ask("POST", EDITS, {"operations": [{"op": "moveItem", "item": "i7777", "before": "i0"}]}))
    # Each stream gets an event or an id, because the version is new.
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


# MARK: Restores

def emptied_and_restored(server):
    """A list of large items, with its first version and the version in which it is empty."""
    touched = large(50, 65_000)(server)
    first = server.ask("HEAD", LIST).headers["list-version"]
    last = ok(server.ask("POST", EDITS, {"operations": [{"op": "deleteAllItems"}]})).json["version"]
    server.note = {"versions": [first, last], "touched": touched}


def restored(server, rounds=10, query="", path=f"{LIST}/restore"):
    total = 0
    for n in range(rounds):
        answer = ok(server.ask("POST", path + query, {"version": server.note["versions"][n % 2]}))
        total += 100 + server.note["touched"] + len(answer.body)
    return total


def restored_dry(server):
    before = server.disk()
    # The restoration is tried as often as allowed, because a dry run must give back everything that it takes.
    restored(server, 20, "?dryRun=true")
    if server.disk() > before:
        raise AssertionError("a dry run was written")
    return 2 * server.note["touched"]


def revived(server):
    """Deletes and restores a list repeatedly. Each round reads the list once."""
    for _ in range(30):
        ok(server.ask("DELETE", LIST))
        ok(server.ask("POST", f"{LIST}/restore", headers=[("Prefer", "return=minimal")]))
    return 2 * server.note["touched"]


# MARK: Long histories

VERSIONS = 3_000


def long_history(server):
    flat(100)(server)
    first = server.ask("HEAD", LIST).headers["list-version"]
    server.note = {"epoch": first.partition("-")[0]}
    connection = server.connect()
    star = f"POST {LIST}/items/i%d/star HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
    for start in range(0, VERSIONS, 50):
        connection.sendall("".join(star % (n % 100) for n in range(start, start + 50)).encode())
        data = b""
        while data.count(b"HTTP/1.1 200 OK") < 50:
            data += connection.recv(1 << 18)
    connection.close()


def version_of(server, revision):
    return f"{server.note['epoch']}-{revision}"


def chained(server):
    """Reads each step of the past on its own, beginning with the oldest."""
    total = 0
    for revision in range(1, 201):
        since, until = version_of(server, revision), version_of(server, revision + 1)
        answer = ok(server.ask("GET", f"{LIST}/changes?since={since}&until={until}"))
        if answer.json["to"] != until:
            raise AssertionError(f"{answer.body[:300]}")
        total += 100 + len(answer.body)
    return total


def spanned(server):
    """Reads spans of all lengths, all of them different."""
    total = 0
    for n in range(200):
        since, until = version_of(server, 1 + n), version_of(server, VERSIONS - n)
        total += 100 + len(ok(server.ask("GET", f"{LIST}/changes?since={since}&until={until}")).body)
    return total


def restored_far(server):
    """Restores the first and the last version in turns."""
    server.note["versions"] = [version_of(server, 1), version_of(server, VERSIONS)]
    server.note["touched"] = 100 * 200
    return restored(server, 100)


# MARK: Deleted lists and subscriptions, which are bounded over all clients

KEPT = 100


def deleted_often(server):
    total = 0
    for n in range(5 * KEPT):
        ok(server.ask("PUT", f"/v1/lists/l{n}", {"sections": [
            {"id": "s", "items": [item("i", {"text": "x" * 1_000})]}]}))
        ok(server.ask("DELETE", f"/v1/lists/l{n}"))
        total += 1_500
    kept = deleted_lists(server)
    if len(kept) != KEPT or f"l{5 * KEPT - 1}" not in kept:
        raise AssertionError(f"{len(kept)} deleted lists are kept")
    return total


def deleted_large(server):
    for n in range(24):
        ok(server.ask("PUT", f"/v1/lists/l{n}", {"sections": [
            {"id": "s", "items": [item(f"i{m}", {"text": "x" * 60_000}) for m in range(16)]}]}))
        ok(server.ask("DELETE", f"/v1/lists/l{n}"))
    kept = deleted_lists(server)
    if len(kept) > 4 or "l23" not in kept:
        raise AssertionError(f"{len(kept)} deleted lists of 1 MiB are kept, 4 MiB may be")
    # The bound is the 4 MiB that are kept and another list that is being made, not all lists that were sent.
    return 5 << 20


def deleted_lists(server):
    return [each["id"] for each in ok(server.ask("GET", "/v1/lists?deleted=true&limit=1000")).json["lists"]]


def subscribed(server, count, size):
    """Subscribes `count` times with bodies of `size` bytes. Returns the number of subscriptions that are kept."""
    body = json.dumps({"lists": [{"list": f"{n:064}"} for n in range(100)]}).encode()
    body += b" " * (size - len(body))
    names = []
    for _ in range(count):
        answer = ok(server.ask("POST", "/v1/changes", body, [("Prefer", "respond-async")]), 201)
        names.append(answer.headers["location"])
    events = [("Accept", "text/event-stream")]
    if ok(server.ask("HEAD", names[-1], headers=events), 200, 404).status != 200:
        raise AssertionError("the newest subscription is gone")
    return sum(server.ask("HEAD", name, headers=events).status == 200 for name in names)


def subscribed_often(server):
    kept = subscribed(server, 5 * KEPT, 10_000)
    if kept > KEPT:
        raise AssertionError(f"{kept} subscriptions are kept")
    return 2 * KEPT * 10_000


def subscribed_large(server):
    kept = subscribed(server, 400, 250_000)
    if kept * 250_000 > 64 << 20:
        raise AssertionError(f"{kept} subscriptions of 250,000 bytes are kept")
    # The bound becomes about 100 MiB: 64 MiB may be kept, and 100,000,000 bytes were sent.
    return 12 << 20


# MARK: Streams of many lists

def many_lists(server):
    for n in range(100):
        ok(server.ask("PUT", f"/v1/lists/{n:064}", {"sections": [{"id": "s", "items": [
            item(f"i{m}", {"text": f"row {m}"}) for m in range(20)]}]}))


def followed_by_many(server):
    """A hundred streams of a hundred lists each. All begin with a reset, and then one edit wakes them."""
    lists = [{"list": f"{n:064}"} for n in range(100)]
    body = json.dumps({"lists": lists, "where": ["content.a:1"] * 8}).encode()
    connections, total = [], 0
    for _ in range(100):
        connection = server.connect()
        connection.sendall(
            b"POST /v1/changes HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        data = b""
        while data.count(b"event: reset") < 100:
            piece = connection.recv(1 << 18)
            if not piece:
                raise AssertionError(f"{data[-300:]}")
            data += piece
        connections.append(connection)
        total += len(body) + len(data)
    ok(server.ask("PUT", f"/v1/lists/{0:064}/items/i0/star"))
    for connection in connections:
        total += len(connection.recv(1 << 16))
        connection.close()
    return total


def came_back(server):
    """One subscription to which many clients come back, each with an id that is not a token of it."""
    body = json.dumps({"lists": [{"list": f"{n:064}"} for n in range(100)], "view": "visible",
                       "expanded": [f"i{n}" for n in range(20_000)]}).encode()
    place = ok(server.ask("POST", "/v1/changes", body, [("Prefer", "respond-async")]), 201).headers["location"]
    total = len(body)
    for _ in range(20):
        # The subscription is read again, as if it had been sent again.
        ok(server.ask("HEAD", place, headers=[("Accept", "text/event-stream"), ("Last-Event-ID", "9" * 6_000)]), 200)
        total += len(body)
    return total


# MARK: Lists after a start

def large_lists(server):
    touched = 0
    for n in range(100):
        body = {"title": f"list {n}", "sections": [{"id": "s", "items": [item(f"i{m}") for m in range(5_000)]}]}
        ok(server.ask("PUT", f"/v1/lists/l{n}", body))
        touched += 5_000 * 30
    server.restart()
    ok(server.ask("GET", "/v1/lists/none"), 404)
    server.note = {"touched": touched}


def sought_at_first(server):
    """A filter that matches no list, before any of the lists was asked for."""
    answer = ok(server.ask("GET", "/v1/lists?filter=none"))
    # One request reads only some of the lists. A client reads the others through the link.
    if "link" not in answer.headers:
        raise AssertionError("one request has read them all")
    return server.note["touched"] // 4 + len(answer.body)


# MARK: Names of hosts and origins

FOREIGN_HOSTS = [
    "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:127", "127.0.0.1@evil.example",
    "evil.example@127.0.0.1", "127.0.0.1/evil.example", "127.0.0.1\\evil.example", "[::1].evil.example", "[::1]evil",
    "[evil.example]", "[::1", "::1]", "localhost..", "xn--lcalhost-0za", "127.0.0", "1.2.3.4.5", "256.1.1.1",
    "0x7f.0.0.1", "127.0.0.1:80:80", "localhost:x", "127.0.0.1 evil.example", "127.0.0.1,evil.example", ":80",
    "a" * 255, "a." * 3_000, "1" * 6_000, "[" * 6_000, ":" * 6_000, "%00", "%31%32%37.0.0.1", "loc\u0430lhost",
    "\u0301" * 500]
OWN_HOSTS = ["127.0.0.1", "127.0.0.1:1", "localhost", "a.localhost:80", "LOCALHOST:65535", "[::1]", "[::1]:80"]
FOREIGN_ORIGINS = [
    "null", "http://evil.example", "http://127.0.0.1.evil.example", "http://127.0.0.1@evil.example",
    "http://127.0.0.1/", "http://127.0.0.1#", "http://127.0.0.1:80", "http:/127.0.0.1", "http://", "//127.0.0.1",
    "127.0.0.1", "file://", "http://127.0.0.1, http://evil.example", "http://evil.example http://127.0.0.1",
    "http://[::1]", "*", "\u0301" * 500, "http://" * 900, "http://" + "a" * 6_000]
FOREIGN_SITES = ["cross-site", "same-site", "Same-Origin", "same-origin, cross-site", "x" * 6_000]
REFUSALS = (400, 403, 414, 431)


def foreign(server):
    """Writes with the hosts and origins of strangers. Each is refused, and none changes anything."""
    attempts = [[("Host", host)] for host in FOREIGN_HOSTS]
    attempts += [[("Origin", origin)] for origin in FOREIGN_ORIGINS]
    attempts += [[("Sec-Fetch-Site", site), ("Origin", "http://127.0.0.1")] for site in FOREIGN_SITES]
    total = 0
    for headers in attempts:
        for method, path, body in [("PATCH", LIST, {"title": "mine"}), ("GET", f"{LIST}/changes?wait=50", None)]:
            answer = server.ask(method, path, body, headers)
            if answer.status not in REFUSALS:
                name, value = headers[0]
                raise AssertionError(f"{method} with {name}: {value[:60]} was answered {answer.status}")
            total += 100 + len(headers[0][1].encode()) + len(answer.body)
    if ok(server.ask("GET", LIST)).json.get("title") == "mine":
        raise AssertionError("one of them wrote")
    for host in OWN_HOSTS:
        ok(server.ask("PATCH", LIST, {"title": host}, [("Host", host)]))
    return total


ALL = [
    Scenario("the undo of an emptied list of large items", emptied, undone),
    Scenario(f"{STREAMS} filtered streams and one move", followed, moved),
    Scenario("70,000 sections made and removed", many_sections, made_and_removed),
    Scenario("500 stars with long keys", nothing, keyed, cpu=2.0),
    Scenario("ten restorations of large items", emptied_and_restored, restored, cpu=5.0),
    Scenario("twenty dry runs of them", emptied_and_restored, restored_dry, cpu=10.0),
    Scenario("thirty deletions and restorations of a large list", emptied_and_restored, revived, cpu=5.0),
    Scenario("200 steps of the past, one by one", long_history, chained),
    Scenario("200 spans of the past", long_history, spanned),
    Scenario("100 restorations over 3,000 versions", long_history, restored_far),
    Scenario(f"{5 * KEPT} deleted lists", nothing, deleted_often, cpu=5.0, options=["--deleted-lists-max", str(KEPT)]),
    Scenario("deleted lists of 1 MiB", nothing, deleted_large, cpu=5.0, options=["--deleted-mebibytes-max", "4"]),
    Scenario(f"{5 * KEPT} subscriptions", nothing, subscribed_often, cpu=5.0,
             options=["--subscriptions-max", str(KEPT)]),
    Scenario("subscriptions of 100 MB in all", nothing, subscribed_large, cpu=10.0),
    Scenario("100 streams of 100 lists", many_lists, followed_by_many, cpu=5.0),
    Scenario("a long subscription that many come back to", many_lists, came_back),
    Scenario("a filter over large lists after a start", large_lists, sought_at_first),
    Scenario("hosts and origins of others", nothing, foreign),
]
