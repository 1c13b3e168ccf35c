"""Requests that try to cost much more than their own size. Each is a row of one table."""
import json
import random
import urllib.parse

MARKS = "\u0301\u0327"
"""Two combining marks of different classes: in turns they are put in order by whoever compares characters."""
LIST = "/v1/lists/victim"
EDITS = f"{LIST}/transactions"
BODY_MAX = 1 << 20


class Script:
    """A list, and a request to it.

    `prepare` makes the list and returns the bytes of the rows that the request touches. `request` gives the method,
    path, body and headers. `statuses` are the allowed statuses. `check` checks the answer. A dry request must leave
    the disk as it is. The server may use `times` the bytes that are sent, touched and answered in memory, and `cpu`
    seconds of processor time. `options` are those of the server, which has a disk if `is_on_disk`.
    """

    def __init__(self, name, request, statuses=(200,), prepare=lambda server: 0, check=None, is_dry=False, times=8,
                 cpu=1.0, options=(), is_on_disk=True):
        self.name, self.request, self.statuses = name, request, statuses
        self.prepare, self.check, self.is_dry = prepare, check, is_dry
        self.times, self.cpu, self.options, self.is_on_disk = times, cpu, options, is_on_disk


# MARK: Making lists

def put(server, sections, **members):
    """PUTs the list. Returns the bytes that were put."""
    body = json.dumps({"sections": sections, **members}, ensure_ascii=False).encode()
    answer = server.ask("PUT", LIST, body)
    if answer.status not in (200, 201):
        raise RuntimeError(f"PUT of the list: {answer.status} {answer.body[:500]}")
    return len(body)


def item(name, content=None, **members):
    return {"id": name, "kind": "row", "content": content or {}, **members}


def flat(count, content=None):
    """One section `s` with this number of items. The first one is `i0`."""
    return lambda server: put(server, [{"id": "s", "items": [item(f"i{n}", content) for n in range(count)]}])


def large(count, size):
    return flat(count, {"text": "x" * size})


