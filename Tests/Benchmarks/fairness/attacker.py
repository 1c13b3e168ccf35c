"""A client that asks on although it is refused.

    attacker.py PORT TOKEN METHOD PATH BODY CONNECTIONS CPU

It asks again on each of its connections as soon as an answer has come, on a processor of its own. It prints a line when
it has been refused for the first time by a rate, and at its end how often it was answered with each status.
"""
import collections
import contextlib
import json
import os
import re
import selectors
import signal
import socket
import sys

LENGTH = re.compile(rb"(?im)^content-length: *(\d+)")


class Connection:
    def __init__(self, port, request):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.request, self.pending = request, b""
        self.socket.sendall(request)

    def answers(self):
        """The statuses of the answers that have come. The next request is sent for each."""
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
            self.socket.sendall(self.request)
        return statuses


def main():
    port, token, method, path, body, connections, cpu = sys.argv[1:]
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

        def connect():
            connection = Connection(int(port), request)
            stack.callback(connection.socket.close)
            selector.register(connection.socket, selectors.EVENT_READ, connection)

        for _ in range(int(connections)):
            connect()
        while not stopped:
            for key, _ in selector.select(0.05):
                statuses = key.data.answers()
                if statuses is None:
                    # The server has ended the connection: on with another one.
                    selector.unregister(key.fileobj)
                    connect()
                    continue
                isFirst = 429 in statuses and not counts[429]
                counts.update(statuses)
                if isFirst:
                    print("refused", flush=True)
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main()
