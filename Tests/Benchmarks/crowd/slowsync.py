"""The scene `slow-sync` of bench.py: what readers wait while each sync of the server takes 3 s longer.

Writers star items of some lists all the time. A reader has one request every 5 ms or less often, and takes turns: a
list that is loaded and written to, a list that nobody has asked for since the start, the changes of a list since its
first version, and a page of lists. Each round measures them twice, each time with a new server: with the disk as it is,
and with filecalls.c as a disk with slow syncs. The time of an answer begins when its request was due.
"""
import http.client
import multiprocessing
import statistics
import struct
import threading
import time

SYNC_MICROSECONDS = 3_000_000
INTERVAL_SECONDS = 0.005
# A measurement takes at least so long, so that there are several slow syncs.
SECONDS_MIN = 12
WRITERS, WRITTEN_LISTS = 8, 4
WRITE_PAUSE_SECONDS = 0.05
SLOWER_MS = 50
KINDS = ("loaded", "first read", "changes", "page")


class Board:
    """The board of filecalls.c. The server maps the file, so it is changed in place."""
    COUNTS, FAULT_AT, FAULT, NUMBER, SYNCS = 9 + 4096, 1, 2, 3, 8
    SLOW_SYNCS = 8

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(8 * self.COUNTS))

    def set(self, place, number):
        with open(self.path, "r+b") as file:
            file.seek(8 * place)
            file.write(struct.pack("q", number))

    def get(self, place):
        return struct.unpack_from("q", self.path.read_bytes(), 8 * place)[0]

    def slow_syncs(self, microseconds):
        """Makes each sync slower; 0 makes none slower."""
        self.set(self.NUMBER, microseconds)
        self.set(self.FAULT_AT, 1)
        self.set(self.FAULT, self.SLOW_SYNCS if microseconds else 0)


def ask(client, method, path):
    client.request(method, path)
    response = client.getresponse()
    body = response.read()
    if response.status != 200:
        raise SystemExit(f"{method} {path}: {response.status} {body[:1000]}")
    return response, body


def write(port, names, started, ending):
    """Stars items of the lists, from several connections, until the end."""
    def run(number):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        turn = 0
        while not ending.is_set():
            # Each of these changes the star.
            ask(client, "POST", f"/v1/lists/{names[number % len(names)]}/items/item-{number:07}/star")
            turn += 1
            if turn == 2:
                started.release()
            time.sleep(WRITE_PAUSE_SECONDS)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Reader:
    def __init__(self, port, written, unread):
        self.client = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.written, self.unread = written, iter(unread)
        self.page = "/v1/lists?limit=100"
        self.first = {name: ask(self.client, "HEAD", f"/v1/lists/{name}")[0].headers["List-Version"]
                      for name in written}
        self.waits = {kind: [] for kind in KINDS}

    def read(self, kind, turn):
        name = self.written[turn % len(self.written)]
        if kind == "loaded":
            ask(self.client, "GET", f"/v1/lists/{name}")
        elif kind == "first read":
            ask(self.client, "GET", f"/v1/lists/{next(self.unread)}")
        elif kind == "changes":
            ask(self.client, "GET", f"/v1/lists/{name}/changes?since={self.first[name]}")
        else:
            link = ask(self.client, "GET", self.page)[0].headers["Link"]
            self.page = link[link.index("<") + 1:link.index(">")] if link else "/v1/lists?limit=100"

    def run(self, count):
        due, interval = time.perf_counter(), max(INTERVAL_SECONDS, SECONDS_MIN / (len(KINDS) * count))
        for turn in range(count):
            for kind in KINDS:
                time.sleep(max(0, due - time.perf_counter()))
                self.read(kind, turn)
                self.waits[kind].append((time.perf_counter() - due) * 1000)
                due += interval


def measure(start, names, unread, board, microseconds):
    """The slowest reads of each kind, in milliseconds, the number of syncs, and the seconds that it took."""
    server = start()
    reader = Reader(server.port, names, unread)
    started, ending = multiprocessing.Semaphore(0), multiprocessing.Event()
    writer = multiprocessing.Process(target=write, args=(server.port, names, started, ending), daemon=True)
    writer.start()
    for _ in range(WRITERS):
        started.acquire()
    board.slow_syncs(microseconds)
    before, began = board.get(Board.SYNCS), time.monotonic()
    reader.run(len(unread))
    seconds, syncs = time.monotonic() - began, board.get(Board.SYNCS) - before
    ending.set()
    board.slow_syncs(0)
    writer.join()
    server.stop()
    return {kind: max(waits) for kind, waits in reader.waits.items()}, syncs, seconds


def scene(start, names, rounds, board):
    """Prints the table. Returns whether the median of the rounds misses the goal.

    - start: starts a server whose syncs the board can make slow, on a folder that has the lists.
    - names: lists of 1,000 items.
    """
    written, unread = names[:WRITTEN_LISTS], names[WRITTEN_LISTS:]
    more = {kind: [] for kind in KINDS}
    print(f"\nslow-sync, slowest reads in ms{'':8}" + "".join(f"{kind:>12}" for kind in KINDS) + f"{'syncs':>8}")
    for number in range(rounds):
        plain, plain_syncs, _ = measure(start, written, unread, board, 0)
        slow, slow_syncs, seconds = measure(start, written, unread, board, SYNC_MICROSECONDS)
        # In the time of one sync no other begins, and writers wait for the next.
        wanted = seconds / (SYNC_MICROSECONDS / 1e6)
        if not wanted / 2 < slow_syncs <= wanted + 1:
            raise SystemExit(f"{slow_syncs} syncs in {seconds:.0f} s, each of them of 3 s")
        for title, figures, count in (("as it is", plain, plain_syncs), ("syncs of 3 s", slow, slow_syncs)):
            print(f"round {number + 1}: {title:28}" + "".join(f"{figures[kind]:12.2f}" for kind in KINDS)
                  + f"{count:>8}", flush=True)
        for kind in KINDS:
            more[kind].append(slow[kind] - plain[kind])
    medians = {kind: statistics.median(figures) for kind, figures in more.items()}
    missed = max(medians.values()) > SLOWER_MS
    print(f"{f'more, median, goal {SLOWER_MS}':37}" + "".join(f"{figure:12.2f}" for figure in medians.values())
          + ("  missed" if missed else "  ok"), flush=True)
    return missed
