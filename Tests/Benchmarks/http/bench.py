#!/usr/bin/env python3
"""CPU time per request of the server, as ratios to libmicrohttpd alone in C.

    bench.py SERVER-BINARY [--rounds 7] [--seconds 2] [--connections 64]

Each row is measured in rounds that take turns, one wrk thread on keep-alive connections against one process at a
time; what is printed are medians of CPU microseconds (user and system, all threads) over requests. CPU time, and not
throughput, because the load generator shares the machine.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).parent
STAR = "/v1/lists/emoji-explorer/items/list.fox/star"
LIST = "/v1/lists/emoji-explorer"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A server under test."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.first_line = self.process.stdout.readline()
        if not self.first_line:
            sys.exit(f"did not start: {' '.join(command)}")

    def cpu_microseconds(self):
        total = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1000

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Row:
    """One kind of request against one server."""

    def __init__(self, name, process, port, path, method="GET", headers=None, status=200):
        self.name, self.process, self.status = name, process, status
        self.url = f"http://127.0.0.1:{port}{path}"
        script = tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False)
        script.write(f'wrk.method = "{method}"\n')
        for key, value in (headers or {}).items():
            script.write(f"wrk.headers[{json.dumps(key)}] = {json.dumps(value)}\n")
        script.write(
            "done = function(summary, latency, requests)\n"
            "  io.write(string.format('requests=%d errors=%d\\n', summary.requests, summary.errors.connect +\n"
            "    summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))\nend\n")
        script.close()
        self.script = script.name
        self.samples = []
        self.rates = []

    def measure(self, seconds, connections):
        before = self.process.cpu_microseconds()
        out = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", self.script, self.url],
            capture_output=True, text=True, check=True).stdout
        spent = self.process.cpu_microseconds() - before
        found = re.search(r"requests=(\d+) errors=(\d+)", out)
        requests, errors = int(found[1]), int(found[2])
        if errors or not requests:
            sys.exit(f"{self.name}: {errors} errors in {requests} requests\n{out}")
        self.samples.append(spent / requests)
        self.rates.append(requests / seconds)

    @property
    def median(self):
        return statistics.median(self.samples)


def ratio(row, base):
    """The median of the ratios round by round: what drifts in the machine touches both of a pair."""
    return statistics.median(ours / theirs for ours, theirs in zip(row.samples, base.samples))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()

    work = pathlib.Path(tempfile.mkdtemp(prefix="liststate-bench-"))
    subprocess.run(
        ["cc", "-O2", "-o", str(work / "baseline"), str(HERE / "baseline.c"), "-lmicrohttpd"], check=True)

    port_memory, port_disk, port_c = free_port(), free_port(), free_port()
    memory = Process([options.server, "serve", "--memory", "--samples", "--port", str(port_memory)])
    disk = Process([options.server, "serve", "--data", str(work / "data"), "--samples", "--port", str(port_disk)])
    with urllib.request.urlopen(f"http://127.0.0.1:{port_memory}{LIST}") as response:
        body, etag = response.read(), response.headers["ETag"]
    (work / "snapshot.json").write_bytes(body)
    baseline = Process([str(work / "baseline"), str(port_c), str(work / "snapshot.json"), etag])

    known = {"If-None-Match": etag}
    c_get = Row("C: GET", baseline, port_c, LIST)
    c_304 = Row("C: 304", baseline, port_c, LIST, headers=known, status=304)
    c_post = Row("C: POST", baseline, port_c, STAR, "POST")
    get = Row("GET snapshot", memory, port_memory, LIST)
    not_modified = Row("304", memory, port_memory, LIST, headers=known, status=304)
    star = Row("star toggle, in memory", memory, port_memory, STAR, "POST")
    durable = Row("star toggle, durable", disk, port_disk, STAR, "POST")
    table = [(get, c_get, 1.10), (not_modified, c_304, 1.15), (star, c_post, 1.5), (durable, c_post, 4.0)]
    # Reads first: a star changes the version, and with it what a 304 needs.
    reads, writes = [c_get, get, c_304, not_modified], [c_post, star, durable]
    try:
        for rows in (reads, writes):
            for row in rows:
                row.measure(1, options.connections)
                row.samples.clear()
                row.rates.clear()
            for turn in range(options.rounds):
                for row in rows if turn % 2 == 0 else reversed(rows):
                    row.measure(options.seconds, options.connections)
    finally:
        for process in (memory, disk, baseline):
            process.stop()

    print(f"{len(body)} bytes of snapshot, {options.connections} connections, {options.rounds} rounds of "
          f"{options.seconds} s, {os.cpu_count()} cores")
    print(f"{'request':26}{'CPU µs':>9}{'C µs':>9}{'ratio':>8}{'goal':>7}{'requests/s':>12}")
    missed = False
    for row, base, goal in table:
        quotient = ratio(row, base)
        missed = missed or quotient > goal
        print(f"{row.name:26}{row.median:9.2f}{base.median:9.2f}{quotient:8.2f}{goal:7.2f}"
              f"{statistics.median(row.rates):12.0f}")
    print("all goals reached" if not missed else "a goal was missed")


if __name__ == "__main__":
    main()
