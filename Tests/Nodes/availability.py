#!/usr/bin/env python3
"""Three hosts, each with etcd, Patroni, PostgreSQL and a server of lists, and what a fault of a host costs. Each of
seven faults comes five times, while clients write, read and follow lists through a balancer. Nothing that was
acknowledged may be lost, done twice, or shown otherwise than it was done; and no longer than Patroni's ttl and five
seconds may pass without an acknowledged write.

    availability.py BINARY --etcd PATH --python PATH
    availability.py BINARY … --only "standby gone" --rounds 1 --seed 7
    availability.py BINARY … --asynchronous      commits wait for no standby: this must be found

`--python` has Patroni and psycopg2. Needs root and the package postgresql, and namespaces of networks, mounts and
processes of its own: `make soak-ha` makes them. Ends with 1 if a promise was broken.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import statistics
import sys
import tempfile

import linearizability
from check import Check
from cluster import run
from episode import OPTIONS, Settings
from hosts import Hosts
from nodes import report
from rounds import FAULTS, Round

TTL = 20
"""Patroni's, in seconds, as patroni.yaml has it."""
UNAVAILABLE_MAX = TTL + 5


class Result:
    def __init__(self, one):
        history = one.history
        self.name, self.unavailable = one.fault.name if one.fault else "nothing", one.unavailable
        check = Check(history)
        values, *_, self.undecided = linearizability.check(history)
        self.violations = history.violations + check.violations + values
        tries = [one for write in history.writes for one in write.tries]
        self.acknowledged = sum(write.acknowledged is not None for write in history.writes)
        self.lost, self.refused = (sum(one.status == status for one in tries) for status in (None, 503))
        self.longest = max((one.end - one.start for one in tries), default=0) / 1e9


def soak(arguments, hosts):
    random_ = random.Random(arguments.seed)
    results = []
    kinds = [kind for kind in FAULTS if arguments.only in (None, kind.name)]
    for number in range(arguments.rounds):
        random_.shuffle(kinds)
        for kind in kinds:
            results.append(play(hosts, kind, random_.random(), len(results) + 1))
            if not any(result.acknowledged for result in results[-1:]):
                print("the hosts do not get whole again; the other rounds are left out", flush=True)
                return results, False
    return results, True


def play(hosts, kind, seed, number):
    one = Round(hosts, kind, Settings(4, 1, 0, 1, pace=0.05), seed, f"r{number}-")
    one.run()
    result = Result(one)
    times = ", ".join(f"{what} after {seconds:.1f} s" for what, seconds in (
        ("others went on", one.shown_after), ("whole again", one.whole_after)) if seconds is not None)
    print(f"{number:3}. {result.name}{f' ({one.fault.host.name})' if one.fault else ''}: unavailable "
          f"{result.unavailable:.1f} s, {result.acknowledged:,} acknowledged, {len(result.violations)} violations; "
          f"{times}; {result.lost:,} lost answers, {result.refused:,} answers 503, the longest request took "
          f"{result.longest:.1f} s, {result.undecided} rows undecided, {one.seconds:.0f} s in all", flush=True)
    if result.violations:
        report(result.violations)
    return result


def print_table(results):
    by_name = collections.defaultdict(list)
    for result in results:
        by_name[result.name].append(result)
    print(f"\n{'fault':42} rounds  unavailable: median, longest  acknowledged  violations")
    for name, some in by_name.items():
        times = [result.unavailable for result in some]
        print(f"{name:42} {len(some):6} {statistics.median(times):19.1f} s {max(times):7.1f} s "
              f"{sum(result.acknowledged for result in some):13,} {sum(len(result.violations) for result in some):11}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--etcd", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True, help="in a virtual environment with Patroni")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--rounds", type=int, default=5, help="of each fault")
    parser.add_argument("--only", choices=[kind.name for kind in FAULTS])
    parser.add_argument("--logs", type=pathlib.Path, help="a folder in which the logs of all programs are kept")
    parser.add_argument("--asynchronous", action="store_true")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("namespaces take root")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="liststate-ha-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        # What etcd writes must not wait for the disk of others. Real hosts have a disk for it.
        quorum = mount(stack, folder / "etcd", "-t", "tmpfs", "etcd")
        # PostgreSQL's user may not be able to reach the path of the virtual environment.
        python = mount(stack, folder / "python", "-o", "bind,ro", arguments.python.absolute().parent.parent)
        hosts = Hosts(folder, arguments.logs or folder, quorum, arguments.binary.resolve(), arguments.etcd.resolve(),
                      python / "bin" / arguments.python.name, OPTIONS, not arguments.asynchronous)
        stack.callback(hosts.kill)
        hosts.start()
        print(f"three hosts, seed {arguments.seed}, ttl {TTL} s, at most {UNAVAILABLE_MAX} s unavailable", flush=True)
        results, is_complete = soak(arguments, hosts)
    print_table(results)
    violations = sum(len(result.violations) for result in results)
    late = sum(result.unavailable > UNAVAILABLE_MAX for result in results)
    print(f"availability: {len(results)} rounds, {sum(result.acknowledged for result in results):,} acknowledged, "
          f"{violations} violations, {late} rounds unavailable for more than {UNAVAILABLE_MAX} s "
          f"(seed {arguments.seed})")
    sys.exit(0 if is_complete and not violations and not late else 1)


def mount(stack, folder, *words):
    folder.mkdir()
    run("mount", *words, folder)
    stack.callback(run, "umount", "--lazy", folder)
    return folder


if __name__ == "__main__":
    main()
