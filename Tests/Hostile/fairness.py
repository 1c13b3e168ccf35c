"""What a client beyond its quota costs the others: `make hostile`, or alone

    fairness.py SERVER

A client that has used up its quota asks on, as fast as it can, on 64 connections. All that costs the server must be at
most 5 % of one processor, and another client is served meanwhile. What the attacker itself takes from the machine is
not counted.
"""
import argparse
import contextlib
import http.client
import json
import pathlib
import selectors
import socket
import sys
import threading
import time

from server import Server

CONNECTIONS = 64
READS = 1_000
SECONDS = 5
MOST = 0.05
QUOTA = 600


class Attacker:
    """Asks again on each of its connections as soon as an answer has come."""

    def __init__(self, port, token):
        self.refused = self.served = 0
        self._head = (f"GET /v1/lists/l HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n").encode()
        self._port, self._stopped = port, threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self):
        self._stopped.set()
        self._thread.join()

    def _run(self):
        with contextlib.ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            for _ in range(CONNECTIONS):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", self._port)))
                connection.sendall(self._head)
                selector.register(connection, selectors.EVENT_READ)
            while not self._stopped.is_set():
                for key, _ in selector.select(0.05):
                    answer = key.fileobj.recv(1 << 16)
                    self.refused += answer.startswith(b"HTTP/1.1 429")
                    self.served += answer.startswith(b"HTTP/1.1 200")
                    key.fileobj.sendall(self._head)


def share(server):
    """The part of one processor that the server takes, over some seconds."""
    before, begun = server.seconds(), time.monotonic()
    time.sleep(SECONDS)
    return (server.seconds() - before) / (time.monotonic() - begun)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", type=pathlib.Path)
    binary = parser.parse_args().server
    with Server(binary, "--client-requests-per-minute", str(QUOTA), in_memory=True) as server:
        server.ask("PUT", "/v1/lists/l", {"title": "L", "sections": [{"id": "s", "items": [{"id": "a"}]}]})
        grants = [{"lists": ["*"], "can": ["read", "administer"]}]
        made = server.ask("POST", "/v1/tokens", {"name": "greedy", "grants": grants})
        token = json.loads(made.body)["token"]
        # The other client is on this machine and sends no token, so that it has no quota.
        server.ask("PUT", "/v1/access/anonymous", {"grants": [{"lists": ["l"], "can": ["read"]}]},
                   [("Authorization", f"Bearer {token}")])
        alone = share(server)
        attacker = Attacker(server.port, token)
        while not attacker.refused:
            time.sleep(0.01)
        begun = attacker.refused
        beside = share(server)
        refused = attacker.refused - begun
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        statuses = {ask(connection) for _ in range(READS)}
        attacker.stop()
    print(f"a client beyond its quota: {100 * (beside - alone):.2f} % of a processor for {refused / SECONDS:.0f} refusals a "
          f"second (at most {100 * MOST:.0f} %); another one was answered {statuses}")
    return 0 if beside - alone <= MOST and statuses == {200} and refused else 1


def ask(connection):
    connection.request("GET", "/v1/lists/l")
    answer = connection.getresponse()
    answer.read()
    return answer.status


if __name__ == "__main__":
    sys.exit(main())
