"""One cluster of nodes and everything that its clients are told while it is broken."""
import contextlib
import ctypes
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import random
import shutil
import tempfile
import time

from client import Connection, Lost
from cluster import Cluster
from history import History, Try, Violation, Write, now
from lists import start
from nemesis import Nemesis
from network import NetworkProcess
from node import Node, free_port
from work import (CATCH_UP, FOLLOW_TO_END, OVER, SETTLE, SETTLING, WRITE, Auditor, Reader, Watcher, Writer,
                  work_in_threads)

NODES, WRITERS, WATCHERS, READERS = 3, 6, 3, 2
HERE = "127.0.0.1"
# Few enough that snapshots take the place of older versions all the time, and so many that nobody is left behind.
OPTIONS = ["--history-versions-max", "2000", "--compaction-versions", "200"]
SILENCE = 60
"""The seconds without any acknowledged write after which an episode is given up."""
FROM_MEMORY = [("Cache-Control", "max-stale")]
FORK = multiprocessing.get_context("fork")


class Settings:
    def __init__(self, lists, faults, answers, depth, has_standby=False, pause=0.8, fault=None,
                 only=None, seconds_max=1200, pace=0):
        """`answers`: the acknowledged writes that an episode has at least. `depth`: the writes that each writer has
        under way. `pause`: the seconds between two faults at most. `fault`: a planted one. `only`: the names of the
        faults that the nemesis may use. `pace`: the seconds that a writer waits after each write."""
        self.lists, self.faults, self.answers, self.depth = lists, faults, answers, depth
        self.has_standby, self.pause, self.pace = has_standby, pause, pace
        self.fault, self.only, self.seconds_max = fault, only, seconds_max


class Control:
    """The settings of the processes of the clients, and the numbers of their acknowledged writes."""

    def __init__(self, folder, slots, pace):
        """`pace`: the seconds that a writer waits after each write."""
        self.pace = pace
        self._parent, self._heads_file, self._heads = os.getpid(), folder / "heads.json", None
        self._phase = FORK.RawValue(ctypes.c_int, WRITE)
        self.acknowledged = FORK.RawArray(ctypes.c_uint64, slots)

    @property
    def phase(self):
        """A client whose run is gone has nothing left to do."""
        return self._phase.value if os.getpid() == self._parent or os.getppid() == self._parent else OVER

    def tell(self, phase):
        self._phase.value = max(self._phase.value, phase)

    def give_up(self):
        self.tell(OVER)

    def tell_heads(self, heads):
        self._heads_file.write_text(json.dumps(heads))
        self.tell(FOLLOW_TO_END)

    @property
    def heads(self):
        if self._heads is None:
            self._heads = json.loads(self._heads_file.read_text())
        return self._heads


