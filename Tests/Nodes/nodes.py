#!/usr/bin/env python3
"""Three servers on one PostgreSQL behind a balancer, six writers, three followers and two readers, while servers,
connections and the database are broken at random times. Nothing that was acknowledged may be lost, done twice, or shown
otherwise than it was done, and a read shows all that was acknowledged before. docs/many-nodes.md says what is promised.

    nodes.py BINARY                    300 faults and 250,000 acknowledged writes, on 1, 4 and 64 lists
    nodes.py BINARY --quick            one short episode, about 15 s
    nodes.py BINARY --planted          a server with planted faults: each must be found with each of 5 seeds
    nodes.py BINARY --seed 7 --lists 4 --faults 50 --answers 20000 --standby      one episode

Needs the package postgresql. Ends with 1 if a promise was broken, or a planted fault was not found.
"""
import argparse
import collections
import pathlib
import random
import signal
import sys
import time

import linearizability
from check import Check
from episode import Episode, Settings

EPISODES = [
    # Lists, and whether there is a standby.
    (1, False),
    (4, True),
    (64, False),
]
CONNECTIONS = ["backend terminated", "all backends of a node terminated", "connections to the database cut",
               "connections of clients cut"]
PLANTED = {
    # The planted fault, then what brings it out: the faults of the nemesis and their number, whether there is a standby,
    # and the numbers of lists, which take turns. Writes to one list are mostly locked first. They wait for nothing but
    # their end, so they rarely lose an answer.
    "none": (CONNECTIONS, 16, False, (1, 4)),
    "ignoresToken": (["connections to the database cut"], 60, False, (4, 64)),
    "connectsWithoutBarrier": (["standby took over after a restart"], 6, True, (4,)),
    "losesHints": (CONNECTIONS, 8, False, (1, 4)),
    "tellsOfUnwritten": (CONNECTIONS, 8, False, (4,)),
    "keepsReceiptsLocally": (CONNECTIONS, 16, False, (1, 4)),
    "skipsCheck": (CONNECTIONS, 16, False, (1, 4)),
}
VARIABLE = b"LISTSTATE_PLANTED_FAULT"


def run(binary, settings, seed):
    """The violations of an episode, and whether the two checkers agree."""
    episode = Episode(binary, settings, seed)
    history = episode.run()
    began = time.monotonic()
    check = Check(history)
    values, operations, places, undecided = linearizability.check(history)
    writes = [write for write in history.writes if write.acknowledged]
    tries = [one for write in history.writes for one in write.tries]
    print(f"  {settings.lists} lists, seed {seed}{', a standby' if settings.has_standby else ''}: "
          f"{len(writes):,} acknowledged in {episode.seconds:.0f} s, {sum(episode.fault_counts.values())} faults, "
          f"{episode.cuts} of {episode.connections} connections cut by the balancer; "
          f"{sum(one.status is None for one in tries):,} lost answers, {sum(one.status == 503 for one in tries):,} "
          f"answers 503, {sum(one.is_replay for one in tries):,} replays, {history.refused} refused, "
          f"{sum(read.age is None for read in history.reads):,} checked reads, "
          f"{sum(read.age is not None for read in history.reads):,} of memory (at most "
          f"{max((read.age or 0 for read in history.reads), default=0)} s old), "
          f"{check.events:,} events, {check.states:,} states "
          f"({check.unknown:,} unknown); "
          f"the longest request took {max((one.end - one.start for one in tries), default=0) / 1e9:.1f} s", flush=True)
    print("    " + ", ".join(f"{count} {name}" for name, count in episode.fault_counts.items()))
    print(f"    checked in {time.monotonic() - began:.0f} s; values: {operations:,} operations, {places:,} places, "
          f"{undecided} rows undecided",
          flush=True)
    found = history.violations + check.violations
    # What a value shows, a version must show too.
    if values and not found:
        print("    the checkers disagree: only the values show a fault")
    return found + values, len(writes), sum(episode.fault_counts.values())


def report(violations):
    kinds = collections.Counter(violation.kind for violation in violations)
    print("    VIOLATIONS: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    shown = collections.Counter()
    for violation in violations:
        shown[violation.kind] += 1
        if shown[violation.kind] <= 3:
            print(f"      {violation}", flush=True)


def soak(arguments, episodes):
    answers = faults = failed = 0
    for number, settings in enumerate(episodes):
        violations, some_answers, some_faults = run(arguments.binary, settings, arguments.seed + number)
        answers, faults = answers + some_answers, faults + some_faults
        if violations:
            report(violations)
            failed += len(violations)
    print(f"nodes: {faults} faults, {answers:,} acknowledged, {failed} violations (seed {arguments.seed})")
    return failed == 0


def find_planted(arguments):
    if VARIABLE not in pathlib.Path(arguments.binary).read_bytes():
        sys.exit(f"{arguments.binary} knows no planted faults")
    is_right = True
    for fault, (only, faults, has_standby, lists) in PLANTED.items():
        if arguments.fault not in (None, fault):
            continue
        kinds, found = collections.Counter(), 0
        for seed in range(arguments.seed, arguments.seed + arguments.seeds):
            settings = Settings(
                lists[seed % len(lists)], arguments.faults or faults,
                arguments.answers or (100 if has_standby else 500), 4, has_standby,
                2 if has_standby else 0.4, fault, only)
            violations, *_ = run(arguments.binary, settings, seed)
            found += bool(violations)
            kinds.update({violation.kind for violation in violations})
            print(f"    found: {', '.join(sorted({violation.kind for violation in violations})) or 'nothing'}", flush=True)
            if violations and fault == "none":
                report(violations)
        is_right = is_right and found == (0 if fault == "none" else arguments.seeds)
        print(f"{fault:24} found with {found} of {arguments.seeds} seeds: "
              + ", ".join(f"{kind} {count}" for kind, count in kinds.items()), flush=True)
    print("planted faults: " + ("as they must be" if is_right else "FAILED"))
    return is_right


def main():
    # So that everything that was started ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--fault", help="of the planted ones")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--lists", type=int)
    parser.add_argument("--faults", type=int)
    parser.add_argument("--answers", type=int)
    parser.add_argument("--depth", type=int, default=8, help="the writes that each writer has under way")
    parser.add_argument("--pause", type=float, default=2, help="the seconds between two faults at most")
    parser.add_argument("--standby", action="store_true")
    arguments = parser.parse_args()
    arguments.binary = arguments.binary.resolve()
    if arguments.planted:
        sys.exit(0 if find_planted(arguments) else 1)
    if arguments.quick:
        episodes = [Settings(4, arguments.faults or 8, arguments.answers or 600, 1)]
    elif arguments.lists:
        episodes = [Settings(arguments.lists, arguments.faults or 100, arguments.answers or 84_000, arguments.depth,
                             arguments.standby, arguments.pause)]
    else:
        episodes = [Settings(lists, arguments.faults or 100, arguments.answers or 84_000, arguments.depth, has_standby,
                             arguments.pause) for lists, has_standby in EPISODES]
    sys.exit(0 if soak(arguments, episodes) else 1)


if __name__ == "__main__":
    main()
