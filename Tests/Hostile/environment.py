"""Faults around a server, and loads on it, by their numbers. Each is a function that asserts what must come of it."""
import concurrent.futures
import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from cases import ITEMS, LIST, events
from server import TOP, Server, parsed, received

sys.path.insert(0, str(TOP / "Tests/Nodes"))
import cluster  # noqa: E402: it is beside the tests of several servers

COPIES = 24
"""Damaged copies of a folder."""


def victim(server, count=3):
    answer = server.ask("PUT", LIST, {"sections": [{"id": "s", "items": [{"id": f"i{n}"} for n in range(count)]}]})
    assert answer.status == 201, answer.body


def revision(server):
    answer = server.ask("HEAD", LIST)
    assert answer.status == 200, answer.status
    epoch, _, number = answer.headers["list-version"].rpartition("-")
    return epoch, int(number)


def star(server, **more):
    return server.ask("POST", f"{ITEMS}/i0/star", **more)


def asked(connection, path=LIST):
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return parsed(connection.recv(1 << 16))


def answers(answer, *statuses):
    assert answer.status in statuses, (answer.status, answer.body)


def command(binary, *words, **more):
    return subprocess.run([str(binary), *map(str, words)], capture_output=True, text=True, timeout=60, **more)


# MARK: Others' lists

def foreign_lists(binary):
    """What may not be seen is not there, whatever is asked about it."""
    with Server(binary) as server:
        for name in ("a-1", "b-1"):
            server.ask("PUT", f"/v1/lists/{name}", {"sections": [{"id": "s", "items": [{"id": "i0"}]}]})
        made = command(binary, "token", "create", "--name", "a", "--lists", "a-*", "--can", "read,write,delete,create",
                       "--data", server.folder / "data")
        assert made.returncode == 0, made.stderr
        holder = ("Authorization", f"Bearer {made.stdout.split()[-1]}")
        assert server.ask("GET", "/v1/lists/a-1", None, [holder]).status == 200
        other, absent = "/v1/lists/b-1", "/v1/lists/b-2"
        for method, path, body, *headers in [
                ("GET", "", None), ("GET", "/items/i0", None), ("GET", "/sections/s", None), ("GET", "/changes", None),
                ("GET", "/changes", None, ("Accept", "text/event-stream")), ("GET", "/transactions", None),
                ("PUT", "/items/i0/star", None), ("PATCH", "/items/i0", {"kind": "x"}), ("DELETE", "", None),
                ("POST", "/transactions", {"operations": []}), ("POST", "/undo", None), ("POST", "/restore", None)]:
            answers = [server.ask(method, place + path, body, [holder, *headers]) for place in (other, absent)]
            assert answers[0].status == 404, (method, path, answers[0].status, answers[0].body)
            assert answers[0].status == answers[1].status, (method, path, [one.body for one in answers])
        assert server.ask("GET", "/v1/lists/a-1").status == 401


# MARK: Connections

def idle(binary):
    with Server(binary) as server:
        connections = [server.connect() for _ in range(300)]
        begin = time.monotonic()
        assert server.ask("GET", "/healthz").status == 200
        assert time.monotonic() - begin < 1
        for connection in connections:
            connection.close()


def streams(binary):
    with Server(binary, "--streams-per-list-max", "5") as server:
        victim(server)
        kept = [events(server, f"{LIST}/changes") for _ in range(5)]
        for stream in kept:
            assert b"200 OK" in stream.recv(1 << 16)
        data = received(events(server, f"{LIST}/changes", ("Connection", "close")))
        assert b"event: bye" in data and b"too_many_streams" in data, data


def addresses(binary):
    with Server(binary, "--host", "0.0.0.0", "--insecure", "--connections-per-address-max", "5") as server:
        victim(server)
        connections = [server.connect() for _ in range(6)]
        statuses = [asked(connection).status for connection in connections]
        assert statuses == [200] * 5 + [429], statuses
        with socket.create_connection(("127.0.0.1", server.port), 10, ("127.0.0.2", 0)) as other:
            assert asked(other).status == 200


