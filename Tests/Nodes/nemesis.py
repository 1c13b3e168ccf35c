"""Breaks nodes, connections and the database at random times, one fault after the other and some at a time."""
import heapq
import random
import signal
import time

from history import Violation

# How often each fault comes, in parts of all.
FAULTS = {
    "node killed": 20,
    "node stopped": 16,
    "backend terminated": 14,
    "all backends of a node terminated": 8,
    "connections to the database cut": 14,
    "connections to the database stalled": 10,
    "connections of clients cut": 10,
    "database killed": 5,
}
OF_A_STANDBY = {"standby cut off": 6, "standby took over": 2, "standby took over after a restart": 2}
HEAL = 90
"""The seconds in which all nodes must take writes again, once nobody breaks anything."""


class Nemesis:
    def __init__(self, cluster, nodes, network, seed, pause, only=None):
        """`pause`: the seconds between two faults at most."""
        self._cluster, self._nodes, self._network = cluster, nodes, network
        self._random, self._pause = random.Random(seed), pause
        self._faults = FAULTS | (OF_A_STANDBY if cluster.has_standby else {})
        if only:
            self._faults = {name: self._faults[name] for name in only}
        self.counts = dict.fromkeys(self._faults, 0)
        self.violations = []
        # What ends faults, by time; and the nodes that are under one.
        self._ends, self._order, self._busy = [], 0, set()
        self._next = time.monotonic() + 0.5

    @property
    def count(self):
        return sum(self.counts.values())

    def step(self):
        """Does what is due, and returns soon."""
        moment = time.monotonic()
        while self._ends and self._ends[0][0] <= moment:
            heapq.heappop(self._ends)[2]()
        self._start_nodes()
        if moment >= self._next:
            self._break_something()
            self._next = time.monotonic() + self._random.uniform(0.05, self._pause)
        time.sleep(0.02)

    def heal(self):
        """Ends all faults, and waits until every node takes writes."""
        self._network.tell("cut_share", "balancer", 0, 0)
        for _, _, end in sorted(self._ends, key=lambda one: one[:2]):
            end()
        self._ends = []
        limit = time.monotonic() + HEAL
        while not all(node.is_ready for node in self._nodes):
            self._start_nodes()
            if time.monotonic() > limit:
                states = [f"{node.name}: {node.said[-300:]}" for node in self._nodes if not node.is_ready]
                self.violations.append(Violation("unhealthy", f"not ready after {HEAL} s: {states}"))
                return
            time.sleep(0.05)

    def _later(self, seconds, end):
        self._order += 1
        heapq.heappush(self._ends, (time.monotonic() + seconds, self._order, end))

    def _start_nodes(self):
        """Starts nodes that have ended. One that finds no database at its start ends by itself, and may."""
        for node in self._nodes:
            if node.has_ended and node.name not in self._busy:
                if node.has_listened:
                    self.violations.append(Violation("unhealthy", f"{node.name} ended by itself: {node.said[-500:]}"))
                node.start()

    def _break_something(self):
        names = list(self._faults)
        name = self._random.choices(names, [self._faults[name] for name in names])[0]
        if getattr(self, "_" + name.replace(" ", "_"))():
            self.counts[name] += 1

    def _take_node(self):
        """A node that is under no fault; None if there is none."""
        free = [node for node in self._nodes if node.name not in self._busy]
        if not free:
            return None
        node = self._random.choice(free)
        self._busy.add(node.name)
        return node

    # MARK: Faults. Each returns whether it has struck.

    def _node_killed(self):
        node = self._take_node()
        if not node:
            return False
        node.kill()

        def end():
            node.start()
            self._busy.discard(node.name)

        self._later(self._random.uniform(0, 1.5), end)
        return True

    def _node_stopped(self):
        node = self._take_node()
        if not node:
            return False
        node.pause()

        def end():
            node.go_on()
            self._busy.discard(node.name)

        self._later(self._random.uniform(0.2, 4), end)
        return True

    def _terminate(self, condition):
        try:
            said = self._cluster.primary.query(
                "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity "
                f"WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND {condition}) backends")
        except RuntimeError:
            return False
        return said != "0"

    def _backend_terminated(self):
        return self._terminate("application_name LIKE 'n_' ORDER BY random() LIMIT 1")

    def _all_backends_of_a_node_terminated(self):
        return self._terminate(f"application_name = '{self._random.choice(self._nodes).name}'")

    def _connections_to_the_database_cut(self):
        name = f"database {self._random.choice(self._nodes).name}"
        if self._random.random() < 0.5:
            self._network.tell("cut", name)
        else:
            self._network.tell("cut_soon", name, 3000)
        return True

    def _connections_to_the_database_stalled(self):
        name = f"database {self._random.choice(self._nodes).name}"
        self._network.tell("stall", name)

        def end(is_cut=self._random.random() < 0.5):
            if is_cut:
                self._network.tell("cut", name)
            self._network.tell("resume", name)

        self._later(self._random.uniform(0.1, 3), end)
        return True

    def _connections_of_clients_cut(self):
        self._network.tell("cut", "balancer")
        return True

    def _database_killed(self):
        self._restart_database()
        return True

    def _restart_database(self):
        self._cluster.primary.stop(self._random.choice([signal.SIGQUIT, signal.SIGKILL]))
        self._cluster.primary.start()
        self._cluster.primary.wait()

    def _standby_cut_off(self):
        self._network.tell("refuse", "replication", True)
        self._network.tell("cut", "replication")
        self._later(self._random.uniform(0.1, 2), lambda: self._network.tell("refuse", "replication", False))
        return True

    def _standby_took_over(self):
        self._fail_over()
        return True

    def _standby_took_over_after_a_restart(self):
        """Nobody may believe what the primary shows after its restart, because the standby does not have it."""
        self._network.tell("refuse", "replication", True)
        self._network.tell("cut", "replication")
        # Commits come that the standby does not get.
        time.sleep(self._random.uniform(0.3, 0.8))
        self._restart_database()
        # Nodes connect again, and could answer their clients now.
        time.sleep(self._random.uniform(2, 4))
        self._fail_over()
        return True

    def _fail_over(self):
        self._network.tell("refuse", "replication", True)
        self._network.tell("cut", "replication")
        self._cluster.take_over()
        for node in self._nodes:
            self._network.tell("cut", f"database {node.name}")
            self._network.tell("lead", f"database {node.name}", [self._cluster.primary.socket])
        self._network.tell("lead", "replication", [self._cluster.primary.socket])
        self._network.tell("refuse", "replication", False)
        self._cluster.add_standby(self._network.ports["replication"])
