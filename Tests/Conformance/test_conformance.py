"""Checks the cases, and that the runner finds what is wrong. With LISTSTATE_SERVER, also what a server does wrong.

    LISTSTATE_SERVER=.build/debug/liststate python3 -m unittest discover -s Tests/Conformance
"""

import copy
import os
import pathlib
import subprocess
import sys
import unittest

import cases
import client
import conformance
import generate
import naive
import reference
import replay
import server

FOLDER = pathlib.Path(__file__).resolve().parent
LEAST = {"edits": 60, "changes": 60, "pending": 40}
PROGRAM = os.environ.get("LISTSTATE_SERVER")


def every(*kinds):
    return [case for group in cases.read(kinds or cases.KINDS) for case in group.cases]


def adapter(fault=""):
    return client.Adapter(f"{sys.executable} -B {FOLDER / 'naive.py'} {fault}")


class TheCases(unittest.TestCase):
    def test_there_are_enough_of_each_kind(self):
        for kind, least in LEAST.items():
            self.assertGreaterEqual(len([case for case in every(kind) if not case["generated"]]), least, kind)

    def test_each_has_a_name_of_its_own(self):
        for group in cases.read():
            names = [case["name"] for case in group.cases]
            self.assertEqual(len(names), len(set(names)), group.path)

    def test_files_are_written_as_cases_writes_them(self):
        for group in cases.read():
            text = group.path.read_text()
            self.assertEqual(text, cases.written(cases.json.loads(text)) + "\n", group.path)

    def test_changes_lead_to_what_is_expected(self):
        for case in every("changes"):
            if "show" in case:
                continue
            whole = cases.complete(case)
            state = whole["state"]
            for one in whole["changes"]:
                state = replay.apply(state, one)
            self.assertEqual(cases.difference(state, case["expected"]), "", case["name"])

    def test_generated_files_are_those_that_are_made(self):
        for name, document in generate.documents():
            self.assertEqual((cases.FOLDER / name).read_text(), cases.written(document) + "\n", name)

    def test_the_slow_difference_leads_from_one_list_to_another(self):
        for seed in range(300):
            maker = generate.Maker(seed)
            before = maker.list()
            after = before.copy()
            maker.history(after, 4)
            changes = reference.difference(before.sections, after.sections)
            state = replay.apply({"sections": before.sections}, changes)
            self.assertEqual(cases.difference(state, {"sections": after.sections}), "", seed)


class TheRules(unittest.TestCase):
    """Change sets of `A: a b c, B: d` that break a rule of docs/contract.md section 5, each with what is said."""

    FIRST = {"section": 0, "index": 0}
    X, A, B = ({"item": {"id": id}} for id in "xab")
    NEW = {"inserted": [{"index": 0, "section": {"id": "N", "items": []}}]}
    ROWS = [
        ({"items": {"deleted": [{"id": "a", **FIRST}, {"id": "b", "section": 0, "index": 1}]}}, "not in order"),
        ({"items": {"deleted": [{"id": "b", **FIRST}]}}, "is a, not b"),
        ({"items": {"deleted": [{"id": "z", "section": 0, "index": 3}]}}, "there is no row 0.3"),
        ({"items": {"deleted": [{"id": "a", **FIRST}], "moved": [{"id": "a", "from": FIRST, "to": FIRST}]}},
         "twice in the old"),
        ({"items": {"inserted": [{**FIRST, **X}], "moved": [{"id": "a", "from": FIRST, "to": FIRST}]}},
         "twice in the new"),
        ({"items": {"inserted": [{"section": 0, "index": 9, **X}]}}, "there is no place"),
        ({"items": {"inserted": [{"section": 7, "index": 0, **X}]}}, "there is no section 7"),
        ({"items": {"inserted": [{**FIRST, "item": {"id": "d"}}]}}, "an id is there twice"),
        ({"items": {"inserted": [{**FIRST, **X}], "reconfigured": [{**FIRST, **X}]}}, "is inserted and in"),
        ({"items": {"reconfigured": [{**FIRST, **B}]}}, "is not b"),
        ({"items": {"reconfigured": [{**FIRST, **A}], "reloaded": [{**FIRST, **A}]}}, "twice in the content"),
        ({"items": {"deleted": []}}, "is empty"),
        ({"items": {}}, "is empty"),
        ({"items": {"deleted": [{"id": "a", **FIRST}]}, "sections": {"deleted": [{"id": "A", "index": 0}]}},
         "which is deleted, are listed"),
        ({"items": {"inserted": [{**FIRST, **X}]}, "sections": NEW}, "which is inserted, are listed"),
        ({"sections": {"deleted": [{"id": "A", "index": 1}]}}, "section 1 is not A"),
        ({"sections": {"reconfigured": [{"index": 0, "section": {"id": "A", "items": []}}]}}, "has items"),
        ({"sections": {"reloaded": [{"index": 0, "section": {"id": "A", "items": []}}]}}, "has other rows"),
        ({"sections": {"inserted": [{"index": 5, "section": {"id": "N", "items": []}}]}}, "no place 5 for a section"),
        ({"sections": {"inserted": [{"index": 2, "section": {"id": "A", "items": []}}]}}, "a section is there twice"),
    ]

    def test_a_breach_is_found(self):
        state = {"sections": [{"id": "A", "items": [{"id": id} for id in "abc"]}, {"id": "B", "items": [{"id": "d"}]}]}
        for changes, said in self.ROWS:
            with self.assertRaises(replay.Wrong, msg=changes) as raised:
                replay.apply(state, changes)
            self.assertIn(said, str(raised.exception))


