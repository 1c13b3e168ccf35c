"""Applies change sets by the rules of docs/contract.md section 5, and finds each breach of them."""

import copy

CONTENT_PARTS = ("reconfigured", "reloaded")


class Wrong(Exception):
    """A change set that breaks a rule, or does not fit the state."""


def apply(state, changes):
    """The state after a catch-up: after a change set, or a reset."""
    if changes.get("reset"):
        return copy.deepcopy(changes["snapshot"])
    old = [(section, section.get("items", [])) for section in copy.deepcopy(state.get("sections", []))]
    items, sections = changes.get("items", {}), changes.get("sections", {})
    check_parts(changes)
    # By old indexes: what goes or moves is taken out. Everything is looked up before anything is taken.
    moving = [(entry["to"], taken(old, entry["id"], entry["from"])) for entry in items.get("moved", [])]
    gone = {place(entry) for entry in items.get("deleted", [])} | {place(e["from"]) for e in items.get("moved", [])}
    for entry in items.get("deleted", []):
        taken(old, entry["id"], entry)
    rests = [[item for index, item in enumerate(rows) if (at, index) not in gone] for at, (_, rows) in enumerate(old)]
    leaving = {entry["index"] for entry in sections.get("deleted", [])} | {e["from"] for e in sections.get("moved", [])}
    for entry in sections.get("deleted", []) + [{**e, "index": e["from"]} for e in sections.get("moved", [])]:
        demand(entry["index"] < len(old) and old[entry["index"]][0]["id"] == entry["id"],
               f"section {entry['index']} is not {entry['id']}")
    for at, _ in gone:
        demand(at not in {entry["index"] for entry in sections.get("deleted", [])},
               f"items of section {at}, which is deleted, are listed")
    # By new indexes, in ascending order: sections are put in, then items.
    now = [[old[at][0], rests[at]] for at in range(len(old)) if at not in leaving]
    coming = {entry["to"]: [old[entry["from"]][0], rests[entry["from"]]] for entry in sections.get("moved", [])}
    filled = set()
    for entry in sections.get("inserted", []):
        coming[entry["index"]] = [entry["section"], list(entry["section"].get("items", []))]
        filled.add(entry["index"])
    for index in sorted(coming):
        demand(index <= len(now), f"there is no place {index} for a section")
        now.insert(index, coming[index])
    arriving = [(to, item) for to, item in moving] + [(e, e["item"]) for e in items.get("inserted", [])]
    for to, item in sorted(arriving, key=lambda each: place(each[0])):
        demand(to["section"] < len(now), f"there is no section {to['section']}")
        demand(to["section"] not in filled, f"items of section {to['section']}, which is inserted, are listed")
        demand(to["index"] <= len(now[to["section"]][1]), f"there is no place {place(to)} for {item['id']}")
        now[to["section"]][1].insert(to["index"], item)
    # Contents go last.
    for entry in sections.get("reconfigured", []):
        demand("items" not in entry["section"], "a section in `reconfigured` has items")
        now[entry["index"]][0] = renewed(now, entry["index"], entry["section"])
    for entry in sections.get("reloaded", []):
        rows = entry["section"].get("items", [])
        now[entry["index"]][0] = renewed(now, entry["index"], entry["section"])
        demand([row["id"] for row in rows] == [row["id"] for row in now[entry["index"]][1]],
               f"reloaded section {entry['index']} has other rows than the changes give it")
        now[entry["index"]][1] = list(rows)
    fresh = {place(entry) for entry in items.get("inserted", [])}
    absorbed = {entry["index"] for entry in sections.get("reloaded", [])}
    for part in CONTENT_PARTS:
        for entry in items.get(part, []):
            at, index = place(entry)
            demand(at < len(now) and index < len(now[at][1]), f"there is no row {at}.{index} in `{part}`")
            demand(now[at][1][index]["id"] == entry["item"]["id"], f"row {at}.{index} is not {entry['item']['id']}")
            demand((at, index) not in fresh, f"row {at}.{index} is inserted and in `{part}`")
            demand(at not in absorbed and at not in filled, f"row {at}.{index} is in a section that comes whole")
            now[at][1][index] = entry["item"]
    return result(state, changes, now)


def result(state, changes, now):
    after = {name: value for name, value in state.items() if name not in ("sections", "version", "counts")}
    for name, value in changes.get("properties", {}).items():
        after[name] = value
        if value is None:
            del after[name]
    after["sections"] = [{**section, "items": rows} for section, rows in now]
    names = {"version": "to", "counts": "counts"}
    after.update({name: changes[other] for name, other in names.items() if other in changes})
    ids = [row["id"] for _, rows in now for row in rows]
    demand(len(ids) == len(set(ids)), "an id is there twice")
    demand(len(now) == len({section["id"] for section, _ in now}), "a section is there twice")
    return after


def check_parts(changes):
    """Order, and no place twice (rule 1); no empty part (rule 5)."""
    for name in ("items", "sections"):
        parts = changes.get(name, {})
        demand(name not in changes or parts, f"`{name}` is empty")
        for part, entries in parts.items():
            demand(entries, f"`{name}.{part}` is empty")
        key = place if name == "items" else (lambda entry: entry if isinstance(entry, int) else entry["index"])
        spaces = {
            "old": [[key(e) for e in parts.get("deleted", [])], [key(e["from"]) for e in parts.get("moved", [])]],
            "new": [[key(e) for e in parts.get("inserted", [])], [key(e["to"]) for e in parts.get("moved", [])]],
            "content": [[key(e) for e in parts.get(part, [])] for part in CONTENT_PARTS],
        }
        for space, (first, second) in spaces.items():
            both = first + second
            demand(len(both) == len(set(both)), f"a place of `{name}` is named twice in the {space} space")
            demand(first == sorted(first, reverse=space == "old"), f"`{name}` is not in order in the {space} space")
            demand(space == "old" or second == sorted(second), f"`{name}` is not in order in the {space} space")


def renewed(now, index, section):
    demand(index < len(now) and now[index][0]["id"] == section["id"], f"section {index} is not {section['id']}")
    return {name: value for name, value in section.items() if name != "items"}


def taken(old, id, entry):
    at, index = place(entry)
    demand(at < len(old) and index < len(old[at][1]), f"there is no row {at}.{index}")
    item = old[at][1][index]
    demand(item["id"] == id, f"row {at}.{index} is {item['id']}, not {id}")
    return item


def place(entry):
    return entry["section"], entry["index"]


def demand(holds, text):
    if not holds:
        raise Wrong(text)
