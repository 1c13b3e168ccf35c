#!/usr/bin/env python3
"""How long the neighbours of a heavy client wait, as ratios to a C program that only computes.

    bench.py SERVER-BINARY [--rounds 3] [--threads 2] [--only SCENE] [--folder .build] [--quick]

The neighbours are those of neighbours.c: three readers and one starrer of the Emoji Explorer, each with one request
every 2 ms, a health check, and a stream of a list that does not change. The time of an answer begins when its request
was due, so a server that stands still is not flattered. In each round the neighbours are measured three times for each
scene: beside the heavy requests, alone, and beside burn.c, which has as many threads as --threads says. The last two
take as long as the first, and a second at least. The output has medians over the rounds. The server has one loop, so
everybody is on the same.

    put             PUT of a list of 64 MiB
    put-again       the same PUT again, which changes nothing
    delete-half     a transaction that deletes every second of 500,000 items
    undo            its undo
    snapshot        the first GET of 1,000,000 items
    snapshot-gzip   the first GET of their next version, with gzip
    sorted          six pages of their rows in two orders
    filtered        six pages of their rows with one of two texts
    load            the first GET of 1,000,000 items after a restart
    many-loads      the first GETs of 1,000 lists of 1,000 items
    backup          `liststate backup` to a disk on which each write takes 3 ms longer (filecalls.c is preloaded)
    slow-sync       reads while each sync takes 3 s longer (slowsync.py)
    turns           writes that need a worker, beside another client's searches (turns.py)
    recovery        writes of one list after a long one amid them (recovery.py)

The first four are measured in memory and on a disk, the next four in memory, and the others on a disk.

The scenes slow-sync, turns and recovery have other neighbours. The slowest read of each kind takes at most 50 ms more
with slow syncs than without, and the slowest write beside searches at most 50 ms, as medians of the rounds. After a
long write a list has at least half as many writes a second as before.

There are four goals for each other scene. The p99 is at most five times the p99 beside burn.c, as the median of the
ratios of each round. The slowest answer, the median of the rounds, takes at most 30 ms. The longest silence of the
stream is at most its heartbeat of a second, the 250 ms after which a loop looks for silent streams again, and those
30 ms. The heartbeat is due at the beginning of the heavy requests. A health check is answered within a second.
"""
import argparse
import collections
import http.client
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import (HERE, LIST, STAR, WORK, Process, busy_percent, compiled, conclude, exit_on_signals, folder_on_disk,
                     free_port, ratio, request_file)
import recovery
import slowsync
import turns

INTERVAL_MICROSECONDS = 2000
HEARTBEAT_SECONDS = 1
WINDOW_SECONDS = 1
SLOW_WRITE_MICROSECONDS = 3000
P99_RATIO, SLOWEST_MS, HEALTH_MS = 5, 30, 1000
SILENCE_MS = HEARTBEAT_SECONDS * 1000 + 250 + SLOWEST_MS
# After this silence the neighbours begin, so that the heartbeat is due within the heavy requests.
SILENCE_BEFORE_MS = HEARTBEAT_SECONDS * 1000 - 50
# Nothing here is about limits, so all are far away.
FAR = 1 << 30
OPTIONS = ["--loops", 1, "--samples", "--heartbeat-seconds", HEARTBEAT_SECONDS, "--request-deadline-seconds", 600,
           *(part for name in ("body", "list-body", "transaction", "history") for part in (f"--{name}-bytes-max", FAR)),
           "--transaction-rows-max", FAR]
WORDS = ["acorn", "birch", "cedar", "daisy", "elder", "fern", "gorse", "hazel"]
MANY_ITEMS = 1000
# From filecalls.c: the size of its board, the places in it, and the fault of a slow disk.
BOARD_NUMBERS, FAULT_AT, FAULT, NUMBER, IS_SLOW = 9 + 4096, 1, 2, 3, 7

Figures = collections.namedtuple("Figures", "count p50 p99 slowest slowest_get slowest_star health silence")


def item(number, count):
    """An item of 106 bytes. The order of the titles is not that of the items."""
    place = number * 7_919 % count
    return (f'{{"id":"item-{number:07}","content":{{"title":"{WORDS[place % len(WORDS)]} {place:07}",'
            f'"note":"one of the items of a long list"}}}}')


def list_body(name, count):
    items = ",".join(item(number, count) for number in range(count))
    return f'{{"id":"{name}","title":"A long list","sections":[{{"id":"main","items":[{items}]}}]}}'.encode()


