#!/usr/bin/env python3
"""Durable star toggles over HTTP per second, as ratios to toggles in memory, to plain syncs of the disk, and to
PostgreSQL.

    bench.py SERVER-BINARY [--rounds 7] [--seconds 3] [--connections 64] [--folder .build] [--quick]

The rates are by the wall clock, because the time is spent waiting for the disk. In each round four things take turns,
one at a time, on one machine and one disk. The output has medians, and medians of the ratios of each round. A first
round is not counted.

1. Plain syncs: appends of 200 bytes to a file, each with its own fdatasync (syncs.c).
2. Star toggles of any of 6,400 items in 64 lists with `serve --memory`, from one thread of wrk with 64 connections.
3. The same with `serve --data`, which answers when the disk has the write. All other options have their defaults.
4. PostgreSQL: updates of any of 6,400 rows by primary key, from pgbench with 64 connections, two threads and prepared
statements. There are many rows, because two clients that update the same row would wait for each other's sync.

The comparison is fair in these points: both servers have one connection over TCP on loopback for each client, and
answer when fdatasync has returned. Both spread their writes over equally many things, and both have run a round before.
PostgreSQL is Debian's package with the settings of initdb (fsync, synchronous_commit and full_page_writes are on). It
is not fair in these points: the load generators use the same cores, and pgbench uses more of them than wrk does,
although it may use two cores. ListState does more for a write: versions, history, and a change set in the answer.

The last figure, which has no goal, is the time that a single client waits.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import Goals, RateRow, busy_percent, compiled, exit_on_signals, folder_on_disk, ratio, turns
from postgres import Postgres, default_folder
from stars import ITEMS, LISTS, ListServer


def lone(rows, rounds, seconds):
    """The milliseconds that a write takes if its client is the only one."""
    samples = {row.name: [] for row in rows}
    for row in turns(rounds, rows):
        samples[row.name].append(1000 / row.rate(1, seconds))
    return {name: statistics.median(values) for name, values in samples.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--folder", type=pathlib.Path, default=default_folder(),
                        help="on the disk to measure; .build of the checkout if left out, or /var/tmp if others than "
                             "root, as whom PostgreSQL does not run, cannot reach that")
    parser.add_argument("--quick", action="store_true", help="3 rounds of 1 s")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 3, 1
    exit_on_signals()

    # PostgreSQL's many processes would get a larger part of the remaining time than the few threads of ListState.
    busy = busy_percent(2)
    folder, disk = folder_on_disk(options.folder)
    syncs = compiled("durable/syncs.c")
    postgres = Postgres(folder, len(LISTS) * ITEMS)
    memory = ListServer(options.server, "--memory")
    durable = ListServer(options.server, "--data", folder / "data")
    for server in (memory, durable):
        server.make(LISTS)

    def raw_syncs(_, seconds):
        return float(subprocess.run([syncs, folder / "raw", str(seconds)], stdout=subprocess.PIPE, check=True).stdout)

    rows = [RateRow("raw syncs", raw_syncs), RateRow("stars in memory", memory.stars),
            RateRow("stars, durable", durable.stars), RateRow("PostgreSQL updates", postgres.updates)]
    raw, stars_memory, stars, updates = rows
    print(f"{disk}; {options.connections} connections, {options.rounds} rounds of {options.seconds} s, "
          f"{os.cpu_count()} cores, {busy:.0f} % busy before" + (": too busy to tell anything" if busy > 15 else ""))
    print("PostgreSQL " + ", ".join(f"{name}={value}" for name, value in postgres.settings.items()), flush=True)
    for row in rows:
        row.measure(options.connections, options.seconds)
        row.samples.clear()
    for row in turns(options.rounds, rows):
        row.measure(options.connections, options.seconds)

    waits = lone([raw, stars, updates], options.rounds, 1)
    print(f"{'':20}{'a second':>10}{'lowest-highest':>18}{'to raw syncs':>14}{'lone client, ms':>18}")
    for row in rows:
        wait = f"{waits[row.name]:18.3f}" if row.name in waits else ""
        print(f"{row.name:20}{row.median:10.0f}{row.spread:>18}{ratio(row.samples, raw.samples):14.2f}{wait}")
    limits = [min(0.6 * fast, 12 * sync) for fast, sync in zip(stars_memory.samples, raw.samples)]
    print(f"durable to in-memory, for information: {ratio(stars.samples, stars_memory.samples):.2f}")
    goals = Goals()
    goals.at_least("durable to min(60 % of in-memory, 12 x raw syncs)", ratio(stars.samples, limits), 1.0)
    goals.at_least("durable to PostgreSQL", ratio(stars.samples, updates.samples), 2.0)
    goals.conclude()


if __name__ == "__main__":
    main()
