"""Bad inputs by number: bodies, JSON, Unicode and states. `framing.jsonl` has those of 1 to 61 that are about HTTP itself,
and `environment.py` has the faults from 118 on.

A row is one request to a fresh list `victim`, and the statuses that may answer it. A refused write must have changed
nothing.
"""
import json
import socket

from server import Server, parsed, received

LIST = "/v1/lists/victim"
EDITS = f"{LIST}/transactions"
ITEMS = f"{LIST}/items"
REORDERS = f"{LIST}/reorders"
JSON = ("Content-Type", "application/json")
ZWJ = "\U0001F636\u200d\U0001F32B\ufe0f"


class Case:
    """`body` is sent as it is if it is bytes. `check` looks at the answer and the server, and asserts. `writes` says that
    making the body writes to the list."""

    def __init__(self, number, name, method, path, body, statuses, headers=(JSON,), check=None,
                 writes=False):
        self.number, self.name = number, name
        self.method, self.path, self.body, self.headers = method, path, body, headers
        self.statuses, self.check, self.writes = statuses, check, writes


def bodies(number, statuses, *rows, path=EDITS, method="POST"):
    """Rows of a name and a body each, all with the same answer."""
    return [Case(number, name, method, path, body.encode() if isinstance(body, str) else body, statuses)
            for name, body in rows]


def edit(number, name, operation, statuses, check=None):
    return Case(number, name, "POST", EDITS, {"operations": [operation]}, statuses, check=check)


def content(text):
    """A transaction that sets the content of an item to this JSON, with all of its bytes."""
    return b'{"operations":[{"op":"updateItem","item":"i0","content":' + text + b"}]}"


def offset(text):
    """Makes a reorder that puts an item at the offset with this JSON."""
    def body(server):
        version = server.ask("HEAD", LIST).headers["list-version"]
        return ('{"base":"%s","sections":{"s":{"difference":{"removals":[{"offset":0,"element":"i0"}],'
                '"insertions":[{"offset":%s,"element":"i0"}]}}}}' % (version, text)).encode()
    return body


# MARK: Checks

def keeps(text):
    """The server has kept the text byte for byte."""
    def check(answer, server):
        got = server.ask("GET", f"{ITEMS}/i0").body
        assert text.encode() in got, got
    return check


def unchanged(answer, server):
    assert answer.json["changed"] is False, answer.body


def ids(*expected):
    def check(answer, server):
        items = server.ask("GET", LIST).json["sections"][0]["items"]
        assert [one["id"] for one in items] == list(expected), items
    return check


def nosniff(answer, server):
    got = server.ask("GET", f"{ITEMS}/i0")
    assert got.headers["content-type"] == "application/json", got.headers
    assert got.headers["x-content-type-options"] == "nosniff", got.headers


def problem(code):
    def check(answer, server):
        assert answer.json["code"] == code, answer.body
    return check


# MARK: The rows