class Sizes:
    def __init__(self, is_quick):
        part = 10 if is_quick else 1
        # A few bytes are left for what is around the items.
        self.put_items = ((64 << 20) // part - 256) // (len(item(0, 1)) + 1)
        self.deletion_items, self.items, self.lists = 500_000 // part, 1_000_000 // part, 1_000 // part


class Neighbours:
    """neighbours.c, from its first answers until the figures are asked for."""

    def __init__(self, programs, port):
        files = [request_file("get", LIST), request_file("star", STAR, "POST"), request_file("health", "/healthz"),
                 request_file("stream", "/v1/lists/mountains/changes", headers={"Accept": "text/event-stream"})]
        command = [str(part) for part in (
            programs["neighbours"], port, *files, INTERVAL_MICROSECONDS, SILENCE_BEFORE_MS)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            sys.exit("the neighbours failed")

    def figures(self):
        out, _ = self.process.communicate("end\n")
        if self.process.returncode != 0:
            sys.exit("the neighbours failed")
        return Figures(*(float(part) for part in out.split()))


class Server:
    """A measured server, and the client whose requests are heavy."""

    def __init__(self, options, *store, environment=()):
        self.port = free_port()
        self.process = Process(
            ["env", *environment, options.server, "serve", *store, "--port", self.port, *OPTIONS])
        self.client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, method, path, body=None, **fields):
        """Sends a request and reads its answer, of which only the fields are kept."""
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.client.request(method, path, body, headers)
        response = self.client.getresponse()
        if response.status not in (200, 201):
            sys.exit(f"{method} {path}: {response.status} {response.read(1000)}")
        room = bytearray(1 << 20)
        while response.readinto(room):
            pass
        return response.headers

    def pages(self, path, count):
        """Reads the pages of a list, as many as are wanted."""
        for _ in range(count):
            link = self.ask("GET", path)["Link"]
            if link is None:
                sys.exit(f"{path} is the last page")
            path = link[link.index("<") + 1:link.index(">")]

    def stop(self):
        self.client.close()
        self.process.stop()


class Row:
    """A scene on one kind of store, with the figures of each round."""

    def __init__(self, name, store):
        self.name, self.store = name, store
        self.beside, self.alone, self.burning, self.seconds = [], [], [], []

    def median(self, kind, figure):
        return statistics.median(getattr(figures, figure) for figures in getattr(self, kind))

    def worst(self, figure):
        return max(getattr(figures, figure) for figures in self.beside)

    @property
    def ratio(self):
        return ratio([figures.p99 for figures in self.beside], [figures.p99 for figures in self.burning])

    @property
    def missed(self):
        """The goals that are missed."""
        goals = [("p99", self.ratio, P99_RATIO), ("slowest", self.median("beside", "slowest"), SLOWEST_MS),
                 ("heartbeat", self.median("beside", "silence"), SILENCE_MS),
                 ("health", self.median("beside", "health"), HEALTH_MS)]
        return [name for name, figure, goal in goals if figure > goal]


class Crowd:
    """The scenes. `writes`, `reads` and `loads` are each one round of some of them, with servers of their own."""

    def __init__(self, options, programs, folder):
        self.options, self.programs, self.folder = options, programs, folder
        self.sizes = Sizes(options.quick)
        self.bodies, self.rows = {}, {}

    def body(self, name, count):
        if (name, count) not in self.bodies:
            self.bodies[name, count] = list_body(name, count)
        return self.bodies[name, count]

    def beside(self, server, name, store, heavy):
        """Measures the neighbours beside `heavy`, then as long alone, and as long beside burn.c."""
        if self.options.only not in (None, name):
            heavy()
            return
        row = self.rows.setdefault((name, store), Row(name, store))
        seconds, figures = self.window(server, heavy)
        row.seconds.append(seconds)
        row.beside.append(figures)
        rest = max(seconds, WINDOW_SECONDS)
        server.process.wait_until_idle()
        row.alone.append(self.window(server, lambda: time.sleep(rest))[1])
        burner = subprocess.Popen([self.programs["burn"], str(self.options.threads)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        burner.stdout.readline()
        row.burning.append(self.window(server, lambda: time.sleep(rest))[1])
        burner.communicate()

    def window(self, server, work):
        neighbours = Neighbours(self.programs, server.port)
        start = time.monotonic()
        work()
        seconds = time.monotonic() - start
        return seconds, neighbours.figures()

    def new_folder(self):
        return self.folder / f"data-{time.monotonic_ns()}"

    def writes(self, store):
        server = Server(self.options, *(["--memory"] if store == "memory" else ["--data", self.new_folder()]))
        put = self.body("put", self.sizes.put_items)
        for name in ("put", "put-again"):
            self.beside(server, name, store, lambda: server.ask("PUT", "/v1/lists/put", put))
        count = self.sizes.deletion_items
        server.ask("PUT", "/v1/lists/half", self.body("half", count))
        ids = ",".join(f'"item-{number:07}"' for number in range(0, count, 2))
        deletion = f'{{"operations":[{{"op":"deleteItems","items":[{ids}]}}]}}'.encode()
        answers = []
        self.beside(server, "delete-half", store, lambda: answers.append(
            server.ask("POST", "/v1/lists/half/transactions", deletion)))
        undo = f'{{"transaction":"{answers[0]["List-Version"]}"}}'.encode()
        self.beside(server, "undo", store, lambda: server.ask("POST", "/v1/lists/half/undo", undo))
        server.stop()

    def reads(self, store):
        server = Server(self.options, "--memory")
        path = "/v1/lists/long"
        server.ask("PUT", path, self.body("long", self.sizes.items))
        self.beside(server, "snapshot", store, lambda: server.ask("GET", path))
        server.ask("PUT", f"{path}/items/item-0000000/star")
        self.beside(server, "snapshot-gzip", store, lambda: server.ask("GET", path, Accept_Encoding="gzip"))
        pages = {"sorted": ("sort=content.title", "sort=-content.title"),
                 "filtered": (f"filter={WORDS[1]}", "filter=7&field=title")}
        for name, queries in pages.items():
            self.beside(server, name, store, lambda: [
                server.pages(f"{path}?{query}&limit=100", 3) for query in queries])
        server.stop()

    def loads(self, store):
        """One folder is filled before the first round and used by all."""
        data, lists = self.filled()
        server = Server(self.options, "--data", data)
        self.beside(server, "load", store, lambda: server.ask("GET", "/v1/lists/long"))
        self.beside(server, "many-loads", store, lambda: [server.ask("GET", f"/v1/lists/{name}") for name in lists])
        server.stop()
        if self.options.only not in (None, "backup"):
            return
        target = self.new_folder()
        target.mkdir()
        server = Server(self.options, "--data", data, environment=self.slow_disk(target))
        command = [self.options.server, "backup", target / "copy.db", "--data", data]
        self.beside(server, "backup", store, lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
        server.stop()
        if struct.unpack_from("q", (WORK / "board").read_bytes())[0] == 0:
            sys.exit("filecalls.c has seen no write of the copy")

    def filled(self):
        """The folder, which is filled the first time, and its lists of 1,000 items."""
        data = self.folder / "loads"
        lists = [f"many-{number}" for number in range(self.sizes.lists)]
        if not data.exists():
            server = Server(self.options, "--data", data)
            server.ask("PUT", "/v1/lists/long", self.body("long", self.sizes.items))
            for name in lists:
                server.ask("PUT", f"/v1/lists/{name}", list_body(name, MANY_ITEMS))
            server.stop()
        return data, lists

    def slow_syncs(self):
        """The scene slow-sync. Returns whether its goal was missed."""
        data, lists = self.filled()
        board = slowsync.Board(WORK / "board")
        environment = self.watched(data, board.path)
        return slowsync.scene(
            lambda: Server(self.options, "--data", data, environment=environment), lists, self.options.rounds, board)

    def turns(self):
        """The scene turns. Returns whether its goal was missed."""
        server = Server(self.options, "--memory")
        server.ask("PUT", "/v1/lists/long", self.body("long", self.sizes.items))
        self.bodies.clear()
        missed = turns.scene(server.port, "long", self.options.rounds)
        server.stop()
        return missed

    def recovery(self):
        """The scene recovery. Returns whether its goal was missed."""
        server = Server(self.options, "--memory")
        missed = recovery.scene(server, self.options.rounds)
        server.stop()
        return missed

    def slow_disk(self, target):
        """The variables with which a server finds the disk below `target` slow."""
        board = WORK / "board"
        numbers = [0] * BOARD_NUMBERS
        numbers[FAULT_AT], numbers[FAULT], numbers[NUMBER] = 1, IS_SLOW, SLOW_WRITE_MICROSECONDS
        board.write_bytes(struct.pack(f"{BOARD_NUMBERS}q", *numbers))
        return self.watched(target, board)

    @staticmethod
    def watched(target, board):
        """The variables with which a server has filecalls.c watch the files below `target`."""
        library = WORK / "filecalls.so"
        if not library.exists():
            source = HERE.parent / "Shims/filecalls.c"
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return f"LD_PRELOAD={library}", f"FILECALLS_UNDER={target.resolve()}", f"FILECALLS_BOARD={board}"


# The rounds, each with the stores on which it is measured and with its scenes.
ROUNDS = [(Crowd.writes, ("memory", "disk"), ("put", "put-again", "delete-half", "undo")),
          (Crowd.reads, ("memory",), ("snapshot", "snapshot-gzip", "sorted", "filtered")),
          (Crowd.loads, ("disk",), ("load", "many-loads", "backup"))]


def cell(number, width):
    """A number with the digits that can be told: two decimals below 100, and none above."""
    return f"{number:{width}.{2 if number < 100 else 0}f}"


def print_row(row):
    figures = [row.median("beside", "p99"), row.median("burning", "p99"), row.ratio, row.median("beside", "slowest"),
               row.worst("slowest"), row.median("beside", "silence"), row.median("beside", "health"),
               statistics.median(row.seconds)]
    print(f"{row.name:15}{row.store:7}" + "".join(cell(figure, 9) for figure in figures)
          + ("  missed: " + ", ".join(row.missed) if row.missed else "  ok"), flush=True)


def print_details(rows):
    """The figures that have no goal."""
    kinds = ("beside", "alone", "burning")
    print(f"\n{'medians, ms':22}" + "".join(f"{kind:>24}" for kind in kinds) + f"{'slowest beside':>18}")
    print(f"{'scene':15}{'store':7}" + f"{'p50':>8}{'p99':>8}{'slowest':>8}" * 3 + f"{'GET':>9}{'star':>9}")
    for row in rows:
        figures = [row.median(kind, figure) for kind in kinds for figure in ("p50", "p99", "slowest")]
        print(f"{row.name:15}{row.store:7}" + "".join(cell(figure, 8) for figure in figures)
              + cell(row.median("beside", "slowest_get"), 9) + cell(row.median("beside", "slowest_star"), 9))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", type=int, default=2, help="of burn.c, as many as the server's pool has")
    parser.add_argument("--only", metavar="SCENE", 
                        choices=[name for _, _, names in ROUNDS for name in names] + ["slow-sync", "turns", "recovery"])
    parser.add_argument("--folder", type=pathlib.Path, default=HERE.resolve().parents[1] / ".build",
                        help="on the disk to use; .build of the checkout if left out")
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, and one round")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    exit_on_signals()

    busy = busy_percent(2)
    folder, disk = folder_on_disk(options.folder)
    programs = {"neighbours": compiled("crowd/neighbours.c"), "burn": compiled("crowd/burn.c", "-pthread")}
    crowd = Crowd(options, programs, folder)
    sizes = crowd.sizes
    print(f"PUT of {sizes.put_items:,} items, deletion in {sizes.deletion_items:,}, reads of {sizes.items:,}, "
          f"{sizes.lists:,} lists; {disk}\n"
          f"rounds: {options.rounds}, threads: {options.threads}, cores: {os.cpu_count()}, {busy:.0f} % busy before"
          + (": too busy to tell anything" if busy > 15 else ""))
    for cells in (("in ms", "", "p99", "burning", "ratio", "slowest", "worst", "silence", "health", "seconds"),
                  ("scene", "store", "", "p99", "", "", "slowest", "", "", ""),
                  ("goal", "", "", "", P99_RATIO, SLOWEST_MS, "", SILENCE_MS, HEALTH_MS, "")):
        print(f"{cells[0]:15}{cells[1]:7}" + "".join(f"{cell:>9}" for cell in cells[2:]), flush=True)
    for scenes, stores, names in ROUNDS:
        if options.only not in (None, *names):
            continue
        for store in stores:
            for _ in range(options.rounds):
                scenes(crowd, store)
            for row in crowd.rows.values():
                if row.store == store and row.name in names:
                    print_row(row)
        crowd.bodies.clear()
    print_details(crowd.rows.values())
    is_slower = options.only in (None, "slow-sync") and crowd.slow_syncs()
    waits_long = options.only in (None, "turns") and crowd.turns()
    is_slow_after = options.only in (None, "recovery") and crowd.recovery()
    print()
    conclude(is_slower or waits_long or is_slow_after or any(row.missed for row in crowd.rows.values()))


if __name__ == "__main__":
    main()