def marked(count, size):
    """Items whose content is one run of combining marks."""
    return flat(count, {"text": MARKS * (size // 4)})


def parent(count):
    """A parent `p` with this number of children."""
    items = [item("p")] + [item(f"c{n}", parent="p") for n in range(count)]
    return lambda server: put(server, [{"id": "s", "items": items}])


def chain(depth):
    """Items of which each is the parent of the next."""
    items = [item("i0")] + [item(f"i{n}", parent=f"i{n - 1}") for n in range(1, depth)]
    return lambda server: put(server, [{"id": "s", "items": items}])


def sections(count):
    return lambda server: put(server, [{"id": f"s{n}", "items": []} for n in range(count)])


def dressed(**members):
    """A list with one section that has large properties."""
    return lambda server: put(server, [{"id": "s", "items": [item("i0")], **members}])


# MARK: Making requests

def post(path, body):
    return lambda: ("POST", path, body() if callable(body) else body, ())


def edits(*operations, query=""):
    return post(EDITS + query, {"operations": list(operations)})


def repeated(count, *operations):
    """The operations repeatedly, `count` in all."""
    return edits(*(operations[n % len(operations)] for n in range(count)))


def get(path, *headers):
    return lambda: ("GET", path, None, headers)


def query(name, value, more="", path=LIST):
    return get(f"{path}?{name}={urllib.parse.quote(value)}{more}")


def run(size):
    """Combining marks of this number of bytes."""
    return MARKS * (size // 4)


def raw(text):
    return post(EDITS, text.encode())


WIDE = ["i%d" % n for n in range(10_000)]
ITEMS = 10_000
REFUSED = (400, 404, 406, 409, 413, 414, 415, 422, 431)


def changed(answer):
    return answer.json["changed"] is True


def shuffled(names):
    names = list(names)
    random.Random(7).shuffle(names)
    return names


# MARK: Text

TEXT = [
    Script("a member's name of combining marks", raw('{"%s":1}' % run(BODY_MAX - 64)), REFUSED),
    Script("two such names that differ at their end",
           raw('{"%sa":1,"%sb":1}' % (run(BODY_MAX // 2 - 64), run(BODY_MAX // 2 - 64))), REFUSED),
    Script("an op of combining marks", edits({"op": run(BODY_MAX - 64)}), REFUSED, flat(1)),
    Script("an id of combining marks", edits({"op": "deleteItems", "items": [run(BODY_MAX - 128)]}), REFUSED, flat(1)),
    Script("a kind of combining marks",
           edits({"op": "updateItem", "item": "i0", "kind": run(BODY_MAX - 128)}), REFUSED, flat(1)),
    Script("a title of combining marks", lambda: ("PATCH", LIST, {"title": run(BODY_MAX - 64)}, ()), REFUSED, flat(1)),
    Script("a label of combining marks",
           post(EDITS, {"label": run(BODY_MAX - 128), "operations": []}), REFUSED, flat(1)),
    Script("a base of combining marks",
           post(EDITS, {"base": run(BODY_MAX - 128), "operations": []}), REFUSED, flat(1)),
    Script("a title that is only canonically equal", lambda: ("PATCH", LIST, {"title": "e\u0301"}, ()),
           prepare=lambda server: put(server, [{"id": "s", "items": []}], title="\u00e9"), check=changed),
    Script("a layout of combining marks",
           lambda: ("PATCH", LIST, {"layout": {"kind": run(BODY_MAX - 64)}}, ()), REFUSED, flat(1)),
    Script("a layout with a member of combining marks",
           lambda: ("PATCH", LIST, {"layout": {run(60_000): 1}}, ()), REFUSED, flat(1)),
    Script("contents that are compared", edits({"op": "updateItem", "item": "i0", "content": {"text": run(65_000)}}),
           prepare=marked(1, 65_000)),
    Script("a merge of names of combining marks",
           edits({"op": "updateItem", "item": "i0", "merge": True, "content": {run(8_000): 1, run(4_000) + "a": 2}}),
           prepare=flat(1, {run(50_000) + "a": 1})),
] + [
    Script(f"{name} of combining marks", get(LIST, (name, MARKS * 1_600)),
           (200, 304, 400, 403, 406, 412, 415, 417, 422, 431), flat(1))
    for name in ["Prefer", "Accept", "Accept-Encoding", "If-None-Match", "Range", "Origin", "Host", "X-Request-Id",
                 "Connection", "Expect", "Content-Type", "Cookie", "Authorization", "Last-Event-ID"]
] + [
    Script(f"{name} with many parts", get(LIST, (name, (part * 7_000)[:6_800])),
           (200, 304, 400, 406, 412, 415, 417, 422, 431), flat(1))
    for name, part in [("Prefer", "a,"), ("Prefer", "wait=1;"), ("Accept", "*/*;q=0.1,"), ("Accept", "a/b;"),
                       ("Accept-Encoding", "gzip;q=0,"), ("If-None-Match", '"a-1",'), ("If-None-Match", 'W/"'),
                       ("Connection", "a,"), ("Cookie", ";")]
] + [
    Script(f"{name} of combining marks", query(name, run(1_200)), (200, 404, 410, 422), marked(200, 60_000))
    for name in ["view", "at", "section", "field", "kind", "sort", "starred", "limit", "cursor", "around"]
] + [
    Script("a filter of combining marks over such rows", query("filter", run(256)), prepare=marked(200, 60_000)),
    Script("a letter over rows of combining marks", query("filter", "e"), prepare=marked(200, 60_000)),
    Script("a filter that nearly matches everywhere", query("filter", "x" * 255 + "y"), prepare=large(200, 60_000)),
    Script("a sort of combining marks", query("sort", "content.text"), prepare=marked(200, 60_000)),
    Script("a sort of long numbers", query("sort", "content.n"),
           prepare=lambda server: put(server, [{"id": "s", "items": [
               item(f"i{n}", {"n": 10 ** 300 + n}) for n in range(ITEMS)]}])),
]

# MARK: JSON

JSON = [
    Script("a million brackets", raw("[" * BODY_MAX), REFUSED),
    Script("objects in objects", raw('{"a":' * (BODY_MAX // 5)), REFUSED),
    Script("a number of a million digits", raw('{"base":%s}' % ("1" * (BODY_MAX - 16))), REFUSED),
    Script("an exponent of many digits", raw('{"base":1e%s}' % ("9" * (BODY_MAX - 16))), REFUSED),
    Script("many members", raw("{" + ",".join(f'"{n}":1' for n in range(90_000)) + "}"), REFUSED),
    Script("many members of one length", raw("{" + ",".join(f'"{n:08}":1' for n in range(80_000)) + "}"), REFUSED),
    Script("a member given over and over", raw("{" + ",".join(['"a":1'] * 150_000) + "}"), REFUSED),
    Script("a long string of escapes", raw('{"label":"%s"}' % ("\\u0001" * 170_000)), REFUSED),
    Script("half a million wrong items",
           post(LIST + "/items", b'{"items":[%s]}' % b",".join([b"1"] * 500_000)), REFUSED),
    Script("items with wrong names", post(LIST + "/items", {"items": [
        {"id": f"n{n}", "contnet": {}, "x" * 60: n} for n in range(8_000)]}), REFUSED),
    Script("many small values", raw('{"operations":[%s]}' % ",".join(["1"] * 500_000)), REFUSED),
    Script("a content of many members",
           edits({"op": "updateItem", "item": "i0", "content": {str(n): n for n in range(5_000)}}), prepare=flat(1)),
]

# MARK: Transactions that come back to the same row

TRANSACTIONS = [
    Script(f"{count} stars and unstars of {rows} large items", edits(*(
        {"op": ["starItems", "unstarItems"][n % 2], "items": [f"i{m}" for m in range(rows)]} for n in range(count))),
        (200, 413), large(rows, 65_000))
    for count, rows in [(901, 16), (1_101, 16), (9_999, 1), (9_999, 16)]
] + [
    Script("merges into one large content", edits(*(
        {"op": "updateItem", "item": "i0", "merge": True, "content": {"n": n}} for n in range(9_999))),
        (200, 413), large(1, 65_000)),
    Script("kinds of one large item", edits(*(
        {"op": "updateItem", "item": "i0", "kind": f"k{n}"} for n in range(9_999))), (200, 413), large(1, 65_000)),
    Script("a large item moved to and fro", repeated(
        9_999, {"op": "moveItem", "item": "i0", "after": "i1"}, {"op": "moveItem", "item": "i0", "before": "i1"}),
        (200, 413), large(2, 65_000)),
    Script("marks of large items", repeated(
        9_999, {"op": "reconfigureItems", "items": ["i0"]}, {"op": "reloadItems", "items": ["i1"]}),
        (200, 413), large(2, 65_000)),
    Script("titles of a section with a large header", edits(*(
        {"op": "updateSection", "section": "s", "title": str(n)} for n in range(9_999))),
        (200, 413), dressed(header={"text": "x" * 65_000}, footer={"text": "x" * 65_000})),
    Script("reloads of a section with a large header", repeated(9_999, {"op": "reloadSections", "sections": ["s"]}),
           (200, 413), dressed(header={"text": "x" * 65_000})),
    Script("titles of a list with a layout", edits(*({"op": "updateList", "title": str(n)} for n in range(9_999))),
           (200, 413), flat(1)),
    Script("expands and collapses of a large parent", repeated(
        9_999, {"op": "expandItems", "items": ["p"]}, {"op": "collapseItems", "items": ["p"]}),
        (200, 413), parent(ITEMS - 1)),
    Script("a large parent moved to and fro", repeated(
        9_999, {"op": "moveItem", "item": "p", "after": "z"}, {"op": "moveItem", "item": "p", "before": "z"}),
        (200, 413), lambda server: put(server, [{"id": "s", "items": [
            item("p"), *(item(f"c{n}", parent="p") for n in range(ITEMS - 2)), item("z")]}])),
    Script("a large parent moved between sections", repeated(
        9_999, {"op": "moveItem", "item": "p", "section": "t"}, {"op": "moveItem", "item": "p", "section": "s"}),
        (200, 413), lambda server: put(server, [{"id": "s", "items": [
            item("p"), *(item(f"c{n}", parent="p") for n in range(ITEMS - 2))]}, {"id": "t", "items": []}])),
    Script("children replaced over and over", edits(*(
        {"op": "replaceChildren", "parent": "p", "items": [item(f"n{n}")]} for n in range(9_999))),
        (200, 413), parent(ITEMS - 1)),
    Script("an only child replaced over and over, among many rows", edits(*(
        {"op": "replaceChildren", "parent": "i0", "items": [item(f"n{n}")]} for n in range(9_999))),
        (200, 413), flat(ITEMS)),
    Script("children replaced by the same", repeated(
        9_999, {"op": "replaceChildren", "parent": "p", "items": []}), (200, 413), parent(ITEMS - 1)),
    Script("a section applied over and over", repeated(
        5_000, {"op": "applySectionSnapshot", "section": "s", "snapshot": {"items": ["i0", "i1"]}},
        {"op": "applySectionSnapshot", "section": "s", "snapshot": {"items": ["i1", "i0"]}}),
        (200, 409, 413, 422), large(2, 65_000)),
    Script("a section moved to and fro among many", repeated(
        9_999, {"op": "moveSection", "section": "s0", "after": "s9999"},
        {"op": "moveSection", "section": "s0", "before": "s1"}), (200, 413), sections(10_000)),
    Script("sections made and deleted", repeated(
        9_998, {"op": "appendSections", "sections": [{"id": "n", "items": []}]},
        {"op": "deleteSections", "sections": ["n"]}), (200, 413), sections(10_000)),
    Script("an item made and deleted at the front", repeated(
        9_998, {"op": "insertItems", "before": "i0", "items": [item("n")]}, {"op": "deleteItems", "items": ["n"]}),
        (200, 413), flat(ITEMS)),
    Script("a list emptied", edits({"op": "deleteAllItems"}), prepare=large(200, 65_000)),
    Script("a dry run of the same", edits({"op": "deleteAllItems"}, query="?dryRun=true"), (200, 422),
           large(200, 65_000)),
]

# MARK: Many rows

ROWS = [
    Script("all sections deleted at once", edits({"op": "deleteAllItems"}), prepare=sections(10_000)),
    Script("all sections deleted one by one", edits(*(
        {"op": "deleteSections", "sections": [f"s{n}"]} for n in range(9_999))), (200, 413), sections(10_000)),
    Script("all sections deleted by name", edits(
        {"op": "deleteSections", "sections": [f"s{n}" for n in shuffled(range(10_000))]}), prepare=sections(10_000)),
    Script("many sections appended", edits(
        {"op": "appendSections", "sections": [{"id": f"n{n}", "items": []} for n in range(20_000)]}),
        (200, 413), flat(1)),
    Script("all items deleted by name", edits({"op": "deleteItems", "items": shuffled(WIDE)}), prepare=flat(ITEMS)),
    Script("all items moved one by one", edits(*(
        {"op": "moveItem", "item": name, "before": "i0"} for name in shuffled(WIDE[1:]))), (200, 413), flat(ITEMS)),
    Script("a final order", post(f"{LIST}/reorders", {"sections": {"s": {"final": shuffled(WIDE)}}}),
           prepare=flat(ITEMS)),
    Script("a final order turned round", post(f"{LIST}/reorders", {"sections": {"s": {"final": WIDE[::-1]}}}),
           prepare=flat(ITEMS)),
    Script("a deep outline expanded", edits({"op": "expandItems", "items": WIDE}), (200, 409, 413), chain(ITEMS)),
    Script("a deep outline moved", edits({"op": "moveItem", "item": "i5000", "before": "i0"}), (200, 409),
           chain(ITEMS)),
    Script("a deep outline taken apart", edits(*(
        {"op": "moveItem", "item": name, "section": "s"} for name in WIDE[1:])), (200, 413), chain(ITEMS)),
    Script("a deep outline deleted by name", edits({"op": "deleteItems", "items": WIDE}), prepare=chain(ITEMS)),
    Script("a deep outline as it is seen", query("view", "visible"), prepare=chain(ITEMS)),
    Script("a deep outline, filtered", query("filter", "x"), prepare=chain(ITEMS)),
    Script("a parent filled at its front", edits(*(
        {"op": "insertItems", "before": "c0", "items": [item(f"n{n}")]} for n in range(9_999))), (200, 413),
        parent(ITEMS - 1)),
    Script("a window", query("around", "i5000"), prepare=flat(ITEMS)),
    Script("many sections asked for", get(f"{LIST}?" + "&".join(f"section=s{n}" for n in range(600))), (200, 414, 431),
           sections(10_000)),
    Script("many rows expanded by the viewer", get(f"{LIST}?view=visible&" + "&".join(
        f"expanded=i{n}" for n in range(500))), (200, 414, 431), chain(ITEMS)),
    Script("many lists followed", get("/v1/changes?" + "&".join(f"list=l{n}" for n in range(700)),
                                      ("Accept", "text/event-stream")), (422, 400, 414, 431)),
]

ALL = [("text", TEXT), ("JSON", JSON), ("transactions", TRANSACTIONS), ("rows", ROWS)]
