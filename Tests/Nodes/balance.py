"""Asks servers whether they are ready, as balancers do, and tells a balancer which to use."""
import threading

EVERY = 1.0
"""The seconds between two questions."""
SILENT_MAX = 2
"""The questions in a row that a server leaves unanswered before its connections are broken."""


class Health(threading.Thread):
    def __init__(self, nodes, network, entered):
        """`network`: leads connections to `balancer`. `entered()`: enters the network namespace to ask from."""
        super().__init__(daemon=True)
        self._nodes, self._network, self._entered = nodes, network, entered
        self._over, self._silent = threading.Event(), dict.fromkeys(nodes, 0)

    def run(self):
        with self._entered():
            while not self._over.wait(EVERY):
                self._ask()

    def _ask(self):
        found = {node: node.ask_ready(1) for node in self._nodes}
        ready = [node for node, status in found.items() if status == 200]
        # When the database is away no server is ready, and each can say so.
        speaking = [node for node, status in found.items() if status is not None]
        for node, status in found.items():
            self._silent[node] = 0 if status is not None else self._silent[node] + 1
        self._network.tell("lead", "balancer", [node.address for node in ready or speaking or self._nodes])
        for node in self._nodes:
            if self._silent[node] >= SILENT_MAX:
                self._network.tell("cut_target", "balancer", node.address)

    def stop(self):
        self._over.set()
        self.join()