def resets(binary):
    with Server(binary) as server:
        server.ask("PUT", LIST, {"sections": [{"id": "s", "items": [
            {"id": f"i{n}", "content": {"t": "x" * 60_000}} for n in range(100)]}]})
        for _ in range(50):
            connection = server.connect()
            connection.sendall(f"GET {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            connection.recv(100)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        assert server.lives()


def descriptors(binary):
    with Server(binary, command=["prlimit", "--nofile=64:64"]) as server:
        victim(server)
        connections = []
        for _ in range(100):
            with contextlib.suppress(OSError):
                connections.append(socket.create_connection(("127.0.0.1", server.port), 5))
        for connection in connections:
            connection.close()
        assert server.lives()
        assert star(server).status == 200


# MARK: The disk

def full(binary):
    """No file may grow over 1 MiB."""
    with Server(binary, command=["prlimit", f"--fsize={1 << 20}"]) as server:
        victim(server)
        body = {"operations": [{"op": "updateItem", "item": "i0", "content": {"t": "x" * 60_000}}]}
        statuses, number = [], 0
        while 507 not in statuses and number < 200:
            body["operations"][0]["content"]["n"] = number
            statuses.append(server.ask("POST", f"{LIST}/transactions", body).status)
            number += 1
        assert set(statuses) == {200, 507}, set(statuses)
        assert server.ask("GET", f"{ITEMS}/i0").json["content"]["n"] == number - 2, "the refused write is there"
        assert server.lives()


@contextlib.contextmanager
def library():
    with tempfile.TemporaryDirectory(prefix="liststate-faults-") as folder:
        place = pathlib.Path(folder)
        place.chmod(0o755)
        source = pathlib.Path(__file__).with_name("faults.c")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", place / "faults.so", source, "-ldl"], check=True)
        yield place


def sync_fails(binary):
    with library() as place, Server(
            binary, command=["env", f"LD_PRELOAD={place}/faults.so", f"FAULT={place}/now"]) as server:
        victim(server)
        assert star(server).status == 200
        before = revision(server)
        (place / "now").touch()
        assert star(server).status == 503
        (place / "now").unlink()
        # The disk may have dropped what it could not write, so nothing is written after it.
        assert star(server).status == 503
        assert server.ask("GET", "/readyz").status == 503
        assert server.lives()
        assert revision(server) == before


def damaged_copies(binary, damage):
    """Starts servers on copies of a folder whose database is damaged. Each refuses, or has a state that was there."""
    chance = random.Random(7)
    with Server(binary) as server, tempfile.TemporaryDirectory(prefix="liststate-copies-") as work:
        victim(server)
        known = []
        for n in range(30):
            star(server)
            known.append(server.ask("GET", LIST).json["sections"])
        folder = server.folder / "data"
        for n in range(COPIES):
            copy = pathlib.Path(work) / str(n)
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("lock", "control*"))
            (copy / "acknowledged").unlink(missing_ok=True)
            damage(copy, chance)
            with started(binary, copy) as (process, port):
                if port is None:
                    assert process.returncode in (65, 74, 76), process.returncode
                    continue
                answer = ask(port, LIST)
                assert answer.status in (200, 404, 503), answer.status
                if answer.status == 200:
                    assert answer.json["sections"] in known or answer.json["sections"][0]["items"], "a state of nobody"


@contextlib.contextmanager
def started(binary, folder, *options):
    """A server on a folder, and its port; nil if it has refused to start."""
    process = subprocess.Popen([str(binary), "serve", "--port", "0", "--data", str(folder), *options],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        line = process.stdout.readline().decode()
        if not line:
            process.wait(30)
        yield process, int(line.split("http://127.0.0.1:")[1].split(",")[0]) if line else None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ask(port, path, method="GET"):
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                           .encode())
        return parsed(received(connection))


def written(copy):
    """The file that has the newest commits."""
    files = [copy / "liststate.db-wal", copy / "liststate.db"]
    return next(file for file in files if file.exists() and file.stat().st_size > 0)


def cut(copy, chance):
    file = written(copy)
    os.truncate(file, chance.randrange(file.stat().st_size))


def flipped(copy, chance):
    file = written(copy)
    data = bytearray(file.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def second_process(binary):
    with Server(binary) as server:
        with started(binary, server.folder / "data") as (process, port):
            assert port is None and process.returncode == 75, process.returncode
        assert server.lives()


def read_only(binary):
    with tempfile.TemporaryDirectory(prefix="liststate-readonly-") as work:
        place = pathlib.Path(work)
        program = shutil.copy(binary, place / "liststate")
        place.chmod(0o555)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*as_nobody, program, "serve", "--port", "0", "--data", place / "data"],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 77 and done.stderr, (done.returncode, done.stderr)


# MARK: Time and signals

def clocks(binary):
    with library() as place, tempfile.TemporaryDirectory(prefix="liststate-clock-") as work:
        for number, shift in enumerate([0, -3_600, 10 * 365 * 86_400, 0]):
            os.environ.update(LD_PRELOAD=f"{place}/faults.so", SHIFT=str(shift))
            try:
                with started(binary, pathlib.Path(work) / "data") as (_, port):
                    if number == 0:
                        assert ask(port, "/v1/samples/wifi", "POST").status in (200, 201)
                        first = ask(port, "/v1/lists/wifi").headers["list-version"]
                    item = ask(port, "/v1/lists/wifi").json["sections"][0]["items"][0]["id"]
                    answer = ask(port, f"/v1/lists/wifi/items/{item}/star", "POST")
                    assert answer.status == 200, answer.body
                    epoch, _, revision = first.rpartition("-")
                    assert answer.headers["list-version"] == f"{epoch}-{int(revision) + number + 1}", answer.headers
            finally:
                del os.environ["LD_PRELOAD"], os.environ["SHIFT"]


