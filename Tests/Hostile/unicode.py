"""Random Unicode in every string of every operation, header and parameter. Twice the text may cost at most 2.5 times
the instructions."""
import random
import unicodedata
import urllib.parse

from scripts import EDITS, LIST, item, put

# MARK: Texts

def combining(random):
    """Runs of combining marks of random classes, behind a few letters."""
    marks = [chr(code) for code in range(0x0300, 0x0370) if unicodedata.combining(chr(code))]
    return "".join(random.choice("aeo") if random.random() < 0.02 else random.choice(marks) for _ in range(256))


def runs(random):
    """Two marks in turns. To sort them, each mark must be moved past half of the others."""
    return "\u0301\u0327" * 128


def composed(random):
    """Text in one of the four normalization forms."""
    letters = [chr(code) for code in range(0x00C0, 0x0250)] + [chr(code) for code in range(0xAC00, 0xAD00)]
    text = "".join(random.choice(letters) for _ in range(200))
    return unicodedata.normalize(random.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)


def anything(random):
    """Random scalars of all of Unicode."""
    codes = (random.randrange(0x20, 0x110000) for _ in range(200))
    return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)


def emoji(random):
    """Emoji with joiners, variation selectors and skin tones."""
    return "".join(random.choice("\U0001F468\U0001F469\U0001F1E9\U0001F1EA\u200d\ufe0f\U0001F3FD") for _ in range(200))


TEXTS = [combining, runs, composed, anything, emoji]


