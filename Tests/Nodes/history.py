"""The answers and events that clients got, and their times: the checks know nothing else."""
import time


def now():
    """Nanoseconds on a clock that all processes of this machine share."""
    return time.monotonic_ns()


class Violation:
    """A broken promise.

    lost        an acknowledged write is not there
    doubled     a version, or a write, is there twice
    gap         a version belongs to nobody
    wrong       a write did something else than it was asked to
    forgotten   a repeated key got another answer than the first time, or a new key was taken for a repeated one
    order       a write that began later has an older version
    stale       a read does not show a write that was acknowledged before it began; or, if its client took what is in
                memory, one that was acknowledged longer before than its Age tells
    misread     a read is not the state of its version, or goes back behind a version that it named
    unseen      who followed a list did not see all of it
    unequal     a node shows another list than the others
    stuck       a request did not end in time, or a write was never settled
    unhealthy   an answer that must not come, or a server that ended by itself
    values      no order of the operations explains their values (linearizability.py)
    """

    def __init__(self, kind, text):
        self.kind, self.text = kind, text

    def __str__(self):
        return f"{self.kind}: {self.text[:600]}"


class Try:
    """One request. `status` is None if its answer was lost, and `body` is kept of successes only."""
    __slots__ = ("start", "end", "status", "is_replay", "body")

    def __init__(self, start, end, status=None, is_replay=False, body=None):
        self.start, self.end, self.status, self.is_replay, self.body = start, end, status, is_replay, body

    @property
    def is_success(self):
        return self.status == 200


class Write:
    """A change of a list, and its tries. `label` is its name in the list's history, and its key if it has one."""
    __slots__ = ("list", "label", "has_key", "operations", "match", "base", "tries")

    def __init__(self, list, label, has_key, operations, match=None, base=None):
        self.list, self.label, self.has_key, self.operations = list, label, has_key, operations
        self.match, self.base, self.tries = match, base, []

    @property
    def acknowledged(self):
        """The try that says first that the write was done; None if there is none."""
        return next((one for one in self.tries if one.is_success), None)

    @property
    def may_be_done(self):
        """Whether the write may have been done without anybody being told. The answer 503 tells nothing."""
        return self.acknowledged is None and bool(self.tries) and self.tries[-1].status in (None, 503)


class Read:
    """A snapshot, or with `since` the changes since a version. `age` is the value of `Age` in seconds, or None if the
    read was checked: if its client did not ask for what is in memory."""
    __slots__ = ("list", "start", "end", "body", "since", "age")

    def __init__(self, list, start, end, body, since=None, age=None):
        self.list, self.start, self.end, self.body, self.since, self.age = list, start, end, body, since, age

    @property
    def shows_from(self):
        """The time before which all acknowledged writes must be shown. Ages are cut to whole seconds."""
        return self.start if self.age is None else self.start - (self.age + 1) * 1_000_000_000


class Watch:
    """The events that a follower of lists has seen: `("connected", id)` and `("event", name, id, data)`."""

    def __init__(self, name, lists):
        self.name, self.lists, self.entries, self.has_caught_up = name, lists, [], False


class History:
    def __init__(self):
        self.writes, self.reads, self.watches, self.violations = [], [], [], []
        # For each list: its first and its last snapshot, the snapshots that the nodes show at the end, and the labels in
        # its history by revision.
        self.starts, self.ends, self.shown, self.labels = {}, {}, {}, {}
        self.late = self.refused = 0
        # Whether the clients came to the end, and had not to give up.
        self.is_whole = False

    def add(self, other):
        self.writes += other.writes
        self.reads += other.reads
        self.watches += other.watches
        self.violations += other.violations
        for name, labels in other.labels.items():
            self.labels.setdefault(name, {}).update(labels)
        self.late += other.late
        self.refused += other.refused
