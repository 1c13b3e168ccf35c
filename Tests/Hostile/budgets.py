"""Attacks on the memory of a server that may take 1 GiB, and by clients that are slow.

The server runs under `ulimit -v`, and where groups of processes can be made also in a cgroup, which counts the memory
that is in use. It must not end, and what it refuses must say when to come back. Meanwhile a neighbour reads a short list;
its slowest answer is printed.
"""
import contextlib
import multiprocessing
import os
import pathlib
import socket
import statistics
import threading
import time

import bodies
from scripts import LIST, flat, put, item
from server import MIB, Server, parsed

LIMIT = 1 << 30
GROUPS = pathlib.Path("/sys/fs/cgroup/memory")
LONG = 60 * MIB
NEIGHBOUR = "/v1/lists/neighbour"
PATIENCE = 60
"""How long an attacker waits for its answer, in seconds."""


# MARK: Limits

@contextlib.contextmanager
def address_space():
    """The words that run a program under `ulimit -v`."""
    yield ["prlimit", f"--as={LIMIT}"], []


@contextlib.contextmanager
def group():
    """The same for a cgroup. It is that of the machine, so the server cannot see the limit and is told."""
    place = GROUPS / f"liststate-{os.getpid()}"
    place.mkdir()
    try:
        (place / "memory.limit_in_bytes").write_text(str(LIMIT))
        yield ["sh", "-c", f"echo $$ > {place}/cgroup.procs && exec \"$@\"", "sh"], ["--memory-mebibytes", "768"]
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                place.rmdir()
                break
            time.sleep(0.1)


def limits():
    yield "ulimit", address_space
    if os.access(GROUPS, os.W_OK):
        yield "cgroup", group


# MARK: Neighbours

class Neighbour:
    """Asks for the same thing again and again, and notes how long each answer takes."""

    def __init__(self, server, path=NEIGHBOUR):
        self.server, self.path = server, path
        self.times, self.refused = [], []
        self._isOver = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while not self._isOver.wait(0.02):
            begin = time.monotonic()
            try:
                status = self.server.ask("GET", self.path).status
            except OSError as error:
                status = str(error)
            self.times.append(time.monotonic() - begin)
            if status != 200:
                self.refused.append(status)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._isOver.set()
        self._thread.join()

    @property
    def text(self):
        median, slowest = statistics.median(self.times), max(self.times)
        refused = f", {len(self.refused)} refused" if self.refused else ""
        return f"neighbour{refused}: median {median * 1e3:6.1f} ms, slowest {slowest * 1e3:8.1f} ms of {len(self.times)}"

    def faults(self):
        """The neighbour may be told to come back while long bodies become lists, but not for most of the time."""
        strange = [status for status in self.refused if status != 503]
        many = 2 * len(self.refused) > len(self.times)
        return [f"{len(self.refused)} of the neighbour's {len(self.times)} requests failed: {strange[:5]}"] \
            if strange or many else []


# MARK: Attackers

def sent(server, data, size=None):
    """Sends bytes as long as the server takes them. Returns the connection."""
    connection = socket.socket()
    if size is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", server.port))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(data)
    return connection


def head(method, path, length=None, *fields):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *fields]
    if length is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def all_at_once(count, work):
    """Runs `work` with each number in a thread of its own. Returns the results."""
    results = [None] * count

    def run(number):
        try:
            results[number] = work(number)
        except OSError as error:
            results[number] = error
    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def answered(connection):
    """The status of the answer, and whether it says when to come back; 0 if the connection ended without one."""
    data = b""
    with contextlib.suppress(OSError):
        while b"\r\n\r\n" not in data and (piece := connection.recv(1 << 16)):
            data += piece
    connection.close()
    answer = parsed(data)
    return answer.status, "retry-after" in answer.headers


def refused_well(answers, *fine):
    """The faults of answers that are neither fine nor a 503 with `Retry-After`."""
    bad = [answer for answer in answers
           if not isinstance(answer, OSError) and answer not in [(503, True)] and answer[0] not in fine]
    return [f"answered {bad[:5]}"] if bad else []


def counted(answers):
    found = {}
    for answer in answers:
        name = type(answer).__name__ if isinstance(answer, OSError) else answer[0]
        found[name] = found.get(name, 0) + 1
    return ", ".join(f"{count} x {name}" for name, count in sorted(found.items(), key=str))