def mutations(expected):
    """Expectations that are another one in one place."""
    sections = expected["sections"]
    for at, section in enumerate(sections):
        rows = section.get("items", [])
        changed = []
        if rows:
            changed = [rows[1:], [{**rows[0], "starred": not rows[0].get("starred", False)}] + rows[1:],
                       [{**rows[0], "content": {"other": 1}}] + rows[1:], rows + [{"id": "one more"}]]
        if len(rows) > 1:
            changed.append(rows[1:] + rows[:1])
        for one in changed:
            yield {**expected, "sections": sections[:at] + [{**section, "items": one}] + sections[at + 1:]}
        yield {**expected, "sections": sections[:at] + sections[at + 1:]}
        yield {**expected, "sections": sections[:at] + [{**section, "title": "other"}] + sections[at + 1:]}
    yield {**expected, "title": "other"}
    yield {**expected, "sections": sections + [{"id": "one more"}]}


class Clients(unittest.TestCase):
    def test_a_simple_client_passes(self):
        subject = adapter()
        self.addCleanup(subject.close)
        for case in every("changes", "pending"):
            self.assertEqual(client.hold(subject, case), ("", ""), case["name"])

    def test_each_fault_of_a_client_is_found(self):
        for fault in naive.FAULTS:
            subject = adapter(fault)
            found = [case["name"] for case in every("changes", "pending") if client.hold(subject, case)[0]]
            subject.close()
            by_hand = [name for name in found if not name.startswith("seed ")]
            self.assertTrue(by_hand, fault)

    def test_a_changed_expectation_is_found(self):
        subject = adapter()
        self.addCleanup(subject.close)
        count = 0
        for case in every("changes", "pending"):
            answer = subject.ask(case)
            subject_of_one = Fixed(answer)
            for expected in mutations(case["expected"]):
                changed = {name: value for name, value in case.items() if name != "settled"} | {"expected": expected}
                self.assertNotEqual(client.hold(subject_of_one, changed)[0], "", case["name"])
                count += 1
        self.assertGreater(count, 1000)

    def test_an_adapter_that_ends_or_says_no_rows_is_found(self):
        case = every("changes")[0]
        ended = client.Adapter("true")
        self.addCleanup(ended.close)
        with self.assertRaises(client.Ended):
            client.hold(ended, case)
        for answer in ({"error": "no"}, {"sections": [1]}, {"rows": []}, {"sections": {}}):
            self.assertNotEqual(client.hold(Fixed(answer), case)[0], "", answer)
        self.assertEqual(client.hold(Fixed({"skip": "no windows"}), case), ("", "no windows"))


class Fixed:
    """An adapter that always says the same."""

    def __init__(self, answer):
        self._answer = answer

    def ask(self, case):
        return self._answer


class Tampering(server.Server):
    """A server of which some answers are changed on their way."""

    def __init__(self, url, tamper):
        super().__init__(url)
        self._tamper = tamper

    def ask(self, method, path, body=None, headers=()):
        answer = super().ask(method, path, body, headers)
        answer.json = copy.deepcopy(answer.json)
        self._tamper(method, path, answer)
        return answer


def swap_places(_method, path, answer):
    for entry in changes_in(path, answer).get("items", {}).get("moved", []):
        entry["from"], entry["to"] = entry["to"], entry["from"]


def turn_deletions(_method, path, answer):
    changes_in(path, answer).get("items", {}).get("deleted", []).reverse()


def forget_contents(_method, path, answer):
    changes_in(path, answer).get("items", {}).pop("reconfigured", None)


