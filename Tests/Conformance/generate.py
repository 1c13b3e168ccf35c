#!/usr/bin/env python3
"""Makes the generated cases. Their expectations are computed by reference.py.

    python3 Tests/Conformance/generate.py            writes the files
    python3 Tests/Conformance/generate.py --check    fails if a file is another than it would write
"""

import argparse
import copy
import json
import random
import sys

import cases
import reference

WORDS = ["apple", "Pear", "plum", "Pineapple", "fig"]
KINDS = ["item", "card"]
VIEWS = [{}, {"view": "visible"}, {"view": "visible", "expanded": ["a", "c"]}, {"filter": "ap"}, {"starred": True},
         {"kind": "card"}, {"around": "b", "before": 2, "after": 3}]
OFTEN = ["moveItem"] * 4 + ["insert"] * 3 + ["deleteItems"] * 2 + ["updateItem", "flag"] * 2 + ["sections"]
CHANGES_OF_A_VIEW, PENDING = 9, 40


class Maker:
    """Random lists, and random operations on them, of one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self._names = iter(list("abcdefghijklmnopqrstuvwxyz") + [f"n{number}" for number in range(100)])

    def list(self):
        made = reference.List([{"id": id} for id in "ABC"[:self.random.randint(1, 3)]])
        for _ in range(self.random.randint(4, 10)):
            made.do({"op": "insertItems", "items": [self.item()], **self.place(made)})
        return made

    def item(self):
        item = {"id": next(self._names)}
        if self.random.random() < 0.5:
            item["content"] = {"name": self.random.choice(WORDS)}
        if self.random.random() < 0.3:
            item["kind"] = self.random.choice(KINDS)
        for flag in ("starred", "expanded"):
            if self.random.random() < 0.3:
                item[flag] = True
        return item

    def place(self, made):
        section = {"section": self.random.choice(made.sections)["id"]}
        if not made.rows or self.random.random() < 0.3:
            return section
        return {self.random.choice(["before", "after", "parent"]): self.random.choice(made.rows)["id"]}

    def operation(self, made):
        """An operation that can be done on a list; None if this time there is none."""
        name = self.random.choice(OFTEN)
        ids = [row["id"] for row in made.rows]
        if name == "insert":
            place = self.place(made)
            op = "insertItems" if {"before", "after"} & set(place) else "appendItems"
            return {"op": op, "items": [self.item()], **place}
        if name == "sections":
            return self.operation_on_sections(made)
        if not ids:
            return None
        id = self.random.choice(ids)
        if name == "moveItem":
            place = self.place(made)
            at = {"at": self.random.choice(["first", "last"])} if {"section", "parent"} & set(place) else {}
            return {"op": name, "item": id, **place, **at}
        if name == "updateItem":
            members = self.random.choice([
                {"content": {"name": self.random.choice(WORDS)}}, {"kind": self.random.choice(KINDS)},
                {"content": {"more": self.random.choice(WORDS)}, "merge": True}])
            return {"op": name, "item": id, **members}
        op = name if name == "deleteItems" else self.random.choice(list(reference.FLAGS))
        return {"op": op, "items": self.random.sample(ids, min(len(ids), self.random.choice([1, 1, 2])))}

    def operation_on_sections(self, made):
        ids = [section["id"] for section in made.sections]
        one, other = self.random.choice(ids), self.random.choice(ids)
        choices = [{"op": "updateSection", "section": one, "title": self.random.choice(WORDS)},
                   {"op": "insertSections", "before": one,
                    "sections": [{"id": f"N{next(self._names)}", "items": [self.item()]}]}]
        if one != other:
            choices += [{"op": "moveSection", "section": one, "before": other},
                        {"op": "deleteSections", "sections": [one]}]
        return self.random.choice(choices)

    def history(self, made, count):
        """Operations that can be done one after the other, and are done."""
        done = []
        while len(done) < count:
            operation, attempt = self.operation(made), made.copy()
            if operation and attempt.perform([operation]):
                made.sections = attempt.sections
                done.append(operation)
        return done


def changes_of(seed, view):
    """A case in a view; None if the view cannot show what the seed makes."""
    maker = Maker(seed)
    before = maker.list()
    after = before.copy()
    writes = [{"body": {"operations": maker.history(after, maker.random.randint(1, 3))}} for _ in range(2)]
    try:
        old, new = reference.view(before.sections, **view), reference.view(after.sections, **view)
    except ValueError:
        return None
    changes = reference.difference(old, new)
    case = {"name": f"seed {seed}", "state": {"sections": old}, "writes": writes, "changes": changes,
            "expected": {"sections": new}}
    if view:
        changes["counts"] = cases.counts(after.sections)
        case = {"name": case["name"], "list": {"sections": before.sections}, "view": view, **case}
    return shortened(case)


def pending_of(seed, is_possible=True):
    """Pending edits. If others have not made them impossible, a server does with them what a client shows."""
    maker = Maker(seed)
    before = maker.list()
    shown, others = before.copy(), before.copy()
    pending = [{"operations": maker.history(shown, maker.random.randint(1, 2))}
               for _ in range(maker.random.randint(1, 3))]
    writes = [{"body": {"operations": maker.history(others, maker.random.randint(1, 2))}} for _ in range(2)]
    after = others.copy()
    if all([after.perform(edit["operations"]) for edit in pending]) != is_possible:
        return None
    return shortened({
        "name": f"seed {seed}", "state": {"sections": before.sections}, "pending": pending,
        **({"writes": writes} if is_possible else {}),
        "changes": reference.difference(before.sections, others.sections), "expected": {"sections": after.sections}})


def shortened(case):
    """Without the kinds and contents that the runner puts in again."""
    case = copy.deepcopy(case)

    def shorten(value):
        if isinstance(value, list):
            return [shorten(one) for one in value]
        if not isinstance(value, dict):
            return value
        defaults = {"kind": "item", "content": {}} if "id" in value else {}
        return {name: shorten(one) for name, one in value.items() if name not in defaults or one != defaults[name]}

    return {name: value if name in ("writes", "pending") else shorten(value) for name, value in case.items()}


def first(count, make, seed=0):
    """The cases of the first seeds, behind a given one, that make one."""
    made = []
    while len(made) < count:
        seed += 1
        case = make(seed)
        if case:
            made.append(case)
    return made


def documents(of_a_view=CHANGES_OF_A_VIEW, pending=PENDING, seed=0):
    """The names of the files, and what is in them."""
    by = {"generated": "made by generate.py; reference.py computes what is expected"}
    for view in VIEWS:
        name = "-".join(view) or "items"
        yield f"changes/generated-{name}.json", {
            "about": f"generated, {json.dumps(view) if view else 'all rows'}", **by,
            "cases": first(of_a_view, lambda seed: changes_of(seed, view), seed)}
    yield "pending/generated.json", {
        "about": "generated, edits over changes of others", **by, "cases": first(pending, pending_of, seed)}
    yield "pending/generated-lost.json", {
        "about": "generated, edits that others have made impossible in part", **by,
        "cases": first(pending // 2, lambda seed: pending_of(seed, is_possible=False), seed)}


def more(count, kinds):
    """Groups of cases that no file has."""
    made = [(name.split("/")[0], document) for name, document in documents(count, count, seed=100_000)]
    return [cases.Group(kind, document) for kind, document in made if kind in kinds]


def main():
    parser = argparse.ArgumentParser(description="Makes the generated cases.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is another")
    is_check = parser.parse_args().check
    others = []
    for name, document in documents():
        path, text = cases.FOLDER / name, cases.written(document) + "\n"
        if is_check and (not path.exists() or path.read_text() != text):
            others.append(name)
        elif not is_check:
            path.write_text(text)
    if others:
        sys.exit(f"Not as generate.py makes them: {', '.join(others)}.")


if __name__ == "__main__":
    main()
