"""Both checkers find nothing in a history that is right, and find each way in which it is spoiled."""
import json
import random
import types
import unittest

import linearizability
from availability import Result
from check import Check
from history import History, Read, Try, Watch, Write
from lists import OWN, SHARED, SHARED_ROWS, SECTIONS, applied, performed, start, state_of
from rounds import longest_gap

COUNT = 300


def item(row):
    name, n, is_starred = row
    return {"id": name, "kind": "item", "content": {"n": n}, **({"starred": True} if is_starred else {})}


def snapshot(state, revision):
    title, sections = state
    return {"id": "l", "title": title, "version": f"e-{revision}",
            "sections": [{"id": name, "items": [item(row) for row in rows]} for name, rows in zip(SECTIONS, sections)]}


def change(old, new, operations, revision):
    """The change set of one write."""
    made = {"list": "l", "from": f"e-{revision - 1}", "to": f"e-{revision}", "view": "items",
            "counts": {"items": sum(map(len, new[1]))}}
    word, name, *_ = operations[0]
    if old == new:
        return made | {"to": made["from"]}
    if word == "title":
        return made | {"properties": {"title": new[0]}}
    if word == "append":
        places = {row[0]: index for index, row in enumerate(old[1][OWN])}
        gone = [{"id": one, "section": OWN, "index": places[one]} for _, one in operations[1:]]
        return made | {"items": {"deleted": gone, "inserted": [
            {"section": OWN, "index": len(new[1][OWN]) - 1, "item": item(new[1][OWN][-1])}]}}
    before, after = ([row[0] for row in state[1][SHARED]].index(name) for state in (old, new))
    if word == "move":
        return made | {"items": {"moved": [{"id": name, "from": {"section": SHARED, "index": before},
                                            "to": {"section": SHARED, "index": after}}]}}
    return made | {"items": {"reconfigured": [{"section": SHARED, "index": after, "item": item(new[1][SHARED][after])}]}}


