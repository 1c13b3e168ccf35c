"""Clients: writers that repeat their keys until they are answered, readers, and followers. They only record."""
import json
import random
import threading
import time

from client import Connection, Late, Lost, Stream
from history import History, Read, Try, Violation, Watch, Write, now
from lists import SHARED_ROWS, revision_of

BOUND = 40
"""The seconds after which a request that has no answer counts as one that never ends."""
SETTLE = 150
"""The seconds after which a write counts as one that is never settled."""
CATCH_UP = 15
"""The seconds in which all nodes and followers must show the last version of every list, once nobody writes."""
WRITE, SETTLING, FOLLOW_TO_END, OVER = range(4)
"""The stages of clients: write; settle what they have begun; follow to the end; end at once."""


class Client:
    """The part that writers and readers share: a connection through the balancer, which they sometimes change."""

    def __init__(self, name, lists, address, control, seed):
        self.name, self.lists, self._address, self._control = name, lists, address, control
        self.random = random.Random(seed)
        self.history = History()
        self._connection, self._left = None, 0
        # The newest version of each list that this client has seen.
        self.seen = {}

    def ask(self, method, path, body=None, headers=(), patience=10):
        """Raises `Lost`."""
        if self._connection is None or self._left == 0:
            self.hang_up()
            self._connection, self._left = Connection(self._address, patience), self.random.randrange(5, 200)
        self._left -= 1
        try:
            return self._connection.ask(method, path, body, headers, patience)
        except Lost:
            self.hang_up()
            raise

    def hang_up(self):
        if self._connection:
            self._connection.close()
        self._connection = None

    def violate(self, kind, text):
        self.history.violations.append(Violation(kind, text))
        self._control.give_up()

    def pick_list(self):
        """Half of the work is on the first list."""
        return self.lists[0] if self.random.random() < 0.5 else self.random.choice(self.lists)

    def pause(self):
        time.sleep(self.random.uniform(0.02, 0.2))


