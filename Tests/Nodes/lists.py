"""A list as the writers make it, slowly and simply: the oracle for what the servers answer.

A state is `(title, (shared rows, own rows))`. A row is `(id, n, is starred)`. States are never changed, only replaced, so
thousands of versions share their rows.
"""

SHARED, OWN = 0, 1
SECTIONS = ("shared", "own")
SHARED_ROWS = ("r0", "r1", "r2", "r3")


class Mismatch(Exception):
    """A change set does not fit the state that it is applied to, or an answer has what no writer has sent."""


def start():
    """The body of a new list."""
    return {"title": "start", "sections": [{"id": "shared", "items": [{"id": row, "content": {"n": 0}}
                                                                     for row in SHARED_ROWS]}, {"id": "own"}]}


def row_of(item):
    if not item.keys() <= {"id", "kind", "content", "starred"} or not item["content"].keys() <= {"n"}:
        raise Mismatch(f"an item that nobody has sent: {item}")
    return item["id"], item["content"].get("n"), item.get("starred", False)


def state_of(snapshot):
    sections = snapshot.get("sections", [])
    if tuple(section["id"] for section in sections) != SECTIONS:
        raise Mismatch(f"other sections: {[section['id'] for section in sections]}")
    return snapshot.get("title"), tuple(tuple(row_of(item) for item in section.get("items", ()))
                                        for section in sections)


def revision_of(version):
    epoch, _, revision = version.rpartition("-")
    return epoch, int(revision)


def applied(state, change):
    """The state after a change set or a reset (docs/contract.md section 5, rule 6)."""
    if change.get("reset"):
        return state_of(change["snapshot"])
    title, sections = state
    properties = change.get("properties", {})
    if not properties.keys() <= {"title"} or "sections" in change:
        raise Mismatch(f"a change of what nobody has changed: {change}")
    title = properties.get("title", title)
    items = change.get("items")
    if not items:
        return title, sections
    sections = [list(rows) for rows in sections]
    try:
        taken = {}
        gone = [(one["section"], one["index"], one["id"], False) for one in items.get("deleted", ())]
        gone += [(one["from"]["section"], one["from"]["index"], one["id"], True) for one in items.get("moved", ())]
        for section, index, name, is_moved in sorted(gone, reverse=True):
            row = sections[section].pop(index)
            if row[0] != name:
                raise Mismatch(f"{name} is not at {section}, {index}, where {row[0]} is")
            if is_moved:
                taken[name] = row
        come = [(one["section"], one["index"], row_of(one["item"])) for one in items.get("inserted", ())]
        come += [(one["to"]["section"], one["to"]["index"], taken[one["id"]]) for one in items.get("moved", ())]
        for section, index, row in sorted(come):
            if index > len(sections[section]):
                raise Mismatch(f"{row[0]} cannot come to {section}, {index}")
            sections[section].insert(index, row)
        for part in ("reconfigured", "reloaded"):
            for one in items.get(part, ()):
                row = row_of(one["item"])
                if sections[one["section"]][one["index"]][0] != row[0]:
                    raise Mismatch(f"{row[0]} is not at {one['section']}, {one['index']}")
                sections[one["section"]][one["index"]] = row
    except (IndexError, KeyError) as error:
        raise Mismatch(f"{type(error).__name__} {error}: {change}") from None
    state = title, tuple(map(tuple, sections))
    counted = change.get("counts", {}).get("items")
    if counted is not None and counted != sum(map(len, state[1])):
        raise Mismatch(f"{sum(map(len, state[1]))} items are counted as {counted}")
    return state


def performed(state, operations):
    """The state after the operations of a write, as work.py has them."""
    title, sections = state
    for operation in operations:
        word, *rest = operation
        if word == "title":
            title = rest[0]
        elif word == "append":
            others = tuple(row for row in sections[OWN] if row[0] != rest[0])
            sections = sections[SHARED], (*others, (rest[0], rest[1], False))
        elif word == "delete":
            sections = sections[SHARED], tuple(row for row in sections[OWN] if row[0] != rest[0])
        elif word == "move":
            sections = _moved(sections[SHARED], *rest), sections[OWN]
        else:
            sections = tuple(_with_change(row, word, rest) for row in sections[SHARED]), sections[OWN]
    return title, sections


def _moved(rows, name, side, anchor):
    row = next(row for row in rows if row[0] == name)
    others = [row for row in rows if row[0] != name]
    index = next(index for index, row in enumerate(others) if row[0] == anchor)
    others.insert(index if side == "before" else index + 1, row)
    return tuple(others)


def _with_change(row, word, rest):
    name, n, is_starred = row
    if name != rest[0]:
        return row
    return name, rest[1] if word == "set" else n, step_star(word, is_starred)


def step_star(word, is_starred):
    return {"toggle": not is_starred, "star": True, "unstar": False}.get(word, is_starred)
