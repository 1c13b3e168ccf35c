#!/usr/bin/env python3
"""What several servers on one PostgreSQL database do, as ratios to PostgreSQL's own tools, to one server, and to C.

    bench.py SERVER-BINARY ENGINE-BINARY [--rounds 7] [--seconds 3] [--connections 64] [--folder .build] [--quick]

There are three parts. In each round of a part its rows take turns, one at a time, on one machine and one database. A
first round is not counted, and left out with --quick. The ratios are medians of those of each round.

1. Writes per second by the wall clock, because the time is spent waiting for the database: 64 clients, who wait for
their commits. All of them write to the same server of PostgreSQL with the same settings.

    PostgreSQL updates      one-row updates of 6,400 rows by pgbench, as in `make bench-durable`
    engine                  stars of 64 writers on 64 lists, in the store without HTTP (StorageBenchmark)
    one server              stars over HTTP by one thread of wrk, on 64 lists of 100 items. This server has a database
                            of its own, on the same PostgreSQL, so that no other one hears of its writes.
    one server, one list    the same on one list
    three servers, one list     a thread of wrk and a third of the clients for each server
    three servers           the same on 64 lists: any server gets stars of any list
    three by list           the same, but the stars of a list go to one server, as behind docker/haproxy.cfg
    three by list, no hints     the same while no server sends hints
    three by own list       by list, on 64 other lists, of which each is in the memory of its server only
    three by own list, no hints

A server sends a hint with `pg_notify`, in a statement behind each commit. Without hints that function has another name,
and one that does nothing takes its place. So the statement itself counts on both sides. Each server still compares its
lists once a second. The goal is for lists that are in the memory of one server. The ratio without a goal is for lists that all
servers have in memory: each of them then reads what another has written.

2. The milliseconds from a star over HTTP to its event on a stream of another server, as percentiles. They are compared
with chain.c: a commit, a notification on a second session, and a select on a third.

3. CPU microseconds of the server for a GET, without those of the database, as ratios to libmicrohttpd alone in C as in
`make bench-http`: a checked read, and one that `Cache-Control: max-stale=60` allows from memory.
"""
import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import (LIST, STAR, Goals, RateRow, RequestRow, Subscribers, busy_percent, compiled, exit_on_signals,
                     folder_on_disk, ratio, request_file, serve_in_c, turns)
from postgres import Postgres, default_folder
from stars import ITEMS, LISTS, ListServer, Stars

NODES = 3
ONE_LIST = range(1, 2)
OWN_LISTS = range(65, 129)
PAUSE_MS = 5