class Writer(Client):
    """Writes until it is told to settle, then repeats old keys."""

    def __init__(self, name, lists, address, control, slot, seed):
        super().__init__(name, lists, address, control, seed)
        self._slot, self._count = slot, 0
        # The rows of this writer in each list, oldest first.
        self._own = {name: [] for name in lists}

    def work(self):
        while self._control.phase == WRITE:
            self._step()
            time.sleep(self._control.pace)
        for _ in range(8):
            done = [write for write in self.history.writes[-2000:] if write.has_key and write.acknowledged]
            if done and self._control.phase == SETTLING:
                self._repeat(self.random.choice(done))
        self.hang_up()

    def _step(self):
        if self.history.writes and self.random.random() < 0.06:
            write = self.random.choice(self.history.writes[-200:])
            if write.has_key and write.acknowledged:
                self._repeat(write)
        write = self._next()
        self.history.writes.append(write)
        self._settle(write)

    # MARK: Writes

    def _next(self):
        self._count += 1
        name, label = self.pick_list(), f"{self.name}.{self._count}"
        row, other = self.random.sample(SHARED_ROWS, 2)
        kind = self.random.random()
        if kind < 0.4:
            own = self._own[name]
            operations = [("append", label, self._count)] + [("delete", gone) for gone in own[:-1]]
            self._own[name] = [*own[-1:], label]
        elif kind < 0.58:
            operations = [("toggle", row)]
        elif kind < 0.74:
            operations = [("set", row, f"{label}")]
        elif kind < 0.84:
            operations = [(self.random.choice(["star", "unstar"]), row)]
        elif kind < 0.94:
            operations = [("move", row, self.random.choice(["before", "after"]), other)]
        else:
            operations = [("title", label)]
        # The search for an order takes long if the outcomes of many operations on a row are unknown.
        without_key = 0.12 if operations[0][0] == "append" else 0.015
        write = Write(name, label, self.random.random() > without_key, operations)
        if name in self.seen and self.random.random() < 0.06:
            write.match = self.seen[name]
        elif name in self.seen and operations[0][0] != "toggle" and self.random.random() < 0.2:
            write.base = self.seen[name]
        return write

    def _request(self, write):
        path, extra = f"/v1/lists/{write.list}", {"label": write.label}
        if write.base:
            extra["base"] = write.base
        (word, *rest), *others = write.operations
        if word == "toggle":
            return "POST", f"{path}/items/{rest[0]}/star", extra
        if word == "set":
            return "PATCH", f"{path}/items/{rest[0]}", {"content": {"n": rest[1]}, **extra}
        if word == "star":
            return "PUT", f"{path}/items/{rest[0]}/star", extra
        if word == "append":
            operations = [{"op": "appendItems", "section": "own", "items": [{"id": rest[0], "content": {"n": rest[1]}}]}]
            if others:
                operations.append({"op": "deleteItems", "items": [gone for _, gone in others]})
        elif word == "unstar":
            operations = [{"op": "unstarItems", "items": [rest[0]]}]
        elif word == "move":
            operations = [{"op": "moveItem", "item": rest[0], rest[1]: rest[2]}]
        else:
            operations = [{"op": "updateList", "title": rest[0]}]
        return "POST", f"{path}/transactions", {"operations": operations, **extra}

    def _settle(self, write):
        """Sends a write until an answer says what has become of it. Without a key, it is sent only once."""
        begin = now()
        while self._control.phase != OVER:
            answer = self._attempt(write)
            if answer is not None and answer.status == 200:
                self._control.acknowledged[self._slot] += 1
                self.seen[write.list] = answer.headers.get("list-version", self.seen.get(write.list))
                return
            if answer is not None and (answer.status == 412 and write.match or answer.code == "unknown_base"):
                # The version that was hoped for is old.
                return self._take_refusal(write, answer.json["head"])
            is_passing = answer is None or answer.status == 503 or answer.code == "key_in_flight"
            if not is_passing:
                return self.violate("unhealthy", f"{write.label} {write.operations} was answered {answer.status} "
                                                 f"{answer.body[:300]}")
            if not write.has_key:
                return
            if now() - begin > SETTLE * 1_000_000_000:
                return self.violate("stuck", f"{write.label} was not settled in {SETTLE} s: "
                                             f"{[(one.status, one.end - one.start) for one in write.tries[-5:]]}")
            self.pause()

    def _take_refusal(self, write, head):
        self.history.refused += 1
        if revision_of(head)[1] < revision_of(write.match or write.base)[1]:
            self.violate("unhealthy", f"{write.label}, meant for {write.match or write.base}, was refused at {head}")
        self.seen[write.list] = head

    def _attempt(self, write):
        """Sends a write once more. Returns None if the answer is lost."""
        method, path, body = self._request(write)
        headers = [("Idempotency-Key", f'"{write.label}"')] if write.has_key else []
        if write.match:
            headers.append(("If-Match", f'"{write.match}"'))
        # Most clients lose patience, so that their key comes to another node while the first one is still at work.
        is_patient = self.random.random() < 0.2 or not write.has_key
        start = now()
        try:
            answer = self.ask(method, path, body, headers, BOUND if is_patient else self.random.uniform(0.5, 4))
        except Lost as loss:
            self.history.late += isinstance(loss, Late)
            write.tries.append(Try(start, now()))
            if is_patient and isinstance(loss, Late):
                self.violate("stuck", f"{write.label} got no answer in {BOUND} s")
            return None
        body = answer.body if answer.status == 200 else None
        # A key in flight tells nothing either.
        status = None if answer.code == "key_in_flight" else answer.status
        write.tries.append(Try(start, now(), status, answer.is_replay, body))
        return answer

    def _repeat(self, write):
        answer = self._attempt(write)
        if answer and answer.status not in (200, 503) and answer.code != "key_in_flight":
            self.violate("forgotten", f"{write.label} again: {answer.status} {answer.body[:300]}")


