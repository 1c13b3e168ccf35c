"""The clients of the story: their processes, and what each of them must have in the end."""
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import threading


PATIENCE = 600
"""Seconds after which an answer never comes, and one more for each `EDITS` edits of all clients."""
EDITS = 50


class Process:
    """A process with some of the clients. It is asked and answers by lines of JSON (README.md)."""

    def __init__(self, command, clients, folder, edits, on_told):
        self._command, self._folder, self._on_told = shlex.split(command), folder, on_told
        self._patience = PATIENCE + edits / EDITS
        self.clients = clients
        self.start()

    def start(self):
        self._waiting, self._changed, self._is_over, self._asked = {}, threading.Condition(), False, 0
        said = {"folder": str(self._folder), "clients": [
            {"client": one.number, "url": one.url, "list": one.list} for one in self.clients]}
        self._process = subprocess.Popen([*self._command, json.dumps(said)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._process.stdout:
            answer = json.loads(line)
            if "told" in answer:
                self._on_told(answer)
                continue
            with self._changed:
                self._waiting[answer["answer"]] = answer
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def ask(self, number, **question):
        """Asks now; the result waits for the answer."""
        self._asked += 1
        key = f"{number} {question['ask']} {self._asked}"
        self._process.stdin.write(json.dumps({"client": number, "key": key, **question}) + "\n")
        self._process.stdin.flush()
        return lambda: self._answer(key)

    def _answer(self, key):
        with self._changed:
            self._changed.wait_for(lambda: key in self._waiting or self._is_over, self._patience)
            if key not in self._waiting:
                raise RuntimeError(f"no answer to {key}: the process {'has ended' if self._is_over else 'goes on'}")
            answer = self._waiting.pop(key)
        if "error" in answer:
            raise RuntimeError(f"a client says: {answer['error']}")
        return answer

    @property
    def processor_seconds(self):
        """The time of processors that it has used until now; a browser is a group of processes."""
        ticks = 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                # Behind the name, which may have spaces.
                fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            group, user, system = int(fields[2]), int(fields[11]), int(fields[12])
            if group == self._process.pid:
                ticks += user + system
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill(self):
        # A browser is a group of processes.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._thread.join()


class Person:
    """One client. It edits only rows of its own, so what they must be is known whatever the others do."""

    def __init__(self, number, url, name, seed):
        self.number, self.url, self.list = number, url, name
        self._random, self._count = random.Random(f"{seed}-{number}"), 0
        self.own = {}
        """The content and the star of each row of its own after all its edits."""
        self.made = []
        """The labels of all edits that must be done once."""
        self.gone = {}
        """Labels of edits about a row that somebody else has deleted: each must be told as dropped."""
        self.told = {}
        """The outcome of each edit that the client has told of, by label."""

    @property
    def next_label(self):
        self._count += 1
        return f"c{self.number}-{self._count}"

    def edit(self):
        """The next edit, which is noted as one to be done."""
        label, ids = self.next_label, list(self.own)
        kind = self._random.choices(["add", "update", "move", "star", "delete"], [4, 3, 2, 1, 1])[0] if ids else "add"
        row = self._random.choice(ids) if ids else None
        content = {"by": self.number, "n": self._count}
        match kind:
            case "add":
                operation = {"op": "appendItems", "section": self._random.choice(["one", "two"]),
                             "items": [{"id": label, "content": content}]}
                self.own[label] = [content, False]
            case "update":
                operation = {"op": "updateItem", "item": row, "content": content}
                self.own[row][0] = content
            case "move":
                other = self._random.choice(["other", *(one for one in ids if one != row)])
                operation = {"op": "moveItem", "item": row, "before": other}
            case "star":
                operation = {"op": "unstarItems" if self.own[row][1] else "starItems", "items": [row]}
                self.own[row][1] = not self.own[row][1]
            case "delete":
                operation = {"op": "deleteItems", "items": [row]}
                del self.own[row]
        self.made.append(label)
        return {"label": label, "operations": [operation]}

    def edit_of_gone(self, row):
        label = self.next_label
        self.gone[label] = row
        return {"label": label, "operations": [{"op": "updateItem", "item": row, "content": {"late": True}}]}

    def wrong(self, rows):
        """How the rows of a list differ from what this client's own must be; None if they do not."""
        theirs = {one: [content, starred] for _, found in rows for one, content, starred in found
                  if one.startswith(f"c{self.number}-")}
        if theirs == self.own:
            return None
        missing, more = self.own.keys() - theirs.keys(), theirs.keys() - self.own.keys()
        other = [(one, theirs[one], self.own[one]) for one in theirs.keys() & self.own.keys() if theirs[one] != self.own[one]]
        return f"client {self.number}: lost {sorted(missing)[:3]}, back {sorted(more)[:3]}, other {other[:3]}"
