"""The second checker: the search of Wing and Gong (1993), which knows only operations, their values, and when they were
sent and answered. It knows no versions, no keys and no history of a list.

Each shared row is an object of its own: a number and a star. Linearizability is local, so the rows are searched one by
one. An operation takes effect at one moment between its first request and its answer; the search looks for an order of
all operations that explains every value that was told. Of an operation whose answer was lost nobody knows whether it has
taken effect.

Wing & Gong, Testing and verifying concurrent objects, 1993; the memory of places that were visited is Lowe's, 2017.
"""
import json

from history import Violation
from lists import SHARED_ROWS, row_of, state_of, step_star

NEVER = 1 << 63
PLACES_MAX = 300_000
"""The places after which a search is given up. A history that can be explained takes few more than it has operations."""


class Operation:
    """`end` is `NEVER` if the answer was lost. `told` is the value that the answer tells, `(n, is starred)`, and
    `has_changed` whether it says that the operation has changed it; None tells nothing."""
    __slots__ = ("start", "end", "word", "n", "told", "has_changed", "name")

    def __init__(self, start, end, word, n=None, told=None, has_changed=None, name=""):
        self.start, self.end, self.word, self.n, self.told = start, end, word, n, told
        self.has_changed, self.name = has_changed, name

    def after(self, value):
        """The value after the operation on a value; None if its answer contradicts that."""
        new = (self.n if self.word == "set" else value[0], step_star(self.word, value[1]))
        return None if self.told not in (None, new) or self.has_changed not in (None, new != value) else new


class Search:
    """Looks for an order of the operations of one object. `is_explained` is None if the search was given up.

    A place in the search is the first answered operation that has no turn yet, those behind it that had theirs, the
    operations without an answer that have taken effect, and the value."""

    def __init__(self, value, operations):
        ordered = sorted(operations, key=lambda one: one.start)
        self._answered = [one for one in ordered if one.end < NEVER]
        self._unanswered = [one for one in ordered if one.end == NEVER]
        self.places, self.stuck_at = 0, None
        self.is_explained = self._search(value)

    def _search(self, value):
        # The places of the second stack come when there are no others.
        seen, stack, later, furthest = set(), [(0, frozenset(), frozenset(), value)], [], -1
        while stack or later:
            place = self._settled(*(stack or later).pop())
            if place in seen:
                continue
            seen.add(place)
            self.places += 1
            if self.places > PLACES_MAX:
                return None
            first, done, used, value = place
            if first == len(self._answered):
                return True
            if first > furthest:
                furthest, self.stuck_at = first, self._answered[first].name
            choices, limit = self._next(first, done)
            # The last one on the stack is tried first: the one that was answered first.
            for index, operation in enumerate(self._unanswered):
                if operation.start > limit:
                    break
                new = operation.after(value)
                if index in used or new == value:
                    continue
                # It has most likely taken effect where an answer tells of it.
                is_told = any(self._answered[choice].after(new) is not None for choice in choices)
                (stack if is_told else later).append((first, done, used | {index}, new))
            for index in sorted(choices, key=lambda index: -self._answered[index].end):
                new = self._answered[index].after(value)
                if new is not None:
                    stack.append((first, done | {index}, used, new))
        return False

    def _next(self, first, done):
        """The answered operations that can be next, because no other one was answered before they were sent; and the
        time before which the next one was sent."""
        limit, choices = NEVER, []
        for index in range(first, len(self._answered)):
            operation = self._answered[index]
            if operation.start > limit:
                break
            if index not in done:
                limit = min(limit, operation.end)
                choices.append(index)
        return choices, limit

    def _settled(self, first, done, used, value):
        """The place after all operations that can be next and change nothing. They need no choice, because they stand
        in no other one's way."""
        while True:
            idle = {index for index in self._next(first, done)[0] if self._answered[index].after(value) == value}
            done |= idle
            while first in done:
                done -= {first}
                first += 1
            if not idle:
                return first, done, used, value


def operations_of(history):
    """For each row, by its list and its name, the operations on it."""
    found = {(name, row): [] for name in history.starts for row in SHARED_ROWS}
    for write in history.writes:
        word, row, *rest = write.operations[0]
        if word not in ("toggle", "set", "star", "unstar") or not write.acknowledged and not write.may_be_done:
            continue
        operation = Operation(write.tries[0].start, NEVER, word, rest[0] if rest else None, name=write.label)
        if write.acknowledged:
            answer = json.loads(write.acknowledged.body)
            operation.end = write.acknowledged.end
            operation.told, operation.has_changed = told_of(answer, row), answer["changed"]
        found[write.list, row].append(operation)
    for name, shown in history.shown.items():
        for one in shown:
            _add_read(found, name, one, NEVER - 2, NEVER - 1)
    for read in history.reads:
        # A read of what is in memory may be older than its time.
        if read.since is None and read.age is None:
            _add_read(found, read.list, json.loads(read.body), read.start, read.end)
    return found


def _add_read(found, name, snapshot, start, end):
    for row, n, is_starred in state_of(snapshot)[1][0]:
        found[name, row].append(Operation(start, end, "read", None, (n, is_starred), False, name=f"a read of {row}"))


def told_of(answer, row):
    """The value of a row that an answer tells; None if it tells none."""
    for one in answer.get("changes", {}).get("items", {}).get("reconfigured", ()):
        name, n, is_starred = row_of(one["item"])
        if name == row:
            return n, is_starred
    return None


def check(history):
    """The violations, the number of operations, the number of places that the searches went to, and the number of rows
    whose search was given up."""
    violations, count, places, undecided = [], 0, 0, 0
    for (name, row), operations in operations_of(history).items():
        start = next(one for one in state_of(history.starts[name])[1][0] if one[0] == row)
        search = Search(start[1:], operations)
        count += len(operations)
        places += search.places
        undecided += search.is_explained is None
        if search.is_explained is False:
            violations.append(Violation("values", f"{name} {row}: no order explains {search.stuck_at} and the rest"))
    return violations, count, places, undecided
