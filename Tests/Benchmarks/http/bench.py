#!/usr/bin/env python3
"""The CPU time per request of the server, as ratios to libmicrohttpd alone in C.

    bench.py SERVER-BINARY [--rounds 7] [--seconds 2] [--connections 64] [--quick]

Each row is measured in rounds that alternate with those of other rows: one thread of wrk with keep-alive connections
against one process at a time. The output has medians of CPU microseconds (user and system, all threads) per request.
CPU time is measured instead of throughput, because the load generator uses the same machine.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import LIST, STAR, WORK, Load, Process, compiled, conclude, free_port, ratio, request_file, turns


class Row:
    """One kind of request to one server."""

    def __init__(self, name, process, port, path, method="GET", headers=None, status=200):
        self.name, self.process, self.port, self.status = name, process, port, status
        self.request = request_file(re.sub("[^a-z0-9]+", "-", name.lower()), path, method, headers)
        self.url = f"http://127.0.0.1:{port}{path}"
        self.script = self.request.with_suffix(".lua")
        self.script.write_text(
            f'wrk.method = "{method}"\n'
            "done = function(summary)\n"
            "  local errors = summary.errors\n"
            "  io.write(string.format('requests=%d errors=%d\\n', summary.requests,\n"
            "    errors.connect + errors.read + errors.write + errors.status + errors.timeout))\nend\n")
        self.samples = []
        self.rates = []

    def measure(self, seconds, connections):
        before = self.process.cpu_microseconds()
        requests = self.load(seconds, connections) if self.status == 304 else self.wrk(seconds, connections)
        spent = self.process.cpu_microseconds() - before
        self.samples.append(spent / requests)
        self.rates.append(requests / seconds)

    def load(self, seconds, connections):
        """A load for which wrk cannot be used: its parser waits for the body that a 304 with a Content-Length does
        not have."""
        return Load(WORK / "load", self.port, connections, seconds, self.request, self.status).count()

    def wrk(self, seconds, connections):
        out = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(self.script), self.url],
            stdout=subprocess.PIPE, text=True).stdout
        found = re.search(r"requests=(\d+) errors=(\d+)", out)
        if not found or int(found[2]) or not int(found[1]):
            sys.exit(f"{self.name}: the load failed\n{out}")
        return int(found[1])

    @property
    def median(self):
        return statistics.median(self.samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--quick", action="store_true", help="3 rounds of 1 s")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 3, 1

    compiled("http/load.c")
    program = compiled("http/baseline.c", "-lmicrohttpd")

    port_memory, port_disk, port_c = free_port(), free_port(), free_port()
    memory = Process([options.server, "serve", "--memory", "--samples", "--port", port_memory])
    disk = Process([options.server, "serve", "--data", WORK / "data", "--samples", "--port", port_disk])
    with urllib.request.urlopen(f"http://127.0.0.1:{port_memory}{LIST}") as response:
        body, etag = response.read(), response.headers["ETag"]
    (WORK / "snapshot.json").write_bytes(body)
    baseline = Process([program, port_c, WORK / "snapshot.json", etag])

    known = {"If-None-Match": etag}
    c_get = Row("C: GET", baseline, port_c, LIST)
    c_304 = Row("C: 304", baseline, port_c, LIST, headers=known, status=304)
    c_post = Row("C: POST", baseline, port_c, STAR, "POST")
    get = Row("GET snapshot", memory, port_memory, LIST)
    not_modified = Row("304", memory, port_memory, LIST, headers=known, status=304)
    star = Row("star toggle, in memory", memory, port_memory, STAR, "POST")
    durable = Row("star toggle, durable", disk, port_disk, STAR, "POST")
    table = [(get, c_get, 1.10), (not_modified, c_304, 1.15), (star, c_post, 1.5), (durable, c_post, 4.0)]
    # Reads come first, because a star changes the version, which the requests for a 304 name.
    reads, writes = [c_get, get, c_304, not_modified], [c_post, star, durable]
    for rows in (reads, writes):
        for row in rows:
            row.measure(1, options.connections)
            row.samples.clear()
            row.rates.clear()
        for row in turns(options.rounds, rows):
            row.measure(options.seconds, options.connections)

    print(f"{len(body)} bytes of snapshot, {options.connections} connections, {options.rounds} rounds of "
          f"{options.seconds} s, {os.cpu_count()} cores")
    print(f"{'request':26}{'CPU µs':>9}{'C µs':>9}{'ratio':>8}{'goal':>7}{'requests/s':>12}")
    missed = False
    for row, base, goal in table:
        quotient = ratio(row.samples, base.samples)
        missed = missed or quotient > goal
        print(f"{row.name:26}{row.median:9.2f}{base.median:9.2f}{quotient:8.2f}{goal:7.2f}"
              f"{statistics.median(row.rates):12.0f}")
    conclude(missed)


if __name__ == "__main__":
    main()
