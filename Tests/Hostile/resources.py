"""Requests that use much of one resource: values in views, lists by title, subscriptions, dry runs."""
import json
import urllib.parse

from scripts import (
    BODY_MAX, ITEMS, LIST, REFUSED, TRANSACTIONS, Script, chain, flat, get, item, large, marked, post, query, run)

MANY = 1_100
"""Lists: more than one request looks at."""


# MARK: Values

def values(*conditions, more=""):
    """A request for the rows that have these values."""
    return get(f"{LIST}?" + "&".join("where=" + urllib.parse.quote(each, safe="") for each in conditions) + more)


def raw_contents(*contents):
    """Items with contents exactly as given. The first one is `i0`."""
    def prepare(server):
        items = ",".join(f'{{"id":"i{n}","content":{content}}}' for n, content in enumerate(contents))
        body = f'{{"sections":[{{"id":"s","items":[{items}]}}]}}'.encode()
        answer = server.ask("PUT", LIST, body)
        if answer.status != 201:
            raise RuntimeError(f"PUT of the list: {answer.status} {answer.body[:500]}")
        return len(body)
    return prepare


def numbers(*literals):
    return raw_contents(*(f'{{"n":{literal}}}' for literal in literals))


def nested(size):
    """Nested objects, with this number of bytes in front of the inner object on each level."""
    content = "1"
    for _ in range(30):
        content = '{"x":"%s","a":%s}' % ("x" * size, content)
    return content


def has(count):
    """A check that the answer has this number of rows."""
    return lambda answer: sum(len(section.get("items", [])) for section in answer.json["sections"]) == count


DEEP = "content." + ".".join(["a"] * 30)
LONG = ["1" + "0" * 900 + str(n) for n in range(100)]
VALUES = [
    Script("eight values of large rows", values(*(f"content.n{n}:1" for n in range(8))), prepare=large(200, 60_000)),
    Script("the same value eight times", values(*['content.text:"y"'] * 8), prepare=large(200, 60_000)),
    Script("nine values", values(*(f"content.n{n}:1" for n in range(9))), (422,), flat(1)),
    Script("hundreds of values", values(*["content.a:1"] * 300), (422,), flat(1)),
    Script("values in every way to look", values(
        *(f"content.n{n}:null" for n in range(8)),
        more="&view=visible&filter=x&field=a.b&sort=-content.n&starred=false"), prepare=chain(ITEMS)),
    Script("the end of a long path", values(f"{DEEP}:1"), prepare=raw_contents(*[nested(2_000)] * 200), check=has(200)),
    Script("a path beyond the end of all", values("content." + ".".join(["a"] * 250) + ":1"),
           prepare=raw_contents(*[nested(2_000)] * 200), check=has(0)),
    Script("the last of many members", values("content.n4999:4999"),
           prepare=flat(100, {f"n{n}": n for n in range(5_000)}), check=has(100)),
    Script("a long string", values(f'content.text:"{"x" * 490}"'), prepare=flat(ITEMS, {"text": "x" * 490}),
           check=has(ITEMS)),
    Script("a string that differs at its end", values(f'content.text:"{"x" * 489}y"'),
           prepare=flat(ITEMS, {"text": "x" * 490})),
    Script("a string of escapes", values('content.text:"%s"' % ("\\u0001" * 80)),
           prepare=flat(200, {"text": "\u0001" * 10_000})),
    Script("a string of combining marks", values(f'content.text:"{run(480)}"'), prepare=marked(200, 60_000)),
    Script("a string that is only canonically equal", values('content.text:"e\u0301"'),
           prepare=flat(1, {"text": "\u00e9"}), check=has(0)),
    Script("a path of combining marks", values(f"content.{run(480)}:1"), prepare=flat(200, {run(50_000): 1})),
    Script("a number beyond all", values("content.n:1e400"),
           prepare=numbers("1e400", "10e399", "1" + "0" * 400, "1e401", "-1e400"), check=has(3)),
    Script("a number below all", values("content.n:-1e-400"),
           prepare=numbers("-1e-400", "-0.1e-399", "0", "-1e-401", "1e-400"), check=has(2)),
    Script("an exponent of many digits among values", values("content.n:1e%s" % ("9" * 480)),
           prepare=numbers(*["-1e-" + "9" * 900] * ITEMS), check=has(0)),
    Script("a number of many digits among such", values("content.n:1%s" % ("0" * 480)),
           prepare=numbers(*(LONG[n % 100] for n in range(ITEMS))), check=has(0)),
    Script("values of what changed", get(f"{LIST}/changes?" + "&".join(f"where=content.n{n}:null" for n in range(8))),
           prepare=large(200, 60_000)),
    Script("a member twice in the contents", post(f"{LIST}/items", b'{"items":[{"content":{"a":1,"a":1}}]}'), (400,),
           flat(1)),
] + [
    Script(f"a value that is {kind}", values(text), (422,), flat(1))
    for kind, text in [
        ("brackets", "content.a:" + "[" * 480), ("objects", "content.a:" + '{"a":' * 90), ("no JSON", "content.a:nul"),
        ("an object with a member twice", 'content.a:{"a":1,"a":1}'), ("half a string", 'content.a:"x'),
        ("none", "content.a:"), ("a lone surrogate", 'content.a:"\\ud800"'), ("half a number", "content.a:1e"),
        ("dots", "content." + "." * 400 + ":1"), ("too long", f'content.a:"{"x" * 600}"'), ("two", "content.a:1 1"),
        ("no path", "content:1"), ("of no content", "id:1")]
]