class Reader(Client):
    """Reads snapshots, and the changes since a version that it has seen. Some of them may come from memory."""

    def work(self):
        while self._control.phase == WRITE:
            name = self.pick_list()
            since = self.seen.get(name) if self.random.random() < 0.4 else None
            path = f"/v1/lists/{name}" + (f"/changes?since={since}" if since else "")
            limit = self.random.choice([1, 3, 60]) if self.random.random() < 0.3 else None
            headers = [("Cache-Control", f"max-stale={limit}")] if limit else []
            start = now()
            try:
                answer = self.ask("GET", path, headers=headers, patience=self.random.uniform(1, 4))
            except Lost:
                self.pause()
                continue
            if answer.status == 200:
                age = answer.headers.get("age")
                if age is not None and (limit is None or int(age) > limit):
                    self.violate("stale", f"GET {path}, {headers}, has the age {age}")
                self.history.reads.append(
                    Read(name, start, now(), answer.body, since, None if age is None else int(age)))
                self.seen[name] = answer.headers.get("list-version", self.seen.get(name))
            elif answer.status != 503:
                self.violate("unhealthy", f"GET {path} was answered {answer.status} {answer.body[:300]}")
            time.sleep(0.02)
        self.hang_up()


class Auditor(Client):
    """Reads the histories of the lists again and again, so that it has seen every version when older ones go. What the
    history says of a version must never change."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        # The revision of each list up to which all are known.
        self._known = {}

    def work(self):
        while self._control.phase == WRITE:
            for name in self.lists:
                try:
                    self.read(name)
                except Lost:
                    self.pause()
            time.sleep(0.2)
        self.hang_up()

    def read(self, name):
        """Reads the newest versions, down to those that are known. Raises `Lost`."""
        labels = self.history.labels.setdefault(name, {})
        known = self._known.get(name, 0)
        while known + 1 in labels:
            known += 1
        self._known[name] = known
        path = f"/v1/lists/{name}/transactions?limit=200"
        while path:
            answer = self.ask("GET", path, patience=3)
            if answer.status != 200:
                break
            found = {revision_of(one["version"])[1]: one.get("label") for one in answer.json["transactions"]}
            for revision, label in found.items():
                if labels.setdefault(revision, label) != label:
                    self.violate("lost", f"{name} {revision} was {labels[revision]} in the history, and is {label}")
            link = answer.headers.get("link", "")
            path = link[1:link.index(">")] if "next" in link and min(found) > known else None


class Watcher:
    """Follows lists on one stream, and comes back with the id of the last event when the stream breaks."""

    def __init__(self, name, lists, address, control):
        self._address, self._control = address, control
        self.watch, self._last_id = Watch(name, lists), ""
        self.history = History()
        self.history.watches.append(self.watch)

    def work(self):
        while self._control.phase < OVER and not self._is_at_end():
            try:
                self._follow()
            except Lost:
                time.sleep(0.02)

    def _path(self):
        if len(self.watch.lists) == 1:
            return f"/v1/lists/{self.watch.lists[0]}/changes"
        return "/v1/changes?" + "&".join(f"list={name}" for name in self.watch.lists)

    def _follow(self):
        # A node that is stopped says nothing, and others have heartbeats.
        stream = Stream(self._address, self._path(), self._last_id, patience=4)
        try:
            if stream.status != 200:
                raise Lost(str(stream.status))
            self.watch.entries.append(("connected", self._last_id))
            while self._control.phase < OVER and not self._is_at_end():
                events = stream.events(patience=4)
                if events is None:
                    raise Lost("end")
                for name, last_id, data in events:
                    if name == "bye":
                        raise Lost("bye")
                    self._last_id = last_id
                    self.watch.entries.append(("event", name, last_id, data))
        finally:
            stream.close()

    def _is_at_end(self):
        if self._control.phase != FOLLOW_TO_END:
            return False
        at = positions(self._last_id, self.watch.lists)
        self.watch.has_caught_up = all(at.get(name) == self._control.heads.get(name) for name in self.watch.lists)
        return self.watch.has_caught_up


def positions(last_id, lists):
    """The version of each list to which an id leads."""
    if len(lists) == 1 and "@" not in last_id:
        return {lists[0]: last_id} if last_id else {}
    return dict(part.split("@") for part in last_id.split(",") if "@" in part)


def work_in_threads(clients):
    """The histories of clients that work at the same time."""
    threads = [threading.Thread(target=client.work, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = History()
    for client in clients:
        whole.add(client.history)
    return whole