def writers(server, count, until):
    """Stars by several clients at once until `until` says so. Returns the number that was answered."""
    def write(_):
        done = 0
        while not until():
            try:
                done += star(server).status == 200
            except OSError:
                break
        return done
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return sum(pool.map(write, range(count)))


def stopped(binary):
    with Server(binary) as server:
        victim(server)
        _, before = revision(server)
        end = time.monotonic() + 1
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            done = pool.submit(writers, server, 8, lambda: time.monotonic() > end + 10)
            while time.monotonic() < end:
                time.sleep(0.01)
            os.kill(server.pid, signal.SIGTERM)
            assert server._process.wait(14) == 0, server._process.returncode
            answered = done.result()
        server.restart()
        _, after = revision(server)
        assert after >= before + answered, f"{answered} writes were answered, {after - before} are there"


def paused(binary):
    with Server(binary) as server:
        victim(server)
        os.kill(server.pid, signal.SIGSTOP)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = [pool.submit(star, server) for _ in range(20)]
            time.sleep(2)
            os.kill(server.pid, signal.SIGCONT)
            assert [answer.result().status for answer in answers] == [200] * 20
        assert revision(server)[1] == 21


def killed(binary):
    with Server(binary) as server:
        victim(server)
        answered = 0
        for _ in range(5):
            end = time.monotonic() + 0.3
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                done = pool.submit(writers, server, 8, lambda: time.monotonic() > end + 5)
                while time.monotonic() < end:
                    time.sleep(0.01)
                os.kill(server.pid, signal.SIGKILL)
                answered += done.result()
            server.restart()
            assert revision(server)[1] >= 1 + answered, "an answered write is lost"


def port_in_use(binary):
    with Server(binary) as server, tempfile.TemporaryDirectory(prefix="liststate-port-") as work:
        done = command(binary, "serve", "--port", server.port, "--data", pathlib.Path(work) / "data")
        assert done.returncode == 69 and str(server.port) in done.stderr, (done.returncode, done.stderr)


def until(port, status):
    """Waits until the server is ready, or not ready."""
    end = time.monotonic() + 30
    while ask(port, "/readyz").status != status:
        assert time.monotonic() < end, f"/readyz does not become {status}"
        time.sleep(0.1)


def database_ends(binary):
    """PostgreSQL is killed: writes are refused, the server is alive, and not ready. When it comes back, all is well."""
    with tempfile.TemporaryDirectory(prefix="liststate-database-") as work:
        folder = pathlib.Path(work)
        database = cluster.Cluster(folder, has_standby=False)
        url = f"postgres://postgres@/lists?host={database.primary.folder}&connect_timeout=2&sslmode=disable"
        process = subprocess.Popen([str(binary), "serve", "--port", "0", "--store", url],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            port = int(process.stdout.readline().decode().split("http://127.0.0.1:")[1].split(",")[0])
            answers(ask(port, "/v1/samples/wifi", "POST"), 200, 201)
            database.primary.stop(signal.SIGQUIT)
            answers(ask(port, "/v1/samples/wifi", "POST"), 503)
            until(port, 503)
            answers(ask(port, "/healthz"), 200)
            database.primary.start()
            database.primary.wait()
            until(port, 200)
            answers(ask(port, "/v1/samples/wifi", "POST"), 200)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            database.stop()


FAULTS = [
    (117, "lists of others", foreign_lists), (118, "300 idle connections", idle),
    (122, "one stream too many", streams), (123, "one connection of an address too many", addresses),
    (124, "connections reset within answers", resets), (125, "no descriptors", descriptors), (126, "a full disk", full),
    (127, "a sync that fails", sync_fails),
    (128, "a log that is cut", lambda binary: damaged_copies(binary, cut)),
    (129, "a log with another bit", lambda binary: damaged_copies(binary, flipped)),
    (130, "a second process", second_process), (131, "a folder that cannot be written", read_only),
    (132, "clocks that jump", clocks), (133, "SIGTERM under load", stopped), (134, "SIGSTOP for a while", paused),
    (135, "kill -9 five times", killed), (136, "a port in use", port_in_use),
    (138, "PostgreSQL is killed", database_ends),
]


def rows(binary, wants):
    """The name of each fault, and what went wrong."""
    for number, name, fault in FAULTS:
        name = f"{number} {name}"
        if not wants(name):
            continue
        faults = []
        begin = time.monotonic()
        try:
            fault(binary)
        except (AssertionError, OSError, RuntimeError, KeyError, subprocess.SubprocessError) as error:
            faults.append(f"{type(error).__name__}: {error}")
        yield name, f"{time.monotonic() - begin:.1f} s", faults