BODY = b'{"operations":[]}'
MEDIA = [
    Case(62, "no Content-Type", "POST", EDITS, BODY, (415,), headers=(("Content-Type", ""),)),
    *[Case(63, f"Content-Type {kind}", "POST", EDITS, BODY, (415,), headers=(("Content-Type", kind),))
      for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]],
    Case(64, "charset=utf-16", "POST", EDITS, BODY, (415,),
         headers=(("Content-Type", "application/json; charset=utf-16"),)),
    Case(65, "Content-Encoding: gzip", "POST", EDITS, b"\x1f\x8b" + bytes(100), (415,),
         headers=(JSON, ("Content-Encoding", "gzip"))),
    Case(66, "Accept: text/csv", "GET", LIST, None, (406,), headers=(("Accept", "text/csv"),)),
    *bodies(67, (400,), ("an empty body", "")),
    *bodies(68, (400,), ("spaces", "    ")),
    *bodies(69, (400,), *((f"cut after {n} bytes", BODY[:n]) for n in range(1, len(BODY)))),
    *bodies(70, (400,), ("a comma behind the last member", '{"operations":[],}'),
            ("a comma behind the last element", '{"operations":[1,]}')),
    *bodies(71, (400,), *((text, '{"base":%s,"operations":[]}' % text) for text in [
        "/* x */1", "// x", "'x'", "NaN", "Infinity", "+1", "01", ".5", "1.", "0x1", "undefined"])),
    *bodies(72, (400,), ("two documents", '{"operations":[]}{"operations":[]}')),
    *bodies(73, (400,), ("a BOM", b"\xef\xbb\xbf" + BODY)),
    *bodies(74, (400,), *((kind, '{"operations":[]}'.encode(kind)) for kind in [
        "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])),
    *bodies(75, (400,), ("a member twice", '{"label":"a","label":"b","operations":[]}'),
            ("a member twice, spelled oddly", '{"label":"a","\\u006cabel":"b","operations":[]}')),
    *bodies(76, (422,), ("an unknown member", '{"operations":[],"x":1}')),
    *bodies(77, (422,), *((text, text) for text in ["null", "[]", '"x"', "1", "true"])),
    *bodies(78, (400,), ("33 deep", content(b"[" * 40 + b"]" * 40))),
    *bodies(78, (400, 413), ("five million brackets", "[" * 5_000_000)),
    *bodies(79, (400, 422), ("a number of a million digits", '{"base":%s}' % ("1" * 1_000_000))),
    Case(80, "1e400 in a content", "POST", EDITS, content(b'{"n":1e400}'), (200,), check=keeps("1e400")),
    *bodies(81, (422,), *((text, offset(text)) for text in ["9223372036854775808", "-1", "1.5", "1e400"]),
            path=REORDERS),
    *bodies(82, (200,), *((text, offset(text)) for text in ["1.0", "1e0", "10e-1"]), path=REORDERS),
    *bodies(83, (422,), *((text, offset(text)) for text in ["true", '"1"', "null", "[1]"]), path=REORDERS),
    *bodies(84, (413, 422), ("200,000 members", "{%s}" % ",".join(f'"{n}":1' for n in range(200_000)))),
    *bodies(85, (413, 422), ("a string of a million bytes", content(b'{"t":"%s"}' % (b"x" * 1_000_000)))),
]

UNICODE = [
    *bodies(86, (400,), *((data.hex(" "), content(b'{"t":"' + data + b'"}')) for data in [
        b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98"])),
    *bodies(87, (400,), *((text, content(b'{"t":"' + text.encode() + b'"}')) for text in [
        "\\ud800", "\\udc00", "\\udc00\\ud800", "\\ud800x", "\\ud800\\n"])),
    Case(88, "\\u0000 in a content", "POST", EDITS, content(b'{"t":"a\\u0000b"}'), (200,), check=keeps("\\u0000")),
    edit(88, "\\u0000 in an id", {"op": "appendItems", "section": "s", "items": [{"id": "a\0b"}]}, (422,)),
    *bodies(89, (400,), *((f"the control character {byte}", content(b'{"t":"' + bytes([byte]) + b'"}'))
                          for byte in [0, 1, 9, 10, 31])),
    edit(90, "an emoji with a joiner and without", {"op": "appendItems", "section": "s", "items": [
        {"id": ZWJ}, {"id": ZWJ.replace("\u200d", "")}]}, (200,),
        ids("i0", "i1", "i2", ZWJ, ZWJ.replace("\u200d", ""))),
    edit(91, "an id composed and decomposed", {"op": "appendItems", "section": "s", "items": [
        {"id": "\u00e9"}, {"id": "e\u0301"}]}, (200,), ids("i0", "i1", "i2", "\u00e9", "e\u0301")),
    *[Case(92, f"a content of {text!r} alone", "POST", EDITS, content(f'{{"t":"{text}"}}'.encode()), (200,),
           check=keeps(text)) for text in ["\ufe0f", "\u200d"]],
    Case(93, "a letter with a thousand marks", "POST", EDITS, content(b'{"t":"a' + "\u0301".encode() * 1_000 + b'"}'),
         (200,), check=keeps("a" + "\u0301" * 1_000)),
    Case(94, "an override of the direction", "POST", EDITS, content('{"t":"\u202eabc"}'.encode()), (200,),
         check=keeps("\u202eabc")),
    Case(95, "a script", "POST", EDITS, content(b'{"t":"<script>alert(1)</script>"}'), (200,), check=nosniff),
]


def based(number, name, base, statuses, check=None, **more):
    """A transaction with a base that the row makes of the list's version."""
    return Case(number, name, "POST", EDITS + more.pop("query", ""), lambda server: {
        "base": base(server.ask("HEAD", LIST).headers["list-version"]),
        "operations": [{"op": "moveItem", "item": "i2", "before": "i0"}]}, statuses, check=check)


def starred(server):
    version = server.ask("HEAD", LIST).headers["list-version"]
    assert server.ask("PUT", f"{ITEMS}/i1/star").status == 200
    return {"base": version, "operations": [{"op": "moveItem", "item": "i2", "before": "i0"}]}


def deleted(server):
    version = server.ask("HEAD", LIST).headers["list-version"]
    assert server.ask("POST", EDITS, {"operations": [{"op": "deleteItems", "items": ["i2"]}]}).status == 200
    return {"base": version, "operations": [{"op": "moveItem", "item": "i2", "before": "i0"}]}


STAR = f"{ITEMS}/i0/star"
STATE = [
    Case(96, "a stale base", "POST", EDITS, starred, (200,)),
    Case(96, "a stale base with a conflict, which is strict", "POST", f"{EDITS}?strict=true", deleted, (409,),
         check=problem("stale_base"), writes=True),
    based(97, "a base in the future", lambda version: version.partition("-")[0] + "-99", (409,), problem("unknown_base")),
    edit(98, "an item that is not there", {"op": "starItems", "items": ["nothing"]}, (409,), problem("unknown_item")),
    Case(99, "an offset past the end", "POST", REORDERS, offset("99"), (409,),
         check=problem("invalid_difference")),
    Case(99, "a negative offset", "POST", REORDERS, offset("-1"), (422,)),
    Case(100, "an item twice in a transaction", "POST", EDITS, {"operations": [
        {"op": "moveItem", "item": "i0", "after": "i2"}, {"op": "moveItem", "item": "i0", "after": "i1"}]}, (200,),
        check=ids("i1", "i0", "i2")),
    Case(101, "an id twice in a new list", "PUT", LIST, {"sections": [
        {"id": "s", "items": [{"id": "a"}, {"id": "a"}]}]}, (422,)),
    Case(102, "an item into its own child", "POST", EDITS, {"operations": [
        {"op": "appendItems", "items": [{"id": "c"}], "parent": "i0"},
        {"op": "moveItem", "item": "i0", "parent": "c"}]}, (409, 422)),
    Case(103, "no operations", "POST", EDITS, {"operations": []}, (200,), check=unchanged),
    Case(104, "too many operations", "POST", EDITS, {"operations": [{"op": "starItems", "items": ["i0"]}] * 10_001},
         (413,), check=problem("too_many_operations")),
    edit(105, "a move that moves nothing", {"op": "moveItem", "item": "i0", "before": "i1"}, (200,), unchanged),
    *[Case(109, f"a key that is {kind}", "PUT", STAR, None, (400,), headers=(("Idempotency-Key", key),),
           check=problem("bad_idempotency_key"))
      for kind, key in [("empty", ""), ("too long", "k" * 256), ("not of ASCII", "\u00e9")]],
    Case(111, "If-Match of another version", "PUT", STAR, None, (412,), headers=(("If-Match", '"k-1"'),)),
    Case(114, "a list after its deletion", "GET", "/v1/lists/gone", None, (404,)),
]


def same(server, method, path, first, second):
    """The answers to two requests, each of a body and headers."""
    return [server.ask(method, path, *request) for request in (first, second)]


def repeated(server):
    key = (("Idempotency-Key", "same"),)
    first, second = same(server, "POST", f"{ITEMS}/i0/star", (None, key), (None, key))
    assert (first.status, second.status) == (200, 200), (first.body, second.body)
    assert second.headers.get("idempotency-replayed") == "true", second.headers
    assert first.headers["list-version"] == second.headers["list-version"], "it was done twice"


def reused(server):
    headers = (JSON, ("Idempotency-Key", "reused"))
    _, second = same(server, "PATCH", LIST, ({"title": "a"}, headers), ({"title": "b"}, headers))
    assert second.status == 422 and second.json["code"] == "key_reused", second.body
    assert server.ask("GET", LIST).json["title"] == "a"


def independent(server):
    server.ask("PUT", "/v1/lists/other", {"sections": [{"id": "s", "items": [{"id": "i0"}]}]})
    key = (("Idempotency-Key", "two lists"),)
    first = server.ask("PUT", STAR, None, key)
    second = server.ask("PUT", "/v1/lists/other/items/i0/star", None, key)
    assert (first.status, second.status) == (200, 200) and "idempotency-replayed" not in second.headers, second.headers


def in_flight(server):
    """Many requests with one key at once: one is done, and each other one gets its answer or is told to wait."""
    data = (f"POST {ITEMS}/i0/star HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: busy\r\nContent-Length: 0\r\n"
            "Connection: close\r\n\r\n").encode()
    connections = [server.connect() for _ in range(20)]
    for connection in connections:
        connection.sendall(data)
    answers = [parsed(received(connection)) for connection in connections]
    for answer in answers:
        assert answer.status == 200 or answer.status == 409 and "retry-after" in answer.headers, answer.body
    assert len({answer.headers["list-version"] for answer in answers if answer.status == 200}) == 1


def known(server):
    tag = server.ask("GET", LIST).headers["etag"]
    answer = server.ask("GET", LIST, None, (("If-None-Match", tag),))
    assert answer.status == 304 and not answer.body, answer.status


def missing_precondition(server):
    """No write needs a precondition, so 428 is no answer of this server."""
    assert server.ask("PATCH", LIST, {"title": "x"}).status == 200


def followed_to_the_end(server):
    connection = events(server, LIST + "/changes")
    assert server.ask("DELETE", LIST).status in (200, 204)
    data = received(connection)
    assert b"event: gone" in data, data[-300:]


def deleted_for_good(server):
    assert server.ask("DELETE", f"{LIST}?purge=true").status in (200, 204)
    assert server.ask("GET", LIST).status == 404
    server.restart()
    assert server.ask("GET", LIST).status == 404, "the list has come back"


def events(server, path, *headers):
    connection = server.connect()
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n{lines}\r\n".encode())
    return connection


def resets(server, last):
    """A stream that begins after `last` starts over, once."""
    connection = events(server, f"{LIST}/changes", *([("Last-Event-ID", last)] if last is not None else []))
    data = b""
    while b"event: reset" not in data:
        piece = connection.recv(1 << 16)
        assert piece, data
        data += piece
    server.ask("POST", f"{ITEMS}/i1/star")
    while b"event: change" not in data:
        piece = connection.recv(1 << 16)
        assert piece, data
        data += piece
    connection.close()
    assert data.count(b"event: reset") == 1, data


def older_than_history(server):
    version = server.ask("HEAD", LIST).headers["list-version"]
    for _ in range(30):
        server.ask("POST", f"{ITEMS}/i0/star")
    resets(server, version)


def beyond_the_end(server):
    epoch = server.ask("HEAD", LIST).headers["list-version"].partition("-")[0]
    for last in [f"{epoch}-99", "none", "", "x-1", "-1"]:
        resets(server, last)


def shorter_than_its_length(server):
    """The client ends its side in the middle of a body. Nothing is done, and the server closes by its deadline."""
    with server.connect() as connection:
        connection.sendall(b"PATCH /v1/lists/victim HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                           b"Content-Length: 100\r\n\r\n{\"title\":\"cut\"}")
        connection.shutdown(socket.SHUT_WR)
        answer = parsed(received(connection))
    assert answer.status in (0, 400, 408), answer.status
    assert server.ask("GET", LIST).json.get("title") != "cut"


def cut_anywhere(server):
    """A request that is cut at each of its bytes. Only the whole one is done."""
    body = b'{"title":"cut"}'
    request = (b"PATCH /v1/lists/victim HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(body)) + body
    for end in range(len(request)):
        connection = server.connect()
        connection.sendall(request[:end])
        connection.close()
    assert server.ask("GET", LIST).json.get("title") != "cut"
    with server.connect() as connection:
        connection.sendall(request)
        assert b" 200 OK" in connection.recv(1 << 16)[:20]


SCRIPTS = [
    (57, "a body that is shorter than its length", shorter_than_its_length),
    (58, "a request cut at each byte", cut_anywhere),
    (106, "the same request twice with one key", repeated),
    (107, "another request with the same key", reused),
    (108, "twenty requests with one key at once", in_flight),
    (110, "a key on another list", independent),
    (111, "a write without a precondition", missing_precondition),
    (112, "If-None-Match of the present version", known),
    (113, "a deletion that a stream follows", followed_to_the_end),
    (114, "a deletion for good, and a restart", deleted_for_good),
    (115, "Last-Event-ID from before the history", older_than_history),
    (116, "Last-Event-ID from the future, and other texts", beyond_the_end),
]
CASES = MEDIA + UNICODE + STATE
OPTIONS = ["--history-versions-max", "10", "--request-deadline-seconds", "3"]


def victim(server):
    server.ask("DELETE", f"{LIST}?purge=true")
    answer = server.ask("PUT", LIST, {"sections": [{"id": "s", "items": [{"id": f"i{n}"} for n in range(3)]}]})
    if answer.status != 201:
        raise RuntimeError(f"PUT of the list: {answer.status} {answer.body[:300]}")


def try_case(server, case):
    """The status, and the faults."""
    body = case.body(server) if callable(case.body) else case.body
    before = server.ask("HEAD", LIST).headers["list-version"]
    answer = server.ask(case.method, case.path, body, case.headers)
    faults = [] if answer.status in case.statuses else [f"answered {answer.status} {answer.body[:200]}"]
    if answer.status >= 400:
        if not case.writes and server.ask("HEAD", LIST).headers["list-version"] != before:
            faults.append("the refused request has changed the list")
        if answer.headers.get("content-type") != "application/problem+json":
            faults.append(f"the refusal is {answer.headers.get('content-type')}")
        elif json.loads(answer.body)["status"] != answer.status:
            faults.append("the problem has another status")
    if case.check and not faults:
        case.check(answer, server)
    return answer.status, faults


def rows(binary, wants):
    """The name of each case, its answer, and the faults."""
    wanted = [(case.number, case.name, case) for case in CASES] + list(SCRIPTS)
    wanted = [(f"{number} {name}", number, what) for number, name, what in wanted if wants(f"{number} {name}")]
    if not wanted:
        return
    with Server(binary, *OPTIONS) as server:
        for name, _, what in wanted:
            text, faults = "", []
            try:
                victim(server)
                if isinstance(what, Case):
                    text, faults = try_case(server, what)
                else:
                    what(server)
            except (AssertionError, OSError, RuntimeError, KeyError) as error:
                faults.append(f"{type(error).__name__}: {error}")
            faults += [] if server.lives() else ["the server does not answer /healthz any more"]
            yield name, str(text), faults