class Server:
    """A list that is served rightly, to clients whose requests overlap."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.state, self.revision, self._own = state_of(start()), 1, []
        self.history = History()
        self.history.is_whole = True
        self.history.starts["l"] = snapshot(self.state, 1)
        self.history.labels["l"] = {1: None}
        watch = Watch("v", ["l"])
        watch.entries = [("connected", ""), self._event("reset", {
            "list": "l", "to": "e-1", "reset": True, "snapshot": snapshot(self.state, 1)})]
        self.history.watches.append(watch)
        for number in range(COUNT):
            self._write(number)
        self.history.ends["l"] = snapshot(self.state, self.revision)
        self.history.shown["l"] = [snapshot(self.state, self.revision)] * 3
        watch.has_caught_up = True

    @staticmethod
    def _event(name, data):
        return "event", name, data["to"], json.dumps(data).encode()

    def _operations(self, label):
        row, other = self._random.sample(SHARED_ROWS, 2)
        word = self._random.choice(["append", "toggle", "set", "star", "unstar", "move", "title"])
        if word == "append":
            gone, self._own = self._own[:-1], [*self._own[-1:], label]
            return [("append", label, 7), *(("delete", one) for one in gone)]
        return [{"set": ("set", row, label), "title": ("title", label), "move": ("move", row, "before", other)}.get(
            word, (word, row))]

    def _write(self, number):
        label = f"w.{number}"
        write = Write("l", label, True, self._operations(label))
        new = performed(self.state, write.operations)
        changed = new != self.state
        answer = {"version": f"e-{self.revision + changed}", "changed": changed, "operations": [{"status": "applied"}],
                  "changes": change(self.state, new, write.operations, self.revision + 1)}
        assert applied(self.state, answer["changes"]) == new
        # Each write takes effect at its number, in the middle of its time, which overlaps the times of its neighbours.
        moment = number * 100
        write.tries.append(Try(moment - self._random.randrange(150), moment + self._random.randrange(150), 200, False,
                               json.dumps(answer).encode()))
        self.history.writes.append(write)
        self.state = new
        if changed:
            self.revision += 1
            self.history.labels["l"][self.revision] = label
            self.history.watches[0].entries.append(self._event("change", answer["changes"]))
        if self._random.random() < 0.2:
            self.history.reads.append(Read("l", moment + 10, moment + 20, json.dumps(
                snapshot(self.state, self.revision)).encode()))


def found(history):
    kinds = {violation.kind for violation in Check(history).violations}
    return kinds, {violation.kind for violation in linearizability.check(history)[0]}


def change_answer(one, **members):
    one.body = json.dumps(json.loads(one.body) | members).encode()


class ChecksTests(unittest.TestCase):
    def changing(self, history, word, after=100):
        """A write of a kind that has changed something."""
        return next(write for write in history.writes[after:]
                    if write.operations[0][0] == word and json.loads(write.tries[0].body)["changed"])

    def test_nothing_is_found_in_a_right_history(self):
        for seed in range(20):
            self.assertEqual(found(Server(seed).history), (set(), set()), f"seed {seed}")

    def test_an_answer_that_was_lost_is_no_fault(self):
        history = Server(1).history
        for write in history.writes[50:60]:
            write.tries[0].status = write.tries[0].body = None
        self.assertEqual(found(history), (set(), set()))

    def test_a_lost_write(self):
        """A write was acknowledged, and the list is older at the end."""
        history = Server(2).history
        history.ends["l"] = snapshot(state_of(history.ends["l"]), 5)
        self.assertIn("lost", found(history)[0])

    def test_a_write_that_did_something_else(self):
        history = Server(2).history
        write = self.changing(history, "set")
        write.operations = [("set", write.operations[0][1], "another")]
        self.assertEqual(found(history)[1], {"values"})
        self.assertIn("wrong", found(history)[0])

    def test_a_value_that_came_back(self):
        """An answer shows a number that had been overwritten, as after a write that was done twice."""
        history = Server(3).history
        first = self.changing(history, "set", 20)
        row = first.operations[0][1]
        sets = [write for write in history.writes if write.operations[0][:2] == ("set", row)]
        told = json.loads(sets[8].tries[0].body)
        told["changes"]["items"]["reconfigured"][0]["item"]["content"]["n"] = sets[1].operations[0][2]
        sets[8].tries[0].body = json.dumps(told).encode()
        versions, values = found(history)
        self.assertEqual(values, {"values"})
        self.assertIn("wrong", versions)

    def test_a_toggle_that_was_done_twice(self):
        history = Server(4).history
        write = self.changing(history, "toggle")
        history.writes.remove(write)
        versions, values = found(history)
        self.assertEqual(values, {"values"})
        self.assertIn("gap", versions)

    def test_a_version_that_two_writes_have(self):
        history = Server(5).history
        one, other = self.changing(history, "set"), self.changing(history, "toggle", 150)
        change_answer(other.tries[0], version=json.loads(one.tries[0].body)["version"])
        self.assertIn("doubled", found(history)[0])

    def test_a_label_that_the_history_has_twice(self):
        history = Server(6).history
        history.labels["l"][90] = history.labels["l"][80]
        self.assertIn("doubled", found(history)[0])

    def test_a_key_with_two_answers(self):
        history = Server(7).history
        write = self.changing(history, "append")
        write.tries.append(Try(10**6, 10**6 + 1, 200, False, write.tries[0].body))
        self.assertEqual(found(history)[0], {"forgotten"})

    def test_a_new_key_that_is_taken_for_an_old_one(self):
        history = Server(8).history
        history.writes[100].tries[0].is_replay = True
        self.assertEqual(found(history)[0], {"forgotten"})

    def test_versions_against_time(self):
        history = Server(9).history
        one = self.changing(history, "append", 200)
        one.tries[0].start, one.tries[0].end = 1, 2
        # Reads that came later are older than it.
        self.assertEqual(found(history)[0], {"order", "stale"})

    def test_a_stale_read(self):
        history = Server(10).history
        read = history.reads[5]
        read.start, read.end = 10**7, 10**7 + 1
        self.assertEqual(found(history), ({"stale"}, {"values"}))

    def test_a_read_of_memory_is_no_older_than_it_says(self):
        history = Server(10).history
        read = history.reads[5]
        for age, kinds in [(3, set()), (2, set()), (1, {"stale"}), (0, {"stale"})]:
            read.start = 3 * 10**9 + read.end
            read.end, read.age = read.start + 1, age
            self.assertEqual(found(history), (kinds, set()), age)
            read.end = read.start - 3 * 10**9

    def test_a_read_that_goes_back_behind_a_version_that_it_named(self):
        history = Server(10).history
        made = snapshot(state_of(start()), 1)
        answer = {"list": "l", "to": "e-1", "reset": True, "snapshot": made}
        history.reads.append(Read("l", -200, -100, json.dumps(answer).encode(), since="e-9", age=0))
        self.assertEqual(found(history), ({"misread"}, set()))

    def test_a_read_of_another_state(self):
        history = Server(11).history
        change_answer(history.reads[5], title="never")
        self.assertEqual(found(history)[0], {"misread"})

    def test_an_event_that_did_not_come(self):
        history = Server(12).history
        del history.watches[0].entries[40]
        self.assertEqual(found(history)[0], {"unseen"})

    def test_a_follower_that_does_not_see_the_end(self):
        history = Server(13).history
        history.watches[0].entries.pop()
        history.watches[0].has_caught_up = False
        self.assertEqual(found(history)[0], {"unseen"})

    def test_a_node_that_shows_another_list(self):
        history = Server(14).history
        state = state_of(history.ends["l"])
        history.shown["l"] = history.shown["l"][:2] + [snapshot(("other", state[1]), 1 + len(history.labels["l"]) - 1)]
        self.assertIn("unequal", found(history)[0])


class GapTests(unittest.TestCase):
    def test_the_longest_gap(self):
        second = 1_000_000_000
        for moments, gap in [([], 10), ([4], 6), ([1, 9], 8), ([9, 1, 5], 4), ([2, 3, 4], 6), ([0, 20], 10)]:
            found = longest_gap([moment * second for moment in moments], 0, 10 * second)
            self.assertEqual(found, gap, f"{moments}")


class ResultTests(unittest.TestCase):
    def test_the_result_of_a_round(self):
        one = types.SimpleNamespace(history=Server(15).history, fault=None, unavailable=1.5)
        result = Result(one)
        self.assertEqual((result.violations, result.acknowledged, result.lost), ([], COUNT, 0))
        del one.history.watches[0].entries[40]
        self.assertEqual({violation.kind for violation in Result(one).violations}, {"unseen"})


if __name__ == "__main__":
    unittest.main()