# MARK: Lists

def many_lists(size):
    """Lists whose titles are combining marks of this number of bytes."""
    def prepare(server):
        title = run(size)
        for n in range(MANY):
            answer = server.ask("PUT", f"/v1/lists/l{n}", {"title": title})
            if answer.status != 201:
                raise RuntimeError(f"PUT of a list: {answer.status} {answer.body[:500]}")
        return MANY * len(title.encode())
    return prepare


LISTS = [
    Script("a filter of combining marks over such titles", query("filter", run(252) + "xx", path="/v1/lists"),
           prepare=many_lists(4_096)),
    Script("all lists", query("limit", "1000", path="/v1/lists"), prepare=many_lists(4)),
    Script("a filter that is too long", query("filter", "x" * 257, path="/v1/lists"), (422,)),
    Script("a filter twice", query("filter", "x", "&filter=y", path="/v1/lists"), (422,)),
    Script("a filter of deleted lists", query("filter", run(256), "&deleted=true", path="/v1/lists")),
    Script("a cursor of combining marks", query("cursor", run(1_200), path="/v1/lists"), REFUSED),
]


# MARK: Ids by the server

def several(count, text, around):
    return (around % ",".join([text] * count)).encode()


ROW_BYTES = 128
"""A row that is made counts as so many, however short it is: the server counts it so itself."""


def made(count, prepare=lambda server: 0):
    return lambda server: prepare(server) + count * ROW_BYTES


UNNAMED = several(100_000, "{}", '{"items":[%s]}')
MADE = [
    Script("many items without ids", post(f"{LIST}/items", UNNAMED), (201,), made(100_000, flat(1))),
    Script("many items without ids, to be told little",
           lambda: ("POST", f"{LIST}/items", UNNAMED, (("Prefer", "return=minimal"),)), (201,),
           made(100_000, flat(1))),
    Script("a dry run of many items without ids", post(f"{LIST}/items?dryRun=true", UNNAMED),
           prepare=made(100_000, flat(1)), is_dry=True),
    Script("many items that lack their ids",
           post("/v1/lists", several(1_000_000, "{}", '{"sections":[{"id":"s","items":[%s]}]}')), (422,)),
    Script("many sections that lack their ids",
           post("/v1/lists", several(1_000_000, "{}", '{"sections":[%s]}')), (422,)),
    Script("an id of combining marks for a list", post("/v1/lists", {"id": run(BODY_MAX - 64)}), (422,)),
]


