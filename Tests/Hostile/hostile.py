"""Attacks on a server, and their costs: `make hostile`, and with --quick a part of `make test`.

    hostile.py SERVER [--quick] [--only NAME]

Each row is one attack. The server must survive and give the expected answers. In memory and on the disk it may spend
at most 8 times the bytes that the attack sends, touches and is answered, and it may spend a second of processor
time. A long body may take 3 or 4 times its bytes in memory. The short form does not measure the processor time, so the
server may be built for debugging.

Attacks on the memory of a server that may take 1 GiB, slow clients, and faults around the server have answers but no
costs. Those that have numbers are the cases of one list: each number from 1 to 138 has a row.
"""
import argparse
import concurrent.futures
import sys
import tempfile

import bodies
import budgets
import cases
import counting
import environment
import framing
import resources
import scenarios
import scripts
import unicode
from server import MIB, Server

TIMES = 8
SLACK = 8 * MIB
"""What an allocator, a page of a database or a log that is written ahead may take more."""
CPU_SECONDS = 1.0
GROWTH = 2.5
OPTIONS = ["--request-deadline-seconds", "600"]
NUMBERS = 138
"""The cases of the list of bad inputs and faults."""
BY_SLOW_CLIENTS = {119, 120, 121}
BY_MEMORY = {137}
LEFT_OUT = {
    "100 filtered streams and one move",
    "100 restorations over 3,000 versions",
    "100 streams of 100 lists",
    "200 spans of the past",
    "200 steps of the past, one by one",
    "500 deleted lists",
    "500 subscriptions",
    "a deep outline taken apart",
    "a dry run of a deletion for good",
    "a dry run of a new list",
    "a dry run of a whole list",
    "a dry run of many items without ids",
    "a dry run of the same",
    "a dry run: a large parent moved between sections",
    "a dry run: expands and collapses of a large parent",
    "a filter of combining marks over such rows",
    "a filter of combining marks over such titles",
    "a filter of combining marks to follow",
    "a filter over large lists after a start",
    "a filter that nearly matches everywhere",
    "a large parent moved between sections",
    "a large parent moved to and fro",
    "a list emptied",
    "a long array of empty arrays for items",
    "a long array of empty objects for operations",
    "a long array of empty objects for sections",
    "a long subscription that many come back to",
    "a number of many digits among such",
    "a parent filled at its front",
    "a path beyond the end of all",
    "a sort of combining marks",
    "a sort of long numbers",
    "a string of escapes",
    "all lists",
    "an exponent of many digits among values",
    "at of combining marks",
    "cursor of combining marks",
    "deleted lists of 1 MiB",
    "eight values of large rows",
    "expands and collapses of a large parent",
    "field of combining marks",
    "kind of combining marks",
    "limit of combining marks",
    "many items that lack their ids",
    "many items without ids",
    "many items without ids, to be told little",
    "many sections that lack their ids",
    "section of combining marks",
    "sort of combining marks",
    "starred of combining marks",
    "subscriptions of 100 MB in all",
    "ten restorations of large items",
    "the end of a long path",
    "the last of many members",
    "the same value eight times",
    "the undo of an emptied list of large items",
    "thirty deletions and restorations of a large list",
    "twenty dry runs of them",
    "values of what changed",
    "view of combining marks",
}
"""By the short form: a server that is built for debugging takes seconds to be prepared for these, or to answer."""


class Report:
    """Prints a line for each attack, or only for those that did harm."""

    def __init__(self, only, is_brief):
        self.only, self.is_brief = only, is_brief
        self.passed, self.failed = 0, 0

    def wants(self, name):
        return self.only is None or self.only in name

    def row(self, name, text, faults):
        if faults:
            self.failed += 1
        else:
            self.passed += 1
        if faults or not self.is_brief:
            lines = [f"{'FAILED' if faults else 'ok':6}  {name:58}  {text}"] + [f"        {fault}" for fault in faults]
            print("\n".join(lines), flush=True)


def faults_of(cost, bound, cpu):
    """The bounds that the cost exceeds. `cpu` is None if time does not count."""
    faults = []
    if cpu is not None and cost.seconds > cpu:
        faults.append(f"{cost.seconds:.2f} s of processor time, {cpu} s are fine")
    for name, spent in (("memory", cost.memory), ("disk", cost.disk)):
        if spent > bound:
            faults.append(f"{spent / MIB:.1f} MiB of {name}, {bound / MIB:.1f} MiB are fine")
    return faults


def text_of(cost):
    return f"{cost.seconds:7.2f} s {cost.memory / MIB:8.1f} MiB {cost.disk / MIB:7.1f} MiB on disk"


