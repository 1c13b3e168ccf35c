#!/usr/bin/env python3
"""Many readers of one list through a cache, while somebody writes to it.

    readers.py SERVER [--readers 100000] [--seconds 60] [--quick]

The server gets a write each second. The readers (readers.c) ask nginx, which has the configuration of docker/nginx.conf
and asks the server. There are two scenes. In the first one each reader asks every 10 s for the version
of the head, and for the changes up to that. In the second one it asks by long polls for the changes since its version.
At the end of both nobody writes for longer than a long poll is, and at last there is one more write. Then:

- Every reader is at the head. None has been led back to an earlier version, has got changes from another version than
  its own, contents that do not fit a version, or an empty answer before its long poll was over.
- The server has never been asked for the same thing twice at the same time, and not more often than twice for each
  second in which it was asked for it. Requests for changes name the version that the reader has, so this is for each
  version. Without --quick, the server has not been asked more than twice within any second either.

The readers of a long poll have a connection each. A process may have some number of descriptors (`ulimit -Hn`). So
there are as many workers of nginx and processes of readers as that takes, and each process connects from an address of
its own.
"""
import argparse
import json
import pathlib
import resource
import select
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Benchmarks"))
from harness import WORK, Process, compiled, free_port

from cache import Cache
from origin import Origin

LIST = "/v1/lists/followed"
DESCRIPTORS_MAX = 20_000
CONNECTIONS = 200
"""Of each process whose readers take turns."""
COUNTS = ["requests", "steps", "nothing new", "older heads", "too early", "back", "elsewhere", "wrong content",
          "resets", "reconnects", "not at the head"]
# What nginx says when it has just kept an answer with a longer head than the one before: docs/scale.md.
SWAPPED = "has too long header"
FAULTS = ["too early", "back", "elsewhere", "wrong content", "resets", "not at the head"]


class Writer:
    """The one who writes the list: each version's item has the revision as its content."""

    def __init__(self, port):
        self._url = f"http://127.0.0.1:{port}{LIST}"
        item = {"id": "item", "content": {"revision": 1}}
        self._send("PUT", "", {"id": "followed", "title": "Followed", "sections": [{"id": "main", "items": [item]}]})
        self.revision = 1

    def _send(self, method, path, body):
        request = urllib.request.Request(
            self._url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as response:
            return response.headers["List-Version"]

    def write(self):
        """Writes, and waits a second."""
        self.revision += 1
        version = self._send("PATCH", "/items/item", {"content": {"revision": self.revision}})
        if int(version.rpartition("-")[2]) != self.revision:
            sys.exit(f"the list is at {version}, and not at revision {self.revision}")
        time.sleep(1)


class Readers:
    """Processes of readers.c."""

    def __init__(self, program, port, count, processes, interval, wait):
        """They ask every `interval` seconds, by long polls of `wait` seconds; 0 is none."""
        self._processes = []
        for number in range(processes):
            share = count // processes + (number < count % processes)
            words = [program, f"127.0.0.{number + 2}", port, LIST, share, share if wait else CONNECTIONS, interval,
                     wait]
            self._processes.append(subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        self._joining = list(self._processes)

    @property
    def are_joining(self):
        """Whether some do not have the list yet."""
        for process in list(self._joining):
            if select.select([process.stdout], [], [], 0)[0]:
                if process.stdout.readline() != "ready\n":
                    sys.exit("the readers failed")
                self._joining.remove(process)
        return bool(self._joining)

    def end(self, revision):
        """Waits until they have read up to a revision. Returns their counts."""
        for process in self._processes:
            process.stdin.write(f"end {revision}\n")
            process.stdin.flush()
        lines = [process.communicate()[0].split() for process in self._processes]
        if any(process.returncode != 0 for process in self._processes):
            sys.exit("the readers failed")
        return dict(zip(COUNTS, (sum(int(number) for number in column) for column in zip(*lines))))


def scene(options, program, name, interval, wait):
    """Returns the sentences about what is wrong."""
    server_port, cache_port = free_port(), free_port()
    server = Process([options.server, "serve", "--memory", "--shared-cache-seconds", 1, "--port", server_port])
    writer, origin = Writer(server_port), Origin(server_port)
    # A connection takes a descriptor of a worker; the kernel deals them out evenly, but not exactly.
    descriptors = min(DESCRIPTORS_MAX, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    processes = -(-options.readers * 4 // (3 * descriptors)) if wait else 2
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        cache = Cache(pathlib.Path(folder), cache_port, origin.port, processes, descriptors)
        readers = Readers(program, cache_port, options.readers, processes, interval, wait)
        began = time.monotonic()
        while readers.are_joining:
            writer.write()
        joined = time.monotonic()
        for _ in range(options.seconds):
            writer.write()
        time.sleep(options.quiet)
        writer.write()
        ended = time.monotonic()
        counts = readers.end(writer.revision)
        took = time.monotonic() - ended
        said = cache.said.splitlines()
        cache.stop()
    server.stop()
    most, path = origin.most_in_a_second
    print(f"\n{name}: {options.readers:,} readers, {writer.revision - 1} writes; {processes} workers of nginx. Within "
          f"{joined - began:.1f} s all had the list.")
    print(", ".join(f"{count} {number:,}" for count, number in counts.items()))
    print(f"all were at the head {took:.1f} s after the last write; {counts['requests'] / (ended - began + took):,.0f} "
          f"requests a second")
    print(f"requests to the server: {origin.count} for {len(origin.times)} targets; of one target at most {most} in "
          f"a second ({path}), and {origin.most_at_work} at the same time", flush=True)
    wrong = [f"{name}: {counts[fault]} {fault}" for fault in FAULTS if counts[fault]]
    if origin.most_at_work > 1:
        wrong.append(f"{name}: {origin.most_at_work} requests of one target at the same time")
    wrong += [f"{name}: {len(times)} requests of {path} in {times[-1] - times[0]:.1f} s"
              for path, times in origin.times.items() if len(times) > 2 * (int(times[-1] - times[0]) + 1)]
    if most > 2 and not options.quick:
        wrong.append(f"{name}: {most} requests of {path} within a second")
    swapped = [line for line in said if SWAPPED in line]
    if swapped:
        print(f"nginx passed {len(swapped)} requests on because an answer with a longer head had just been kept")
    if len(said) > len(swapped):
        wrong.append(f"{name}: nginx said " + "\n".join(line for line in said if SWAPPED not in line)[:1000])
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--readers", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--wait", type=int, default=20, help="seconds of a long poll")
    parser.add_argument("--quiet", type=float, default=80, help="seconds without a write before the last one")
    parser.add_argument("--interval", type=float, default=10, help="seconds between two polls of a reader")
    parser.add_argument("--quick", action="store_true", help="300 readers who poll each second, and 5 writes")
    options = parser.parse_args()
    if options.quick:
        options.readers, options.seconds, options.interval, options.wait, options.quiet = 300, 5, 1, 2, 5
    program = compiled("../Readers/readers.c")
    wrong = (scene(options, program, "polls", options.interval, 0)
             + scene(options, program, "long polls", 0, options.wait))
    print("\n" + ("\n".join(wrong) if wrong else "every reader was led to the head, and the server was asked seldom"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
