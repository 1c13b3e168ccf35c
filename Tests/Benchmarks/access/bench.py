#!/usr/bin/env python3
"""What tokens cost, and how soon a revoked one ends its streams.

    bench.py SERVER-BINARY [--requests 4000] [--streams 10000] [--rounds 5]

1. Instructions a request, counted by valgrind: without a token on a server that has none, with a token, and with a JSON
Web Token that the server knows already. What a start costs is taken away: each row is the difference of two runs, one
with four times the requests.
2. CPU microseconds a request of the same three, by the clock, of a server that runs by itself.
3. Streams of one token. It is revoked, and the time is taken until the last stream has its bye.
"""
import argparse
import base64
import json
import pathlib
import re
import resource
import select
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import WORK, Process, conclude, free_port

LIST = "/v1/lists/bench"
BODY = {"sections": [{"id": "s", "items": [{"id": "a"}, {"id": "b"}]}]}
# Quotas are counted, as for everybody, but never used up.
UNLIMITED = ["--client-requests-per-minute", 10**9, "--client-writes-per-minute", 10**9]
TOKEN_RATIO_MAX, WEB_TOKEN_MICROSECONDS_MAX, BYE_SECONDS_MAX = 1.03, 10, 1


def ask(port, method, path, token=None, body=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read()
        return json.loads(text) if text else None


class Issuer:
    """Another issuer, whose tokens openssl signs."""

    def __init__(self):
        self.key, self.keys = WORK / "key.pem", WORK / "keys.json"
        self.openssl("genpkey", "-algorithm", "ed25519", "-out", self.key)
        point = self.openssl("pkey", "-in", self.key, "-pubout", "-outform", "DER")[-32:]
        key = {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "one", "x": self.coded(point)}
        self.keys.write_text(json.dumps({"keys": [key]}))
        self.options = ["--jwks", self.keys, "--jwt-issuer", "https://id.example", "--jwt-audience", "lists"]

    @staticmethod
    def openssl(*arguments):
        return subprocess.run(["openssl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=True).stdout

    @staticmethod
    def coded(data):
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def token(self):
        claims = {"iss": "https://id.example", "aud": "lists", "sub": "bench", "exp": int(time.time()) + 86_400,
                  "liststate": [{"lists": ["*"], "can": ["administer"]}]}
        parts = [{"alg": "EdDSA", "kid": "one"}, claims]
        signed = ".".join(self.coded(json.dumps(part).encode()) for part in parts)
        (WORK / "signed").write_text(signed)
        signature = self.openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.key, "-in", WORK / "signed")
        return f"{signed}.{self.coded(signature)}"


class Case:
    """A server on which requests come with one kind of token."""

    def __init__(self, name, server, issuer=None, has_token=False, under=()):
        self.port = free_port()
        options = ["serve", "--memory", "--port", self.port, "--loops", "1", "--log-level", "error"] + UNLIMITED
        self.name = name
        self.process = Process([*under, server, *options, *(issuer.options if issuer else [])])
        self.token = issuer.token() if issuer else None
        if has_token:
            grants = [{"lists": ["*"], "can": ["administer"]}]
            self.token = ask(self.port, "POST", "/v1/tokens", None, {"name": "bench", "grants": grants})["token"]
        ask(self.port, "PUT", LIST, self.token, BODY)
        ask(self.port, "GET", LIST, self.token)

    def run(self, path, method, count):
        field = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        request = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pending = b""
            for _ in range(count):
                client.sendall(request)
                while b"\r\n\r\n" not in pending:
                    pending += client.recv(65_536)
                head, _, pending = pending.partition(b"\r\n\r\n")
                if not head.startswith(b"HTTP/1.1 200"):
                    sys.exit(f"{self.name}: {head.decode()}")
                length = int(re.search(rb"content-length: (\d+)", head.lower())[1])
                while len(pending) < length:
                    pending += client.recv(65_536)
                pending = pending[length:]


REQUESTS = [("GET snapshot", LIST, "GET"), ("star toggle", f"{LIST}/items/a/star", "POST")]


def instructions(make, path, method, count):
    """The instructions of a whole run with so many requests."""
    file = WORK / "callgrind.out"
    case = make(["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}"])
    case.run(path, method, count)
    case.process.process.send_signal(signal.SIGTERM)
    case.process.process.wait(120)
    return int(re.search(r"^(?:summary|totals): (\d+)", file.read_text(), re.M)[1])


def count_instructions(server, issuer, requests):
    # valgrind cannot read the debugging information of Swift.
    stripped = WORK / "stripped"
    subprocess.run(["objcopy", "--strip-debug", server, stripped], check=True)
    server = stripped
    makers = [("none", lambda under: Case("none", server, under=under)),
              ("token", lambda under: Case("token", server, has_token=True, under=under)),
              ("web token", lambda under: Case("web token", server, issuer, under=under))]
    missed = False
    print(f"{'instructions':16}{'none':>10}{'token':>10}{'ratio':>8}{'goal':>7}{'web token':>12}{'ratio':>8}")
    for name, path, method in REQUESTS:
        costs = {}
        for kind, make in makers:
            few, many = (instructions(make, path, method, count) for count in (requests // 4, requests))
            costs[kind] = (many - few) / (requests - requests // 4)
        ratios = [costs[kind] / costs["none"] for kind in ("token", "web token")]
        missed = missed or ratios[0] > TOKEN_RATIO_MAX
        print(f"{name:16}{costs['none']:10.0f}{costs['token']:10.0f}{ratios[0]:8.3f}{TOKEN_RATIO_MAX:7.2f}"
              f"{costs['web token']:12.0f}{ratios[1]:8.3f}")
    return missed


def measure_time(server, issuer, rounds, requests):
    cases = [Case("none", server), Case("token", server, has_token=True), Case("web token", server, issuer)]
    missed = False
    print(f"{'CPU µs':16}{'none':>10}{'token':>10}{'web token':>12}{'more':>8}{'goal':>7}")
    for name, path, method in REQUESTS:
        samples = {case.name: [] for case in cases}
        for _ in range(rounds):
            for case in cases:
                before = case.process.cpu_microseconds()
                case.run(path, method, requests)
                samples[case.name].append((case.process.cpu_microseconds() - before) / requests)
        medians = {kind: statistics.median(values) for kind, values in samples.items()}
        more = medians["web token"] - medians["none"]
        missed = missed or more > WEB_TOKEN_MICROSECONDS_MAX
        print(f"{name:16}{medians['none']:10.2f}{medians['token']:10.2f}{medians['web token']:12.2f}{more:8.2f}"
              f"{WEB_TOKEN_MICROSECONDS_MAX:7}")
    for case in cases:
        case.process.stop()
    return missed


def measure_revocation(server, count):
    """Opens streams of one token, revokes it, and waits for the bye of each."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    port = free_port()
    process = Process([server, "serve", "--memory", "--port", port, "--client-streams-max", count + 1, *UNLIMITED])
    everything, reading = ([{"lists": ["*"], "can": [right]}] for right in ("administer", "read"))
    admin = ask(port, "POST", "/v1/tokens", None, {"name": "admin", "grants": everything})["token"]
    token = ask(port, "POST", "/v1/tokens", admin, {"name": "many", "grants": reading})["token"]
    ask(port, "PUT", LIST, admin, BODY)
    request = (f"GET {LIST}/changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
               f"Authorization: Bearer {token}\r\n\r\n").encode()
    poll, clients = select.epoll(), {}
    for _ in range(count):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(request)
        clients[client.fileno()] = client
        poll.register(client, select.EPOLLIN)

    def wait(mark):
        """Until each stream has sent the mark. Returns the time of the last."""
        left, seen, last = set(clients), {}, None
        while left:
            events = poll.poll(30)
            if not events:
                sys.exit(f"{len(left)} of {count} streams have sent no {mark.decode()}")
            for number, _ in events:
                data = clients[number].recv(65_536)
                if not data:
                    poll.unregister(number)
                text = seen[number] = (seen.get(number, b"") + data)[-400:]
                if number in left and mark in text:
                    left.discard(number)
                    last = time.monotonic()
                elif not data and number in left:
                    sys.exit(f"a stream has ended without {mark.decode()}: {text.decode()}")
        return last

    wait(b"event: reset")
    began = time.monotonic()
    ask(port, "DELETE", "/v1/tokens/many", admin)
    answered = time.monotonic()
    last = wait(b"event: bye")
    seconds = last - began
    print(f"{count} streams of a token that is revoked: answered after {answered - began:.3f} s, last bye after "
          f"{seconds:.3f} s, goal {BYE_SECONDS_MAX} s")
    process.stop()
    return seconds > BYE_SECONDS_MAX


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--requests", type=int, default=4_000)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    issuer = Issuer()
    missed = [measure_revocation(options.server, options.streams),
              count_instructions(options.server, issuer, options.requests),
              measure_time(options.server, issuer, options.rounds, options.requests)]
    conclude(any(missed))


if __name__ == "__main__":
    main()
