"""The cases: how they are read, made whole, compared and shown. README.md has their format."""

import copy
import json
import pathlib

import replay

FOLDER = pathlib.Path(__file__).resolve().parent / "cases"
KINDS = ("edits", "changes", "pending")
LIST = "conformance"
TITLE = "Conformance"
"""Of a list of which a case says nothing else."""
DEFAULTS = {"starred": False, "expanded": False, "reorderable": True}
ABOUT_THE_ANSWER = ("id", "list", "version", "counts", "status", "pending", "partial", "start", "total")


class Group:
    """Cases of one kind about one thing: those of a file, or those that were made just now."""

    def __init__(self, kind, document, path=None):
        self.path, self.kind, self.name = path, kind, document["about"]
        self.cases = [{"kind": kind, "generated": "generated" in document, **case} for case in document["cases"]]


def read(kinds=KINDS, word=""):
    """The groups of some kinds, with the cases whose group or name has a word."""
    paths = [path for kind in kinds for path in sorted((FOLDER / kind).glob("*.json"))]
    return chosen([Group(path.parent.name, json.loads(path.read_text()), path) for path in paths], word)


def chosen(groups, word):
    for group in groups:
        if word not in group.name:
            group.cases = [case for case in group.cases if word in case["name"]]
    return [group for group in groups if group.cases]


def complete(case):
    """The case with all that a server would send: kinds, contents, versions and counts."""
    case = copy.deepcopy(case)
    # Of a view that shows other rows than all, the counts do not come of its rows.
    whole = counts(case["list"]["sections"]) if "list" in case else None
    case["state"] = snapshot(case["state"], "c0-1", whole)
    if case["kind"] == "edits":
        return case
    changes = case["changes"] if isinstance(case["changes"], list) else [case["changes"]]
    state, case["changes"] = case["state"], []
    for number, one in enumerate(changes, start=2):
        to = one.get("to", f"c0-{number}")
        fill(one)
        if one.get("reset"):
            now = {"list": LIST, "to": to, "view": word_of(case), **one, "snapshot": snapshot(one["snapshot"], to)}
        else:
            now = {"list": LIST, "from": state["version"], "to": to, "view": word_of(case), **one}
            now.setdefault("counts", whole or counts(replay.apply(state, now)["sections"]))
        state = replay.apply(state, now)
        case["changes"].append(now)
    return case


def snapshot(state, version, whole=None):
    fill(state)
    state.setdefault("sections", [])
    return {"id": LIST, "title": TITLE, "version": version, "counts": whole or counts(state["sections"]), **state}


def word_of(case):
    view = case.get("view", {})
    return view.get("view", "visible" if "around" in view else "items")


def fill(value):
    """Puts in the `kind` and the `content` that rows have if they do not say others."""
    if isinstance(value, list):
        for one in value:
            fill(one)
    elif isinstance(value, dict):
        rows = value.get("items", []) if isinstance(value.get("items"), list) else []
        for row in rows + ([value["item"]] if isinstance(value.get("item"), dict) else []):
            row.setdefault("kind", "item")
            row.setdefault("content", {})
        for name, one in value.items():
            if name not in ("content", "layout", "header", "footer"):
                fill(one)


def counts(sections):
    """Of a list whose rows are all there."""
    shown, visible = {}, 0
    for section in sections:
        for row in section.get("items", []):
            is_visible = "parent" not in row or shown.get(row["parent"], False)
            shown[row["id"]] = is_visible and row.get("expanded", False)
            visible += is_visible
    rows = sum(len(section.get("items", [])) for section in sections)
    return {"sections": len(sections), "items": rows, "visibleItems": visible}


def plain(state):
    """What is compared of a state: all but what is about the answer, without members at their default."""
    state = {"title": TITLE, **copy.deepcopy(state)}
    fill(state)
    kept = {name: value for name, value in state.items() if name not in ABOUT_THE_ANSWER and value not in ("", None)}
    kept["sections"] = [without_defaults(section) for section in state.get("sections", [])]
    for section in kept["sections"]:
        section["items"] = [without_defaults(row) for row in section.get("items", [])]
    return kept


def without_defaults(members):
    return {name: value for name, value in members.items()
            if value is not None and not (name in DEFAULTS and value == DEFAULTS[name])}


def difference(found, expected):
    """What is other, as text; empty if nothing is."""
    found, expected = plain(found), plain(expected)
    if same(found, expected):
        return ""
    lines = [f"expected {text(expected)}", f"found    {text(found)}"]
    if lines[0][9:] == lines[1][9:]:
        lines = [f"expected {json.dumps(expected, ensure_ascii=False, sort_keys=True)}",
                 f"found    {json.dumps(found, ensure_ascii=False, sort_keys=True)}"]
    return "\n".join(lines)


def same(one, other):
    """Whether two JSON values are equal: true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def text(state):
    """A state in short: `A: +p .q* B: z` has q below the expanded p, with a star."""
    levels, words = {}, []
    for name in ("title", "layout"):
        if state.get(name, TITLE) != TITLE:
            words.append(f"[{name} {json.dumps(state[name], ensure_ascii=False)}]")
    for section in state.get("sections", []):
        rest = {name: value for name, value in section.items() if name not in ("id", "items")}
        words.append(f"{section['id']}:" + (json.dumps(rest, ensure_ascii=False) if rest else ""))
        for row in section.get("items", []):
            levels[row["id"]] = row.get("level", levels.get(row.get("parent"), -1) + 1)
            content = row.get("content") or {}
            words.append(
                "." * levels[row["id"]] + "+" * row.get("expanded", False) + row["id"] + "*" * row.get("starred", False)
                + "!" * (not row.get("reorderable", True)) + (f"^{row['childCount']}" if "childCount" in row else "")
                + (f"~{row['kind']}" if row.get("kind", "item") != "item" else "")
                + (json.dumps(content, ensure_ascii=False, separators=(",", ":")) if content else ""))
    return " ".join(words) or "(no sections)"


def written(value, indent=0, columns=118):
    """JSON of which each part that fits stands in one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= columns or not isinstance(value, (dict, list)) or not value:
        return line
    inner = indent + 1
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: " for name in value]
        rows = [part + written(one, inner + len(part), columns) for part, one in zip(parts, value.values())]
        # What stands in several lines begins at the indentation of its member.
        rows = [row if "\n" not in row else part + written(one, inner, columns)
                for row, part, one in zip(rows, parts, value.values())]
    else:
        rows = [written(one, inner, columns) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{' ' * inner}" + f",\n{' ' * inner}".join(rows) + f"\n{' ' * indent}{closing}"
