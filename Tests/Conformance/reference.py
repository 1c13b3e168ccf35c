"""A slow and obvious list: operations, views and differences, as docs/model.md says. It shares no code with a server, a
client, or the runner. The generator computes with it what is to come out of its cases."""

import copy

FLAGS = {"starItems": ("starred", True), "unstarItems": ("starred", False),
         "expandItems": ("expanded", True), "collapseItems": ("expanded", False)}
OPERATIONS = ("moveItem", "insertItems", "appendItems", "deleteItems", "deleteAllItems", "updateItem", "appendSections",
              "insertSections", "deleteSections", "moveSection", "updateSection", "updateList")


class NotThere(Exception):
    """An operation names what the list does not have, or asks for what no forest can be."""


class List:
    """Sections, each with its rows in depth-first order, and the other members of a list."""

    def __init__(self, sections, **members):
        self.sections, self.members = copy.deepcopy(sections), members
        for section in self.sections:
            section.setdefault("items", [])

    def copy(self):
        return List(self.sections, **self.members)

    @property
    def rows(self):
        return [row for section in self.sections for row in section["items"]]

    # MARK: Operations.

    def perform(self, operations):
        """Does operations. One that names what is not there is passed over, or done for what is there."""
        is_clean = True
        for operation in operations:
            try:
                is_clean = self.do(operation) is not False and is_clean
            except NotThere:
                is_clean = False
        return is_clean

    def do(self, operation):
        name = operation["op"]
        if name in FLAGS:
            flag, value = FLAGS[name]
            return self.each(operation["items"], lambda row: self.give(row, {flag: value}))
        if name not in OPERATIONS:
            raise NotThere
        return getattr(self, name)(**{key: value for key, value in operation.items() if key != "op"})

    def each(self, ids, act):
        known = [id for id in ids if self.has(id)]
        for id in known:
            # A parent may have taken its child with it.
            if self.has(id):
                act(self.row(id))
        return len(known) == len(ids)

    def give(self, row, members):
        for name, value in members.items():
            if value is False and name in ("starred", "expanded"):
                row.pop(name, None)
            else:
                row[name] = value

    def moveItem(self, item, **place):
        taken = self.subtree(self.row(item))
        self.check(place)
        if self.is_inside(taken, place):
            raise NotThere
        self.take(taken)
        self.put(taken, place)

    def insertItems(self, items, **place):
        self.check(place)
        last, is_clean = None, True
        for item in items:
            members = {"id": item} if isinstance(item, str) else copy.deepcopy(item)
            parent = members.pop("parent", None)
            target = {"parent": parent} if parent else {"after": last} if last else place
            if not self.has(members["id"]) and isinstance(item, str):
                is_clean = False
                continue
            rows = [{"kind": "item", "content": {}, **members}]
            if self.has(members["id"]):
                rows = self.subtree(self.row(members["id"]))
                if self.is_inside(rows, target):
                    is_clean = False
                    continue
                self.give(rows[0], members)
                self.take(rows)
            self.put(rows, target)
            last = last if parent else members["id"]
        return is_clean

    appendItems = insertItems

    def deleteItems(self, items):
        return self.each(items, lambda row: self.take(self.subtree(row)))

    def updateItem(self, item, merge=False, **members):
        row = self.row(item)
        if merge:
            members["content"] = merged(row["content"], members["content"])
        self.give(row, copy.deepcopy(members))

    def deleteAllItems(self):
        self.sections = []

    def appendSections(self, sections):
        self.make(sections, len(self.sections))

    def insertSections(self, sections, before):
        self.make(sections, self.index(before))

    def make(self, sections, at):
        for index, section in enumerate(sections):
            members = {"id": section} if isinstance(section, str) else section
            self.sections.insert(at + index, {**members, "items": []})
            self.insertItems(members.get("items", []), section=members["id"])

    def deleteSections(self, sections):
        known = [section for section in self.sections if section["id"] in sections]
        self.sections = [section for section in self.sections if section not in known]
        return len(known) == len(sections)

    def moveSection(self, section, before):
        moved, _ = self.sections[self.index(section)], self.index(before)
        self.sections.remove(moved)
        self.sections.insert(self.index(before), moved)

    def updateSection(self, section, **members):
        self.sections[self.index(section)].update(members)

    def updateList(self, **members):
        self.members.update(members)

    # MARK: Places.

    def has(self, id):
        return any(row["id"] == id for row in self.rows)

    def row(self, id):
        for row in self.rows:
            if row["id"] == id:
                return row
        raise NotThere

    def home(self, row):
        return next(section for section in self.sections if row in section["items"])

    def index(self, section):
        for index, one in enumerate(self.sections):
            if one["id"] == section:
                return index
        raise NotThere

    def subtree(self, row):
        ids, found = {row["id"]}, [row]
        for other in self.home(row)["items"]:
            if other.get("parent") in ids:
                ids.add(other["id"])
                found.append(other)
        return found

    def take(self, rows):
        for row in rows:
            self.home(row)["items"].remove(row)

    def check(self, place):
        """Whether all that a place names is there. Beside an anchor, `section` and `parent` are guards."""
        anchor = place.get("before", place.get("after"))
        if "parent" in place:
            self.row(place["parent"])
        if "section" in place:
            self.index(place["section"])
        if not self.sections:
            raise NotThere
        if anchor is None:
            return
        row = self.row(anchor)
        guards = {"section": self.home(row)["id"], "parent": row.get("parent")}
        if any(name in place and place[name] != guard for name, guard in guards.items()):
            raise NotThere

    def is_inside(self, rows, place):
        """Whether a place is within a subtree."""
        return place.get("before", place.get("after", place.get("parent"))) in [row["id"] for row in rows]

    def put(self, rows, place):
        """Puts a subtree, which was taken out, at a place."""
        anchor = place.get("before", place.get("after"))
        if anchor is not None:
            row = self.row(anchor)
            items, parent = self.home(row)["items"], row.get("parent")
            at = items.index(row) + (0 if "before" in place else len(self.subtree(row)))
        elif "parent" in place:
            row = self.row(place["parent"])
            items, parent = self.home(row)["items"], row["id"]
            at = items.index(row) + (1 if place.get("at") == "first" else len(self.subtree(row)))
        else:
            section = self.sections[self.index(place["section"]) if "section" in place else -1]
            items, parent = section["items"], None
            at = 0 if place.get("at") == "first" else len(items)
        rows[0].pop("parent", None)
        if parent is not None:
            rows[0]["parent"] = parent
        items[at:at] = rows


