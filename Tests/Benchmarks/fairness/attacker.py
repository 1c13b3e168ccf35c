"""A client that asks on although it is refused.

    attacker.py PORT TOKEN METHOD PATH BODY CONNECTIONS CPU RATE

It asks again on each of its connections as soon as an answer has come, on a processor of its own. It prints a line when
it has been refused for the first time by a rate. At its end it prints how often it was answered with each status, and
how often a second from that line on.

With a RATE that is not 0 it asks that often a second, at moments that do not depend on one another, and prints the line
at once.
"""
import collections
import contextlib
import json
import os
import random
import re
import selectors
import signal
import socket
import sys
import time

LENGTH = re.compile(rb"(?im)^content-length: *(\d+)")


class Connection:
    def __init__(self, port, request):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.request, self.pending = request, b""

    def ask(self):
        self.socket.sendall(self.request)

    def answers(self):
        """The statuses of the answers that have come."""
        data = self.socket.recv(1 << 16)
        if not data:
            return None
        self.pending += data
        statuses = []
        while b"\r\n\r\n" in self.pending:
            head, _, rest = self.pending.partition(b"\r\n\r\n")
            length = LENGTH.search(head)
            length = int(length[1]) if length else 0
            if len(rest) < length:
                break
            self.pending = rest[length:]
            statuses.append(int(head[9:12]))
        return statuses


def main():
    port, token, method, path, body, connections, cpu, rate = sys.argv[1:]
    rate = float(rate)
    os.sched_setaffinity(0, {int(cpu)})
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}"]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    request = "\r\n".join(head).encode() + b"\r\n\r\n" + body.encode()
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    counts = collections.Counter()
    with contextlib.ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        idle = []

        def connect():
            connection = Connection(int(port), request)
            stack.callback(connection.socket.close)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            idle.append(connection)

        for _ in range(int(connections)):
            connect()
        moment = start = time.monotonic()
        before = 0
        if rate:
            print("paced", flush=True)
        while not stopped:
            while idle and (not rate or moment <= time.monotonic()):
                idle.pop().ask()
                if rate:
                    moment += random.expovariate(rate)
            wait = max(0, moment - time.monotonic()) if rate else 0.05
            for key, _ in selector.select(min(wait, 0.05)):
                statuses = key.data.answers()
                if statuses is None:
                    # The server has ended the connection: on with another one.
                    selector.unregister(key.fileobj)
                    connect()
                    continue
                idle += [key.data] * len(statuses)
                isFirst = 429 in statuses and not counts[429]
                counts.update(statuses)
                if isFirst and not rate:
                    start, before = time.monotonic(), counts.total()
                    print("refused", flush=True)
    rate = (counts.total() - before) / (time.monotonic() - start)
    print(json.dumps({"answers": counts, "rate": rate}), flush=True)


if __name__ == "__main__":
    main()
