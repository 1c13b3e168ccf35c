"""Each row of the tables of docs/conflicts.md is done: against a server, and with the client in JavaScript.

    LISTSTATE_SERVER=.build/debug/liststate python3 -m unittest discover -s Tests/Conformance
"""

import os
import pathlib
import re
import unittest

import cases
import client
import conformance
import server

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LISTSTATE_SERVER")
LOST = "zz-1"
"""A version of another epoch."""
PLACE = ("list", "from", "to")
"""What a change set says of its list, which the adapter is shown under another name."""


def anchored(before_or_after, anchor, guard):
    return {before_or_after: anchor, **({"section": guard} if guard else {})}


# The edits of the tables in words, and what they are as operations.
EDITS = [
    (r"star (.+)", lambda ids: {"op": "starItems", "items": ids.split()}),
    (r"unstar (.+)", lambda ids: {"op": "unstarItems", "items": ids.split()}),
    (r"expand (.+)", lambda ids: {"op": "expandItems", "items": ids.split()}),
    (r"delete section (\w+)", lambda id: {"op": "deleteSections", "sections": [id]}),
    (r"delete (.+)", lambda ids: {"op": "deleteItems", "items": ids.split()}),
    (r"move section (\w+) first", lambda id: {"op": "moveSection", "section": id, "before": "A"}),
    (r"move section (\w+) last", lambda id: {"op": "moveSection", "section": id, "after": "B"}),
    (r"move (\w+) (before|after) (\w+)(?: in (\w+))?",
     lambda id, word, anchor, guard: {"op": "moveItem", "item": id, **anchored(word, anchor, guard)}),
    (r"move (\w+) below (\w+)", lambda id, parent: {"op": "moveItem", "item": id, "parent": parent}),
    (r"add (\w+) (before|after) (\w+)(?: in (\w+))?",
     lambda id, word, anchor, guard: {"op": "insertItems", "items": [{"id": id}], **anchored(word, anchor, guard)}),
    (r"add (\w+) to (\w+)", lambda id, section: {"op": "appendItems", "items": [{"id": id}], "section": section}),
    (r"add (\w+) below (\w+)", lambda id, parent: {"op": "appendItems", "items": [{"id": id}], "parent": parent}),
    (r"set (\w+) (\w+) (\w+)",
     lambda id, name, value: {"op": "updateItem", "item": id, "content": {name: value}, "merge": True}),
    (r"put (\w+): (.+)",
     lambda section, ids: {"op": "applySnapshot", "sections": [{"id": section, "items": ids.split()}]}),
]


def request(words):
    """The request that an edit in words is."""
    if found := re.fullmatch(r"order (\w+) (.+)", words):
        return {"path": "/reorders", "body": {"sections": {found[1]: {"final": found[2].split()}}}}
    for pattern, make in EDITS:
        if found := re.fullmatch(pattern, words):
            return {"body": {"operations": [make(*found.groups())]}}
    raise AssertionError(f"What does {words!r} mean?")


def state(text):
    """The list of a text such as `A: a b* B: +p .q`."""
    sections, path = [], []
    for word in text.split():
        if word.endswith(":"):
            sections.append({"id": word[:-1], "items": []})
            continue
        found = re.fullmatch(r"(\.*)(\+?)(\w+)(\*?)", word)
        del path[len(found[1]):]
        item = {"id": found[3], **({"parent": path[-1]} if path else {})}
        item |= {**({"expanded": True} if found[2] else {}), **({"starred": True} if found[4] else {})}
        path.append(found[3])
        sections[-1]["items"].append(item)
    return {"sections": sections}


def outcome(answer):
    """What Bert is told, as the tables say it."""
    if answer.status >= 400:
        return f"{answer.status} {answer.json['code']}"
    one = answer.json["operations"][0]
    ids = one.get("items", one.get("sections", []))
    said = f"{one['status']}, {one['reason']}" if "reason" in one else one["status"]
    return f"{said}: {' '.join(ids)}" if ids and one["status"] == "partial" else said


def tables():
    """The rows of each table, by its heading."""
    page = (TOP / "docs/conflicts.md").read_text()
    for part in page.split("\n## ")[1:]:
        rows = [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
                for line in part.splitlines() if line.startswith("| `")]
        yield part.splitlines()[0], rows


class Conflicts(unittest.TestCase):
    def test_the_tables_are_read(self):
        self.assertEqual([(name, len(rows)) for name, rows in tables()], [
            ("Two edits of one version", 29), ("Bert was away for long", 8), ("Bert wants it exactly so", 3)])
        for _, rows in tables():
            for row in rows:
                self.assertEqual(len(row), 5, row)
                self.assertEqual(cases.text(state(row[0])), row[0])


@unittest.skipUnless(PROGRAM, "LISTSTATE_SERVER is not set")
class ConflictsWithAServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        process, url = conformance.served(PROGRAM)
        cls.addClassCleanup(process.stdout.close)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        cls.server = server.Server(url)
        cls.addClassCleanup(cls.server.close)

    def test_two_edits_of_one_version(self):
        self.hold_table(0, "@base")

    def test_a_lost_version(self):
        self.hold_table(1, LOST, {"onLostBase": "reapply"})

    def test_a_lost_version_is_refused_unless_it_is_asked_for(self):
        for row in list(tables())[1][1]:
            _, answer = self.done(row, LOST, {})
            self.assertEqual(outcome(answer), "409 unknown_base", row)

    def test_conditions(self):
        self.hold_table(2, "@base")

    def test_the_client_in_javascript(self):
        """With Bert's edit in its queue, the client is told of Anna's. It shows what the server will make of both, but
        for an edit that the server adjusts, which does not show until then."""
        subject = client.Adapter(f"node {TOP / 'Tests/Conformance/client.mjs'} --adapter")
        self.addCleanup(subject.close)
        held = 0
        for row in list(tables())[0][1]:
            edit = request(row[2])["body"]
            # The client makes moves of an order; it has no PUT.
            if "operations" not in edit or edit["operations"][0]["op"] == "applySnapshot":
                continue
            scene = server.Scene(self.server, {"state": state(row[0])})
            scene.write_all([request(row[1])])
            changes = {name: value for name, value in scene.changes(scene.base).items() if name not in PLACE}
            of_anna = cases.text(scene.get())
            scene.end()
            shown = subject.ask({"kind": "pending", "state": state(row[0]), "pending": [edit], "changes": changes})
            with self.subTest(row):
                self.assertEqual(cases.text(shown), of_anna if row[4].startswith("adjusted") else row[3])
            held += 1
        self.assertGreater(held, 20)

    def hold_table(self, number, base, more=None):
        for row in list(tables())[number][1]:
            with self.subTest(row):
                shown, answer = self.done(row, base, more or {})
                self.assertEqual([cases.text(shown), outcome(answer)], row[3:])

    def done(self, row, base, more):
        """The list in the end, and the answer to Bert."""
        scene = server.Scene(self.server, {"state": state(row[0])})
        try:
            scene.write_all([request(row[1])])
            condition, _, words = row[2].rpartition(": ") if re.match("strict|If-Match", row[2]) else ("", "", row[2])
            edit = request(words)
            edit["path"] = edit.get("path", "/transactions") + ("?strict=true" if condition == "strict" else "")
            if condition == "If-Match":
                edit["headers"] = {"If-Match": '"@base"'}
            else:
                edit["body"] |= {"base": base, **more}
            answer = scene.write(edit)
            return scene.get(), answer
        finally:
            scene.end()