# MARK: Subscriptions

LATER = ("Prefer", "respond-async")


def followed(body, path="/v1/changes"):
    return lambda: ("POST", path, body if isinstance(body, bytes) else json.dumps(body).encode(), (LATER,))


def names(count):
    return [{"list": f"{n:064}"} for n in range(count)]


FOLLOWED = [
    Script("a hundred lists with long names that are not there", followed({"lists": names(100)}), (201,)),
    Script("a hundred and one lists", followed({"lists": names(101)}), (422,)),
    Script("thousands of lists", followed({"lists": names(3_000)}), (422,)),
    Script("one list over and over", followed({"lists": [{"list": "victim"}] * 100}), (422,), flat(1)),
    Script("one list thousands of times", followed({"lists": [{"list": "a"}] * 15_000}), (422,)),
    Script("lists that are none", followed({"lists": [{"list": run(40_000)}]}), (422,)),
    Script("versions that are none", followed({"lists": [{"list": "a", "since": "k-" + "9" * 200_000}]}), (422,)),
    Script("eight values to follow", followed(
        {"lists": names(100), "where": [f"content.n{n}:1" for n in range(8)]}), (201,)),
    Script("thousands of values to follow", followed({"lists": names(1), "where": ["content.n:1"] * 15_000}), (422,)),
    Script("thousands of rows expanded to follow", followed(
        {"lists": names(1), "view": "visible", "expanded": [f"i{n}" for n in range(25_000)]}), (201,)),
    Script("one row expanded over and over to follow", followed(
        {"lists": names(1), "view": "visible", "expanded": ["i"] * 50_000}), (201,)),
    Script("a filter of combining marks to follow",
           followed({"lists": [{"list": "victim"}], "filter": run(256)}), (201,), marked(200, 60_000)),
    Script("thousands of members that nobody knows", followed(
        {"lists": names(1), **{f"member-{n}-{'x' * 40}": n for n in range(4_000)}}), (422,)),
    Script("lists twice", followed(b'{"lists":[{"list":"a"}],"lists":[{"list":"b"}]}'), (400,)),
    Script("brackets to follow", followed(b"[" * 262_144), (400,)),
    Script("more than may be kept", followed(b'{"lists":[{"list":"a"}]}' + b" " * 262_144), (413,)),
    Script("a name of a subscription of combining marks",
           get("/v1/changes/" + urllib.parse.quote(run(1_200)), ("Accept", "text/event-stream")), (404,)),
]


# MARK: Dry runs

def dry(script):
    """The same script as a dry run."""
    def request():
        method, path, body, headers = script.request()
        return method, f"{path}?dryRun=true", body, headers
    return Script(f"a dry run: {script.name}", request, script.statuses, script.prepare, is_dry=True)


DRY = [dry(script) for script in TRANSACTIONS if script.name in (
    "9999 stars and unstars of 16 large items", "merges into one large content",
    "expands and collapses of a large parent", "a large parent moved between sections",
    "children replaced over and over", "sections made and deleted")] + [
    Script("a dry run of a deletion for good", lambda: ("DELETE", f"{LIST}?dryRun=true&purge=true", None, ()),
           prepare=large(200, 65_000), is_dry=True),
    Script("a dry run of a whole list", lambda: ("PUT", f"{LIST}?dryRun=true", {"sections": []}, ()),
           prepare=large(200, 65_000), is_dry=True),
    Script("a dry run of a new list", lambda: ("POST", "/v1/lists?dryRun=true", {"sections": [
        {"id": "s", "items": [item(f"i{n}") for n in range(100_000)]}]}, ()), prepare=made(100_000), is_dry=True),
]
assert len(DRY) == 9


ALL = [("values", VALUES), ("lists", LISTS), ("ids", MADE), ("subscriptions", FOLLOWED), ("dry runs", DRY)]
