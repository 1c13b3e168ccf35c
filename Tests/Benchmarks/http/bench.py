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
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import LIST, STAR, WORK, Process, RequestRow, compiled, conclude, free_port, ratio, serve_in_c, turns


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
    port_memory, port_disk = free_port(), free_port()
    memory = Process([options.server, "serve", "--memory", "--samples", "--port", port_memory])
    disk = Process([options.server, "serve", "--data", WORK / "data", "--samples", "--port", port_disk])
    baseline, port_c, body, etag = serve_in_c(port_memory)
    known = {"If-None-Match": etag}
    c_get = RequestRow("C: GET", baseline, port_c, LIST)
    c_304 = RequestRow("C: 304", baseline, port_c, LIST, headers=known, status=304)
    c_post = RequestRow("C: POST", baseline, port_c, STAR, "POST")
    get = RequestRow("GET snapshot", memory, port_memory, LIST)
    not_modified = RequestRow("304", memory, port_memory, LIST, headers=known, status=304)
    star = RequestRow("star toggle, in memory", memory, port_memory, STAR, "POST")
    durable = RequestRow("star toggle, durable", disk, port_disk, STAR, "POST")
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