# MARK: The attacks. Each returns what it was answered, and the faults.

def whole_bodies(server):
    """40 lists of 60 MiB at once. Some must come through."""
    body = bodies.long_bodies(LONG)[0].request()[2]
    answers = all_at_once(40, lambda n: answered(sent(server, head("PUT", f"/v1/lists/b{n}", len(body)) + body)))
    made = sum(answer == (201, False) for answer in answers)
    faults = refused_well(answers, 0, 201)
    return counted(answers), faults + ([] if made else ["no list was made"])


def halves(server):
    """60 bodies that end in the middle."""
    half = b"[" + b" " * (32 * MIB)
    answers = all_at_once(60, lambda n: answered(sent(server, head("PUT", f"/v1/lists/h{n}", 64 * MIB) + half)))
    return counted(answers), refused_well(answers, 0)


def promises(server):
    """59 heads that announce 64 MiB, and nothing more. They take no memory."""
    before = server._status("VmSize")
    connections = [sent(server, head("PUT", f"/v1/lists/p{n}", 64 * MIB)) for n in range(59)]
    for n in range(20):
        server.ask("GET", NEIGHBOUR)
    grown = server._status("VmSize") - before
    answers = [answered(connection) for connection in connections]
    faults = refused_well(answers, 0)
    return f"{grown / MIB:.1f} MiB; {counted(answers)}", faults + (
        [f"the heads took {grown / MIB:.1f} MiB"] if grown > 32 * MIB else [])


def long_list(server):
    body = {"sections": [{"id": "s", "items": [item(f"i{n}", {"text": "x" * 60_000}) for n in range(500)]}]}
    if server.ask("PUT", LIST, body).status != 201:
        raise RuntimeError("the long list was not made")


def slow_readers(server):
    """80 clients ask for 30 MB, each for a view of its own, and do not read."""
    long_list(server)
    connections = all_at_once(80, lambda n: sent(
        server, head("GET", f"{LIST}?where=content.n{n}:null&where=content.text:null" if n % 2 else
                     f"{LIST}?view=visible&expanded=i{n}"), 4_096))
    time.sleep(5)
    answers = [answered(connection) for connection in connections if not isinstance(connection, OSError)]
    return counted(answers), refused_well(answers, 0, 200)


def slow_followers(server):
    """80 streams whose first event is 30 MB, each of a view of its own, which nobody reads."""
    long_list(server)
    connections = all_at_once(80, lambda n: sent(
        server, head("GET", f"{LIST}/changes?view=visible&expanded=i{n}", None, "Accept: text/event-stream"), 4_096))
    time.sleep(5)
    answers = [answered(connection) for connection in connections if not isinstance(connection, OSError)]
    return counted(answers), refused_well(answers, 0, 200)


def no_ops(server):
    """600 transactions that change nothing, each with a key, so that their long answers are kept for retries."""
    flat(1)(server)
    version = server.ask("HEAD", LIST).headers["list-version"]
    operations = ",".join(['{"op":"unstarItems","items":["i0"]}'] * 9_999)
    body = ('{"base":"%s","operations":[%s]}' % (version, operations)).encode()
    before = server._status("VmRSS")
    answers, size = [], 0
    for n in range(600):
        answer = server.ask("POST", f"{LIST}/transactions", body, [("Idempotency-Key", f"key-{n}")])
        size = max(size, len(answer.body))
        answers.append((answer.status, "retry-after" in answer.headers))
    kept = server._status("VmRSS") - before
    return f"answers of {size / MIB:.2f} MiB, {kept / MIB:.0f} MiB more; {counted(answers)}", refused_well(answers, 200)


def bare_rows(server):
    """Eight lists of the shortest rows, which take ten times their bytes."""
    body = ('{"sections":[{"id":"s","items":[%s]}]}' % ",".join(
        '{"id":"i%d"}' % n for n in range(1_000_000))).encode()
    answers = all_at_once(8, lambda n: answered(sent(server, head("PUT", f"/v1/lists/r{n}", len(body)) + body)))
    return counted(answers), refused_well(answers, 0, 201)