class Episode:
    """`run()` gives the history. The counts are there then."""

    def __init__(self, binary, settings, seed, prefix=""):
        """`prefix`: the names of lists and clients begin with it. Episodes on one database need different ones."""
        self._binary, self._settings, self._random = binary, settings, random.Random(seed)
        self._prefix, self._lists = prefix, [f"{prefix}l{number}" for number in range(settings.lists)]
        self.history, self.fault_counts, self.connections, self.cuts, self.seconds = History(), {}, 0, 0, 0

    def run(self):
        begin = time.monotonic()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="liststate-nodes-"))
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            try:
                self._live(folder, stack)
            except (RuntimeError, Lost, OSError) as error:
                self._violate("unhealthy", f"{type(error).__name__}: {error}")
        self.seconds = time.monotonic() - begin
        return self.history

    def _violate(self, kind, text):
        self.history.violations.append(Violation(kind, text))

    def _live(self, folder, stack):
        cluster = Cluster(folder, self._settings.has_standby)
        stack.callback(cluster.stop)
        names = [f"n{number}" for number in range(NODES)]
        network = NetworkProcess(
            {"balancer": [], "replication": [cluster.primary.socket]}
            | {f"database {name}": [cluster.primary.socket] for name in names}, self._random.random())
        stack.callback(network.stop)
        if self._settings.has_standby:
            cluster.add_standby(network.ports["replication"])
        nodes = [Node(name, (HERE, free_port()), f"postgres@{HERE}:{network.ports[f'database {name}']}", self._binary,
                      folder, OPTIONS, self._settings.fault) for name in names]
        for node in nodes:
            node.start()
            stack.callback(node.kill)
        self._wait_until_ready(nodes)
        network.tell("lead", "balancer", [node.address for node in nodes])
        self._make_lists(nodes)
        control = Control(folder, WRITERS * self._settings.depth, self._settings.pace)
        stack.callback(control.give_up)
        clients = self._employ(folder, (HERE, network.ports["balancer"]), control, stack)
        network.tell("cut_share", "balancer", 0.3, 30_000)
        nemesis = Nemesis(cluster, nodes, network, self._random.random(), self._settings.pause, self._settings.only)
        self._break(nemesis, control)
        nemesis.heal()
        self.history.violations += nemesis.violations
        self.fault_counts = nemesis.counts
        self._finish(nodes, control, clients)
        self.connections, self.cuts = network.tell("count")

    def _wait_until_ready(self, nodes):
        end = time.monotonic() + 60
        while not all(node.is_ready for node in nodes):
            if time.monotonic() > end:
                raise RuntimeError(f"a node did not start: {[node.said for node in nodes]}")
            time.sleep(0.05)

    def _make_lists(self, nodes):
        for name, node in zip(self._lists, itertools.cycle(nodes)):
            self._ask(node, "PUT", f"/v1/lists/{name}", start())
            self.history.starts[name] = self._ask(node, "GET", f"/v1/lists/{name}").json

    @staticmethod
    def _ask(node, method, path, body=None, headers=()):
        connection = Connection(node.address, 10)
        try:
            answer = connection.ask(method, path, body, headers)
        finally:
            connection.close()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{node.name}, {method} {path}: {answer.status} {answer.body[:300]}")
        return answer

    # MARK: Clients

    def _employ(self, folder, address, control, stack):
        """Starts the processes of the clients. Returns them as `_start_clients` does."""
        depth, groups = self._settings.depth, []
        for number in range(WRITERS):
            groups.append([
                Writer(f"{self._prefix}w{number}{chr(97 + part)}", self._lists, address, control, number * depth + part,
                       self._random.random()) for part in range(depth)])
        groups += [[Reader(f"r{number}", self._lists, address, control, self._random.random())]
                   for number in range(READERS)]
        groups.append([Auditor("a", self._lists, address, control, self._random.random())])
        groups += [[Watcher(f"v{number}", self._lists[:1] if number == 0 else self._lists, address, control)]
                   for number in range(WATCHERS)]
        return self._start_clients(groups, folder, "history", stack)

    def _start_clients(self, groups, folder, name, stack):
        """Starts a process for each group. Returns for each whether it follows lists, its process, and the file that
        will have its history."""
        clients = []
        for number, group in enumerate(groups):
            file = folder / f"{name}{number}"
            process = FORK.Process(target=self._work, args=(group, file), daemon=True)
            process.start()
            stack.callback(process.kill)
            clients.append((isinstance(group[0], Watcher), process, file))
        return clients

    @staticmethod
    def _work(clients, file):
        history = work_in_threads(clients)
        with open(file, "wb") as out:
            pickle.dump(history, out, protocol=pickle.HIGHEST_PROTOCOL)

    # MARK: The run

    def _break(self, nemesis, control):
        settings, begin = self._settings, time.monotonic()
        last, moment = 0, time.monotonic()
        while control.phase == WRITE and not nemesis.violations:
            nemesis.step()
            answers = sum(control.acknowledged)
            if answers > last:
                last, moment = answers, time.monotonic()
            if time.monotonic() - moment > SILENCE:
                return self._violate("stuck", f"no write was acknowledged in {SILENCE} s, after {last}")
            if answers >= settings.answers and nemesis.count >= settings.faults:
                return
            if time.monotonic() - begin > settings.seconds_max:
                return self._violate("stuck", f"only {answers} answers and {nemesis.count} faults in "
                                              f"{settings.seconds_max} s")

    def _finish(self, nodes, control, clients):
        control.tell(SETTLING)
        writing = [one for one in clients if not one[0]]
        self._join(writing, SETTLE + 10)
        for node in nodes:
            self._write_last(node)
        self._compare_nodes(nodes)
        self.history.is_whole = control.phase == SETTLING
        control.tell_heads({name: one["version"] for name, one in self.history.ends.items()})
        self._join([one for one in clients if one[0]], CATCH_UP)
        control.give_up()
        self._join(clients, 10)
        for _, process, file in clients:
            if process.exitcode == 0:
                with open(file, "rb") as kept:
                    self.history.add(pickle.load(kept))
            else:
                self._violate("unhealthy", f"a client ended with {process.exitcode}")
        auditor = Auditor("last", self._lists, nodes[-1].address, control, 0)
        auditor.history.labels = self.history.labels
        for name in self._lists:
            auditor.read(name)
        self.history.violations += auditor.history.violations

    @staticmethod
    def _join(clients, seconds):
        end = time.monotonic() + seconds
        for _, process, _ in clients:
            process.join(max(0, end - time.monotonic()))

    def _write_last(self, node):
        """A node commits in order. So nothing is under way on it any more once this write is answered."""
        label = f"last.{node.name}"
        write = Write(self._lists[0], label, False, [("title", label)])
        begin = now()
        answer = self._ask(node, "POST", f"/v1/lists/{write.list}/transactions", {
            "label": label, "operations": [{"op": "updateList", "title": label}]})
        write.tries.append(Try(begin, now(), answer.status, False, answer.body))
        self.history.writes.append(write)

    def _compare_nodes(self, nodes):
        """Reads all lists from the memory of all nodes, until all of them show the newest version that any of them
        shows."""
        end = time.monotonic() + CATCH_UP
        for name in self._lists:
            while True:
                shown = [self._ask(node, "GET", f"/v1/lists/{name}", headers=FROM_MEMORY).json
                         for node in nodes]
                if len({one["version"] for one in shown}) == 1 or time.monotonic() > end:
                    break
                time.sleep(0.1)
            self.history.shown[name] = shown
            self.history.ends[name] = max(shown, key=lambda one: int(one["version"].rpartition("-")[2]))
            if len({one["version"] for one in shown}) > 1:
                self._violate("unequal", f"{name}: nodes show {[one['version'] for one in shown]}")