class Hints:
    """Turns the hints of all servers off and on, in the database."""
    SILENCE = ("ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_notify_as_it_was",
               "CREATE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE sql AS ''")
    WAKE = ("DROP FUNCTION pg_catalog.pg_notify(text, text)",
            "ALTER FUNCTION pg_catalog.pg_notify_as_it_was(text, text) RENAME TO pg_notify")
    # A session has its statement prepared, with the function of that moment. So it has to end.
    END = ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
           "WHERE query LIKE '%pg_notify($1%' AND pid <> pg_backend_pid()")
    # Only sessions that have begun since then are left.
    SILENT = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_notify($1%' AND pid <> pg_backend_pid()"

    def __init__(self, postgres):
        self._postgres = postgres

    def without(self, measure):
        """Measures while no server sends hints."""
        self._change(self.SILENCE)
        try:
            rate = measure()
            if int(self._ask(self.SILENT)) < NODES:
                sys.exit("hints could not be turned off")
            return rate
        finally:
            self._change(self.WAKE)

    def _change(self, statements):
        self._ask(";".join((*statements, self.END)))

    def _ask(self, text):
        return self._postgres.query(text, "lists")


class Servers:
    """The servers on one database, with their load, and one that is alone on another."""

    def __init__(self, options, postgres):
        for name in ("lists", "alone"):
            postgres.query(f"CREATE DATABASE {name}")
        self.alone = ListServer(options.server, "--store", postgres.url("alone"))
        self.alone.make(LISTS)
        self.all = [ListServer(options.server, "--store", postgres.url("lists"), "--samples") for _ in range(NODES)]
        self.all[0].make(LISTS)
        for server, lists in self.by_list(OWN_LISTS):
            server.make(lists)
        self.refused = 0
        # The rates of the single servers when all write to one list, in each round.
        self.shares = []

    def by_list(self, lists):
        """Each server, and the lists whose stars go to it."""
        return [(server, lists[number::NODES]) for number, server in enumerate(self.all)]

    def together(self, clients, seconds, places):
        """Stars per second of each server, all at the same time."""
        loads = [Stars(server.port, clients // NODES + (number < clients % NODES), seconds, lists)
                 for number, (server, lists) in enumerate(places)]
        rates = [load.rate() for load in loads]
        self.refused += sum(load.refused for load in loads)
        return rates

    def rate_by_list(self, lists):
        return lambda clients, seconds: sum(self.together(clients, seconds, self.by_list(lists)))

    def rate(self, lists):
        """Stars per second of any of the lists at any of the servers."""
        return lambda clients, seconds: sum(self.together(clients, seconds, [(each, lists) for each in self.all]))

    def rate_of_one_list(self, clients, seconds):
        rates = self.together(clients, seconds, [(each, ONE_LIST) for each in self.all])
        self.shares.append(rates)
        return sum(rates)


def warm(options, rows):
    """The rows to measure once before the rounds."""
    return [] if options.quick else rows


def measure_writes(options, postgres, servers, goals):
    hints = Hints(postgres)
    postgres.query("CREATE DATABASE engine")

    def engine(_, seconds):
        command = [options.engine, "--store", postgres.url("engine"), "--seconds", str(seconds)]
        return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)

    def without_hints(lists):
        rate = servers.rate_by_list(lists)
        return lambda clients, seconds: hints.without(lambda: rate(clients, seconds))

    rows = [
        RateRow("PostgreSQL updates", postgres.updates), RateRow("engine", engine),
        RateRow("one server", servers.alone.stars),
        RateRow("one server, one list", lambda clients, seconds: servers.alone.stars(clients, seconds, ONE_LIST)),
        RateRow("three servers, one list", servers.rate_of_one_list), RateRow("three servers", servers.rate(LISTS)),
        RateRow("three by list", servers.rate_by_list(LISTS)),
        RateRow("three by list, no hints", without_hints(LISTS)),
        RateRow("three by own list", servers.rate_by_list(OWN_LISTS)),
        RateRow("three by own list, no hints", without_hints(OWN_LISTS)),
    ]
    for row in warm(options, rows):
        row.measure(options.connections, 1)
        row.samples.clear()
    servers.shares.clear()
    servers.refused = 0
    for row in turns(options.rounds, rows):
        row.measure(options.connections, options.seconds)
    updates, engine, one, one_list, three_one_list, three, by_list, by_list_off, own, own_off = rows
    print(f"{'writes':28}{'a second':>10}{'lowest-highest':>18}{'to PostgreSQL':>15}")
    for row in rows:
        print(f"{row.name:28}{row.median:10.0f}{row.spread:>18}{ratio(row.samples, updates.samples):15.2f}")
    print(f"refused (503) by three servers: {servers.refused}")
    goals.at_least("engine, 64 writers on 64 lists, to PostgreSQL", ratio(engine.samples, updates.samples), 2.0)
    goals.at_least("one server to PostgreSQL", ratio(one.samples, updates.samples), 1.2)
    goals.at_least("three servers on one list to one server", ratio(three_one_list.samples, one_list.samples), 0.33)
    goals.at_least("  the slowest of them to the fastest",
                   statistics.median(min(rates) / max(rates) for rates in servers.shares), 0.5)
    goals.at_least("three servers on 64 lists to the same by list", ratio(three.samples, by_list.samples), 0.8)
    goals.at_least("with hints to without", ratio(own.samples, own_off.samples), 0.95)
    print(f"the same if all servers have all lists in memory: {ratio(by_list.samples, by_list_off.samples):.2f}")


class WayRow:
    """The milliseconds of a way through the database, as percentiles of each round."""

    def __init__(self, name, measure):
        self.name, self.measure = name, measure
        self.p50, self.p99 = [], []

    def run(self, count):
        times = sorted(self.measure(count))
        self.p50.append(times[len(times) // 2])
        self.p99.append(times[len(times) * 99 // 100])


def measure_ways(options, postgres, servers, goals):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libpq"], stdout=subprocess.PIPE, text=True, check=True)
    chain = compiled("nodes/chain.c", *shlex.split(flags.stdout))
    with urllib.request.urlopen(f"http://127.0.0.1:{servers.all[1].port}{LIST}") as response:
        version = response.headers["List-Version"]
    stream = request_file("stream", f"{LIST}/changes?since={version}", headers={"Accept": "text/event-stream"})
    star = request_file("star", STAR, "POST")
    subscribers = Subscribers(compiled("live/subscribers.c"), servers.all[1].port, 1, stream, star,
                              write_port=servers.all[0].port)

    def bare(count):
        said = subprocess.run([chain, postgres.url("postgres"), str(count), str(PAUSE_MS)], stdout=subprocess.PIPE,
                              text=True, check=True)
        return [float(line) for line in said.stdout.splitlines()]

    def told(count):
        subscribers.say(f"toggle {count} {PAUSE_MS}")
        return [last for _, last in subscribers.answer()[:-1]]

    rows = [WayRow("star to another server's stream", told), WayRow("bare chain of libpq", bare)]
    for row in rows:
        row.run(20)
        row.p50.clear()
        row.p99.clear()
    for row in turns(options.rounds, rows):
        row.run(100 if options.quick else 500)
    subscribers.close()
    print(f"\n{'in ms':34}{'p50':>9}{'p99':>9}")
    for row in rows:
        print(f"{row.name:34}{statistics.median(row.p50):9.2f}{statistics.median(row.p99):9.2f}")
    ours, theirs = rows
    goals.at_most("p50 of another server's stream to the chain", ratio(ours.p50, theirs.p50), 2.0)
    goals.at_most("p99 of another server's stream to the chain", ratio(ours.p99, theirs.p99), 3.0)


def measure_reads(options, servers, goals):
    one = servers.all[0]
    baseline, port, _, _ = serve_in_c(one.port)
    rows = [RequestRow("C: GET", baseline, port, LIST), RequestRow("GET, checked", one.process, one.port, LIST),
            RequestRow("GET, max-stale", one.process, one.port, LIST, headers={"Cache-Control": "max-stale=60"})]
    for row in warm(options, rows):
        row.measure(1, options.connections)
        row.samples.clear()
        row.rates.clear()
    for row in turns(options.rounds, rows):
        row.measure(options.seconds, options.connections)
    print(f"\n{'reads':34}{'CPU µs':>9}{'a second':>10}")
    for row in rows:
        print(f"{row.name:34}{row.median:9.2f}{statistics.median(row.rates):10.0f}")
    in_c, checked, stale = rows
    goals.at_most("checked GET to C", ratio(checked.samples, in_c.samples), 3.0)
    goals.at_most("GET with max-stale to C", ratio(stale.samples, in_c.samples), 1.15)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("engine", help="StorageBenchmark")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--folder", type=pathlib.Path, default=default_folder(), help="on the disk to measure")
    parser.add_argument("--quick", action="store_true", help="a round of 1 s")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 1, 1
    exit_on_signals()

    busy = busy_percent(2)
    folder, disk = folder_on_disk(options.folder)
    postgres = Postgres(folder, len(LISTS) * ITEMS)
    servers = Servers(options, postgres)
    print(f"{disk}; {options.connections} clients, {options.rounds} rounds of {options.seconds} s, "
          f"{os.cpu_count()} cores, {busy:.0f} % busy before" + (": too busy to tell anything" if busy > 15 else ""))
    print("PostgreSQL " + ", ".join(f"{name}={value}" for name, value in postgres.settings.items()), flush=True)
    goals = Goals()
    measure_writes(options, postgres, servers, goals)
    measure_ways(options, postgres, servers, goals)
    compiled("http/load.c")
    measure_reads(options, servers, goals)
    goals.conclude()


if __name__ == "__main__":
    main()