def text(kind, random, size):
    """About `size` bytes of one kind, without characters that end a JSON string."""
    piece = kind(random).replace('"', "").replace("\\", "")
    return cut((piece * (size // len(piece.encode()) + 1)).encode(), size)


def cut(data, size):
    return data[:size].decode(errors="ignore")


# MARK: Places

def operation(**members):
    return lambda text: ("POST", EDITS, {"operations": [members_of(members, text)]}, ())


def members_of(members, text):
    """The members with each `...` replaced by the text, also in lists, objects and names."""
    if members is ...:
        return text
    if isinstance(members, dict):
        return {(text if name == "TEXT" else name): members_of(value, text) for name, value in members.items()}
    if isinstance(members, list):
        return [members_of(value, text) for value in members]
    return members


def body(method, path, **members):
    return lambda text: (method, path, members_of(members, text), ())


def follow(**members):
    return lambda text: ("POST", "/v1/changes", members_of(members, text), [("Prefer", "respond-async")])


def header(name):
    return lambda text: ("GET", LIST, None, [(name, text)])


def parameter(name, path=LIST, more=""):
    return lambda text: ("GET", f"{path}?{name}={urllib.parse.quote(text)}{more}", None, ())


OPERATIONS = {
    "op": dict(op=...),
    "unknown member": dict(op="deleteAllItems", TEXT=1),
    "appendSections id": dict(op="appendSections", sections=[{"id": ...}]),
    "appendSections title": dict(op="appendSections", sections=[{"id": "n", "title": ...}]),
    "appendSections header": dict(op="appendSections", sections=[{"id": "n", "header": {"t": ...}}]),
    "insertSections before": dict(op="insertSections", sections=[{"id": "n"}], before=...),
    "deleteSections": dict(op="deleteSections", sections=[...]),
    "reloadSections": dict(op="reloadSections", sections=[...]),
    "moveSection": dict(op="moveSection", section=..., before="s"),
    "moveSection after": dict(op="moveSection", section="s", after=...),
    "updateSection title": dict(op="updateSection", section="s", title=...),
    "updateSection footer": dict(op="updateSection", section="s", footer=...),
    "updateSection layout": dict(op="updateSection", section="s", layout={"kind": ...}),
    "updateList title": dict(op="updateList", title=...),
    "appendItems id": dict(op="appendItems", items=[{"id": ..., "kind": "row", "content": {}}], section="s"),
    "appendItems kind": dict(op="appendItems", items=[{"id": "n", "kind": ..., "content": {}}], section="s"),
    "appendItems content": dict(op="appendItems", items=[{"id": "n", "kind": "row", "content": {"t": ...}}]),
    "appendItems name": dict(op="appendItems", items=[{"id": "n", "kind": "row", "content": {"TEXT": 1}}]),
    "appendItems known": dict(op="appendItems", items=[...], section="s"),
    "appendItems section": dict(op="appendItems", items=["i0"], section=...),
    "appendItems parent": dict(op="appendItems", items=["i0"], parent=...),
    "insertItems before": dict(op="insertItems", items=["i0"], before=...),
    "deleteItems": dict(op="deleteItems", items=[...]),
    "moveItem": dict(op="moveItem", item=..., before="i0"),
    "moveItem at": dict(op="moveItem", item="i0", section="s", at=...),
    "updateItem": dict(op="updateItem", item=..., content={}),
    "updateItem content": dict(op="updateItem", item="i0", content={"t": ...}),
    "updateItem merge": dict(op="updateItem", item="i0", merge=True, content={"TEXT": ...}),
    "updateItem kind": dict(op="updateItem", item="i0", kind=...),
    "starItems": dict(op="starItems", items=[...]),
    "expandItems": dict(op="expandItems", items=[...]),
    "replaceChildren parent": dict(op="replaceChildren", parent=..., items=[]),
    "replaceChildren item": dict(op="replaceChildren", parent="i0", items=[{"id": ...}]),
    "applySnapshot title": dict(op="applySnapshot", snapshot={"title": ..., "sections": []}),
    "applySectionSnapshot": dict(op="applySectionSnapshot", section=..., snapshot={"items": []}),
}

PLACES = {
    **{f"operation {name}": operation(**members) for name, members in OPERATIONS.items()},
    "base": body("POST", EDITS, base=..., operations=[]),
    "label": body("POST", EDITS, label=..., operations=[]),
    "final": body("POST", f"{LIST}/reorders", sections={"s": {"final": [...]}}),
    "reordered section": body("POST", f"{LIST}/reorders", sections={"TEXT": {"final": []}}),
    "element": body("POST", f"{LIST}/reorders", base="a-1", sections={
        "s": {"difference": {"insertions": [{"offset": 0, "element": ...}], "removals": []}}}),
    "undo": body("POST", f"{LIST}/undo", transaction=...),
    "PATCH title": body("PATCH", LIST, title=...),
    "PATCH layout": body("PATCH", LIST, layout={"kind": "grid", "cells": {"TEXT": {}}}),
    "PATCH content": body("PATCH", f"{LIST}/items/i0", content={"TEXT": ...}),
    "PUT id": body("PUT", LIST, id=..., sections=[]),
    "PUT title": body("PUT", LIST, title=..., sections=[]),
    "PUT item": body("PUT", LIST, sections=[{"id": "s", "items": [{"id": "i0", "content": {"t": ...}}]}]),
    "section PUT": body("PUT", f"{LIST}/sections/s", items=[...]),
    **{f"header {name}": header(name) for name in [
        "Prefer", "Accept", "Accept-Encoding", "If-None-Match", "X-Request-Id", "Origin", "Cookie", "Last-Event-ID",
        "Host", "Sec-Fetch-Site"]},
    **{f"parameter {name}": parameter(name) for name in [
        "view", "at", "section", "filter", "field", "kind", "sort", "starred", "limit", "cursor", "around", "unknown"]},
    "parameter since": parameter("since", f"{LIST}/changes"),
    "parameter previousFilter": parameter("previousFilter", f"{LIST}/changes", "&filter=a"),
    "parameter list": parameter("list", "/v1/changes"),
    "parameter where": parameter("where=content.t:%22x%22&where"),
    "path of a value": lambda text: ("GET", f"{LIST}?where=content.{urllib.parse.quote(text)}:1", None, ()),
    "string of a value": lambda text: ("GET", f"{LIST}?where=content.t:%22{urllib.parse.quote(text)}%22", None, ()),
    "parameter filter of lists": parameter("filter", "/v1/lists"),
    "parameter cursor of lists": parameter("cursor", "/v1/lists"),
    "parameter until": parameter("since=a-1&until", f"{LIST}/changes"),
    "POST id": body("POST", "/v1/lists?dryRun=true", id=..., sections=[]),
    "POST title": body("POST", "/v1/lists?dryRun=true", title=..., sections=[]),
    "POST item": body("POST", f"{LIST}/items?dryRun=true", items=[{"content": {"t": ...}}]),
    "restored version": body("POST", f"{LIST}/restore", version=...),
    **{f"followed {name}": follow(**members) for name, members in {
        "list": dict(lists=[{"list": ...}]),
        "since": dict(lists=[{"list": "victim", "since": ...}]),
        "filter": dict(lists=[{"list": "victim"}], filter=...),
        "value": dict(lists=[{"list": "victim"}], where=[...]),
        "row": dict(lists=[{"list": "victim"}], view="visible", expanded=[...]),
        "section": dict(lists=[{"list": "victim"}], section=[...]),
        "member": {"lists": [{"list": "victim"}], "TEXT": 1},
    }.items()},
    "path of a subscription": lambda text: ("GET", f"/v1/changes/{urllib.parse.quote(text, safe='')}", None, ()),
    "path of an item": lambda text: ("GET", f"{LIST}/items/{urllib.parse.quote(text, safe='')}", None, ()),
}
"""Where a text may stand, each a function from it to a request."""

HEAD_BYTES = [600, 60]
"""A head is bounded at some 8 KiB, and a percent-encoded byte takes three."""
BODY_BYTES = [64 << 10, 15_000]
"""Longer than any text may be, and short enough that a content with twice of it is taken."""


def sizes(place):
    return HEAD_BYTES if place.startswith(("header", "parameter", "path", "string")) else BODY_BYTES


def prepared(server):
    """A list whose rows have such texts themselves, as does a title."""
    chance = random.Random(1)
    put(server, [{"id": "s", "items": [
        item(f"i{n}", {"t": text(TEXTS[n % len(TEXTS)], chance, 2_000)}) for n in range(10)]}],
        title=text(combining, chance, 2_000))


def ratios(server, seed):
    """For each place and size, with a kind of text: the instructions for a text, those for twice the text, and the
    statuses."""
    chance = random.Random(seed)
    for place, request in PLACES.items():
        for kind, size in zip(chance.sample(TEXTS, len(sizes(place))), sizes(place)):
            long = text(kind, chance, 2 * size)
            short = cut(long.encode(), size)
            counts = []
            for given in (short, long):
                prepared(server)
                count, answer = server.instructions(*request(given))
                counts.append((count, answer.status))
            yield place, kind.__name__, counts