def attack(binary, script, report, cpu):
    with Server(binary, *OPTIONS, *script.options, in_memory=not script.is_on_disk) as server:
        try:
            touched = script.prepare(server)
            method, path, body, headers = script.request()
            (answer, cost) = server.spent(lambda: server.ask(method, path, body, headers))
            sent = len(str(path)) + sum(len(str(value).encode()) for _, value in headers) + (
                0 if body is None else len(body if isinstance(body, bytes) else scripts.json.dumps(body)))
            faults = faults_of(
                cost, script.times * (sent + touched + len(answer.body)) + SLACK, cpu and script.cpu)
            if script.is_dry and cost.disk > 0:
                faults.append(f"{cost.disk} bytes of disk")
            if answer.status not in script.statuses:
                faults.append(f"answered {answer.status} {answer.body[:200]}, expected one of {script.statuses}")
            elif script.check and not script.check(answer):
                faults.append(f"answered {answer.body[:200]}")
            text = f"{answer.status} {text_of(cost)}"
        except (OSError, RuntimeError) as error:
            faults, text = [f"{type(error).__name__}: {error}"], "no answer"
        if not is_well(server):
            faults.append("the server does not answer /healthz any more")
        report.row(script.name, text, faults)


def play(binary, scenario, report, cpu):
    with Server(binary, *OPTIONS, *scenario.options) as server:
        try:
            scenario.prepare(server)
            size, cost = server.spent(lambda: scenario.body(server))
            faults, text = faults_of(cost, TIMES * size + SLACK, cpu and scenario.cpu), f"    {text_of(cost)}"
        except (OSError, RuntimeError, AssertionError) as error:
            faults, text = [f"{type(error).__name__}: {error}"], "no answer"
        if not is_well(server):
            faults.append("the server does not answer /healthz any more")
        report.row(scenario.name, text, faults)


def is_well(server):
    try:
        return server.lives()
    except OSError:
        return False


def count_unicode(binary, report, seed):
    with tempfile.TemporaryDirectory(prefix="liststate-counted-") as work:
        with counting.CountedServer(binary, work, *OPTIONS) as server:
            for place, kind, ((short, status), (long, more)) in unicode.ratios(server, seed):
                faults = []
                if long > GROWTH * short:
                    faults.append(f"twice the text took {long / short:.2f} times the instructions")
                report.row(f"{place}, {kind}", f"{status} {short:>13,} {more} {long:>13,}", faults)


def numbers():
    """The numbers of the cases that have rows."""
    named = [name.partition(" ")[0] for name, *_ in framing.cases()]
    return {int(number) for number in named if number.isdecimal()} | {case.number for case in cases.CASES} | {
        number for number, *_ in cases.SCRIPTS + environment.FAULTS} | BY_SLOW_CLIENTS | BY_MEMORY


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=17)
    arguments = parser.parse_args()
    cpu = None if arguments.quick else CPU_SECONDS
    report = Report(arguments.only, is_brief=arguments.quick)
    wanted = lambda attack: report.wants(attack.name) and not (arguments.quick and attack.name in LEFT_OUT)
    attacks = [script for _, rows in scripts.ALL + resources.ALL for script in rows]
    attacks += bodies.long_bodies((4 if arguments.quick else 64) * MIB)
    strangers = LEFT_OUT - {attack.name for attack in attacks + scenarios.ALL}
    assert not strangers, f"no attacks have these names: {strangers}"
    missing = set(range(1, NUMBERS + 1)) - numbers()
    assert not missing, f"no rows have these numbers: {missing}"
    # Attacks run one after another if time counts.
    with concurrent.futures.ThreadPoolExecutor(2 if arguments.quick else 1) as pool:
        runs = [pool.submit(attack, arguments.binary, script, report, cpu)
                for script in attacks if wanted(script)]
        runs += [pool.submit(play, arguments.binary, scenario, report, cpu)
                 for scenario in scenarios.ALL if wanted(scenario)]
        for run in runs:
            run.result()
    for name, text, faults in framing.rows(arguments.binary, behind_proxy=not arguments.quick):
        if report.wants(name):
            report.row(name, text, faults)
    for name, text, faults in cases.rows(arguments.binary, report.wants):
        report.row(name, text, faults)
    if not arguments.quick:
        for rows in (environment.rows, budgets.slow_rows, budgets.memory_rows):
            for name, text, faults in rows(arguments.binary, report.wants):
                report.row(name, text, faults)
    if not arguments.quick and report.wants("unicode"):
        count_unicode(arguments.binary, report, arguments.seed)
    print(f"hostile: {report.passed} passed, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