MEMORY = [
    ("40 bodies of 60 MiB", whole_bodies), ("60 halves of 64 MiB", halves),
    ("59 heads that announce 64 MiB", promises), ("80 slow readers of a view", slow_readers),
    ("80 slow followers of a view", slow_followers), ("600 transactions that change nothing", no_ops),
    ("8 lists of a million short rows", bare_rows),
]


def memory_rows(binary, wants):
    """The name of each attack under each limit, what came of it, and the faults."""
    for limit, limiting in limits():
        for name, attack in MEMORY:
            title = f"137 1 GiB by {limit}: {name}"
            if not wants(title):
                continue
            with limiting() as (command, options), Server(binary, *options, command=command) as server:
                server.ask("PUT", NEIGHBOUR, {"sections": [{"id": "s", "items": [item("i")]}]})
                try:
                    with Neighbour(server) as neighbour:
                        text, faults = attack(server)
                    faults += neighbour.faults() + ended(server)
                    if server._process.poll() is not None:
                        raise RuntimeError(f"the server has ended with {server._process.returncode}")
                    peak = server._status("VmHWM") / MIB, server._status("VmPeak") / MIB
                    text = f"{text}; peak {peak[0]:.0f} MiB, {peak[1]:.0f} MiB of addresses; {neighbour.text}"
                except (OSError, RuntimeError) as error:
                    text, faults = "no answer", [f"{type(error).__name__}: {error}"] + ended(server)
            yield title, text, faults


def ended(server):
    with contextlib.suppress(OSError):
        if server.lives():
            return []
    return ["the server has ended: " + (server.folder / "log").read_text()[-500:]]


# MARK: Slow clients

DEADLINE = 5
SLOW = 250
TIMES_MEDIAN = 100


def slowly(server, number):
    """Attacks slowly in one of five ways. Returns the seconds after which the server has closed the connection."""
    kinds = [
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-", b"a", None),
        (head("PUT", "/v1/lists/slow", 1_000), b" ", None),
        (head("GET", LIST), None, 100),
        (head("GET", f"{LIST}?view=visible"), None, 0),
        (head("GET", f"{LIST}/changes?view=visible", None, "Accept: text/event-stream"), None, 100),
    ]
    begin, bytes_, take = kinds[number % len(kinds)]
    connection = sent(server, begin, 4_096)
    start = time.monotonic()
    while time.monotonic() < start + 4 * DEADLINE:
        time.sleep(0.25)
        try:
            if bytes_:
                connection.sendall(bytes_)
            if take:
                connection.recv(take)
        except OSError:
            break
        if is_closed(connection):
            break
    connection.close()
    return time.monotonic() - start


def is_closed(connection):
    """Whether the server has closed the connection, also if there is more to read."""
    state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state != 1


def becomes_attacker(server):
    global victim
    victim = server


def attack_slowly():
    return all_at_once(SLOW, lambda n: slowly(victim, n))


def slow_rows(binary, wants):
    name = f"119 to 121 {SLOW} slow clients and a probe"
    if not wants(name):
        return
    options = ["--request-deadline-seconds", str(DEADLINE), "--idle-timeout-seconds", str(DEADLINE)]
    with Server(binary, *options) as server:
        put(server, [{"id": "s", "items": [item(f"i{n}", {"text": "x" * 60_000}) for n in range(200)]}])
        server.ask("PUT", NEIGHBOUR, {"sections": [{"id": "s", "items": [item("i")]}]})
        # The attackers' threads would hold up one in the same process.
        with multiprocessing.get_context("fork").Pool(1, becomes_attacker, (server,)) as attackers:
            with Neighbour(server) as probe:
                seconds = attackers.apply(attack_slowly)
        failed = [one for one in seconds if isinstance(one, OSError)]
        latest = max(one for one in seconds if not isinstance(one, OSError))
        faults = probe.faults() + ended(server)
        if failed:
            faults.append(f"{failed[:3]}")
        if latest > DEADLINE + 2:
            late = [number % 5 for number, one in enumerate(seconds) if one > DEADLINE + 2]
            faults.append(f"{len(late)} of kinds {set(late)} were cut after up to {latest:.1f} s")
        if max(probe.times) > TIMES_MEDIAN * statistics.median(probe.times):
            faults.append(f"the slowest answer took more than {TIMES_MEDIAN} times the median")
        yield name, f"cut after at most {latest:.1f} s; {probe.text}", faults