def move_too_much(_method, path, answer):
    """Each row that was moved is deleted and inserted: right rows, but no moves."""
    items = changes_in(path, answer).get("items", {})
    for entry in items.pop("moved", []):
        items.setdefault("deleted", []).append({"id": entry["id"], **entry["from"]})
        row = {"id": entry["id"], "kind": "item", "content": {}}
        items.setdefault("inserted", []).append({**entry["to"], "item": row})
    for part, is_turned in (("deleted", True), ("inserted", False)):
        items.get(part, []).sort(key=replay.place, reverse=is_turned)


def say_it_changed(method, path, answer):
    if method != "GET" and answer.status == 200:
        answer.json["changed"] = True


def say_applied(method, path, answer):
    for outcome in answer.json.get("operations", []):
        outcome.clear()
        outcome["status"] = "applied"


def forget_warnings(_method, _path, answer):
    answer.json.pop("warnings", None)


def use_another_code(_method, _path, answer):
    if answer.status >= 400:
        answer.json["code"] = "refused"


def use_another_status(_method, _path, answer):
    answer.status = {409: 400, 422: 400}.get(answer.status, answer.status)


def count_wrong(_method, path, answer):
    if "counts" in changes_in(path, answer):
        changes_in(path, answer)["counts"]["visibleItems"] += 1


def changes_in(path, answer):
    return answer.json if "/changes" in path else answer.json.get("changes", {})


TAMPERS = (swap_places, turn_deletions, forget_contents, move_too_much, say_it_changed, say_applied, forget_warnings,
           use_another_code, use_another_status, count_wrong)


@unittest.skipUnless(PROGRAM, "LISTSTATE_SERVER is not set")
class Servers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process, cls.url = conformance.served(PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.process.kill()
        cls.process.wait()
        cls.process.stdout.close()

    def test_each_fault_of_a_server_is_found(self):
        by_hand = [case for case in every() if not case["generated"]]
        for tamper in TAMPERS:
            subject = Tampering(self.url, tamper)
            self.assertTrue(any(server.hold(subject, case)[0] for case in by_hand), tamper.__name__)
            subject.close()

    def test_a_changed_expectation_is_found(self):
        subject = server.Server(self.url)
        self.addCleanup(subject.close)
        for kind in cases.KINDS:
            for case in [case for case in every(kind) if kind == "edits" or "writes" in case][::10]:
                for changed in self.changed(case):
                    self.assertNotEqual(server.hold(subject, changed), ("", ""), changed)

    def changed(self, case):
        """A case with other expectations: of the rows, and of the answer."""
        if "answered" in str(case.get("pending")) or "refused" in str(case.get("pending")):
            return
        expected = case["expected"]
        if case["kind"] != "edits":
            rows = case.get("settled", expected)
            for other in list(mutations(rows))[:3]:
                yield {**case, "expected": other, **({"settled": other} if "settled" in case else {})}
            return
        # Without `state` the list stays as others have left it, which is not said.
        others = [] if "others" in case else list(mutations(expected.get("state", case["state"])))[:3]
        for other in others:
            yield {**case, "expected": {**expected, "state": other}}
        other_members = (
            {"status": 418}, {"code": "other"}, {"changed": not expected.get("changed", True)}, {"operations": []},
            {"warnings": [{"code": "other"}]}, {"changes": {"items": {"deleted": [{}]}}})
        for member in other_members:
            is_of_problem = expected.get("status", 200) >= 400
            if "status" in member or is_of_problem == ("code" in member):
                yield {**case, "expected": {**expected, **member}}


class TheCommand(unittest.TestCase):
    def run_with(self, *arguments):
        command = [sys.executable, "-B", FOLDER / "conformance.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def test_it_fails_if_a_client_fails_and_says_where(self):
        faulty = f"{sys.executable} -B {FOLDER / 'naive.py'} inserts-first"
        told = self.run_with("--client", faulty, "--only", "a row in the place")
        self.assertEqual(told.returncode, 1, told)
        self.assertIn("✘ client, changes", told.stdout)
        self.assertIn("a row in the place of another: expected", told.stdout)

    def test_it_fails_if_nothing_was_run(self):
        self.assertEqual(self.run_with("--client", "true", "--only", "no such case").returncode, 1)
        self.assertEqual(self.run_with().returncode, 2)
        self.assertEqual(self.run_with("--url", "http://127.0.0.1:1", "--only", "append").returncode, 1)

    def test_it_prints_whole_cases(self):
        lines = self.run_with("--print").stdout.splitlines()
        self.assertEqual(len(lines), len(every()))
        for case in map(cases.json.loads, lines):
            for section in case["state"]["sections"]:
                for row in section.get("items", []):
                    self.assertLessEqual({"id", "kind", "content"}, set(row))


if __name__ == "__main__":
    unittest.main()