def merged(target, patch):
    result = dict(target)
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            result[name] = merged(result[name] if isinstance(result.get(name), dict) else {}, value)
        else:
            result[name] = value
    return result


# MARK: Views.


def view(sections, view=None, expanded=None, around=None, before=20, after=60, **selection):
    """The rows that a view shows, as sections."""
    view = view or ("visible" if around is not None else "items")
    rows = {row["id"]: row for section in sections for row in section["items"]}
    shown = [{**section, "items": [dict(row) for row in section["items"]]} for section in sections]
    if view == "visible":
        shown = [{**section, "items": visible(section["items"], rows, expanded)} for section in sections]
    for name, value in selection.items():
        for section in shown:
            section["items"] = [row for row in section["items"] if SELECTIONS[name](row, value)]
    if selection:
        there = {row["id"] for section in shown for row in section["items"]}
        for section in shown:
            for row in section["items"]:
                if row.get("parent") not in there:
                    row.pop("parent", None)
    return window(shown, around, before, after) if around is not None else shown


def visible(items, rows, expanded):
    result = []
    for row in items:
        shown = dict(row)
        if expanded is not None:
            shown.pop("expanded", None)
            if row["id"] in expanded:
                shown["expanded"] = True
        ancestors, above = [], row.get("parent")
        while above is not None:
            ancestors.append(above)
            above = rows[above].get("parent")
        is_open = [rows[id].get("expanded", False) if expanded is None else id in expanded for id in ancestors]
        children = sum(other.get("parent") == row["id"] for other in items)
        if all(is_open):
            result.append({**shown, "level": len(ancestors), **({"childCount": children} if children else {})})
    return result


def window(sections, around, before, after):
    """The row `around` must be shown."""
    ids = [row["id"] for section in sections for row in section["items"]]
    at = ids.index(around)
    kept = set(ids[max(0, at - before):at + after + 1])
    return [{**section, "items": [row for row in section["items"] if row["id"] in kept]} for section in sections]


SELECTIONS = {
    "filter": lambda row, text: any(text.lower() in value.lower() for value in texts(row["content"])),
    "starred": lambda row, value: row.get("starred", False) == value,
    "kind": lambda row, value: row["kind"] == value,
}


def texts(value):
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for child in children for text in texts(child)]


# MARK: Differences.


def difference(old, new):
    """A change set between two states, without versions. Of the sets with the fewest moves it is any."""
    old_at = {section["id"]: index for index, section in enumerate(old)}
    new_at = {section["id"]: index for index, section in enumerate(new)}
    before, after = places(old), places(new)
    sections = {"deleted": [{"id": id, "index": index} for id, index in reversed(old_at.items()) if id not in new_at],
                "inserted": [{"index": new_at[one["id"]], "section": one} for one in new if one["id"] not in old_at]}
    kept = [one["id"] for one in new if one["id"] in old_at]
    stay = longest([old_at[id] for id in kept])
    sections["moved"] = [{"id": id, "from": old_at[id], "to": new_at[id]}
                         for index, id in enumerate(kept) if index not in stay]
    sections["reconfigured"] = [{"index": new_at[id], "section": values(new[new_at[id]])}
                                for id in kept if values(new[new_at[id]]) != values(old[old_at[id]])]
    stays = set()
    for id in kept:
        common = [row["id"] for row in new[new_at[id]]["items"] if before.get(row["id"], (None,))[0] == id]
        stays |= {common[index] for index in longest([before[one][1] for one in common])}
    items = {"deleted": [], "inserted": [], "moved": [], "reconfigured": [], "reloaded": []}
    for id, (home, index, _) in before.items():
        if home in new_at and (id not in after or after[id][0] not in old_at):
            items["deleted"].insert(0, {"id": id, "section": old_at[home], "index": index})
    for id, (home, index, row) in after.items():
        place = {"section": new_at[home], "index": index}
        if home not in old_at:
            continue
        if id not in before or before[id][0] not in new_at:
            items["inserted"].append({**place, "item": row})
            continue
        old_home, old_index, old_row = before[id]
        if id not in stays:
            items["moved"].append({"id": id, "from": {"section": old_at[old_home], "index": old_index}, "to": place})
        if old_row != row:
            items["reloaded" if old_row["kind"] != row["kind"] else "reconfigured"].append({**place, "item": row})
    filled = {name: {part: entries for part, entries in parts.items() if entries}
              for name, parts in (("sections", sections), ("items", items))}
    return {name: parts for name, parts in filled.items() if parts}


def places(sections):
    return {row["id"]: (section["id"], index, row)
            for section in sections for index, row in enumerate(section["items"])}


def values(section):
    return {name: value for name, value in section.items() if name != "items"}


def longest(numbers):
    """The indexes of a longest ascending sequence, in quadratic time."""
    best = []
    for index, number in enumerate(numbers):
        runs = [best[other] for other in range(index) if numbers[other] < number]
        best.append(max(runs, key=len, default=[]) + [index])
    return set(max(best, key=len, default=[]))
