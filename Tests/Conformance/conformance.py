#!/usr/bin/env python3
"""Holds a server, or a client, against the cases in this folder. README.md has their format.

    python3 Tests/Conformance/conformance.py --url http://127.0.0.1:8080
    python3 Tests/Conformance/conformance.py --client "node Tests/Conformance/client.mjs --adapter"
    python3 Tests/Conformance/conformance.py --serve .build/debug/liststate
    python3 Tests/Conformance/conformance.py --print > cases.jsonl

It prints a line for each group, and the details of what fails. Its exit code is 0 if all that was run passed.
"""

import argparse
import json
import re
import subprocess
import sys

import cases
import client
import generate
import server

KINDS_OF_A_CLIENT = ("changes", "pending")


class Run:
    """What was held against cases, and what came of it."""

    def __init__(self, subject, hold):
        self._subject, self._hold = subject, hold
        self.passed = self.failed = self.skipped = 0

    def take(self, group):
        failures, skips = [], []
        for case in group.cases:
            failure, skip = self._hold(case)
            failures += [(case["name"], failure)] if failure else []
            skips += [skip] if skip else []
        passed = len(group.cases) - len(failures) - len(skips)
        left_out = f", {len(skips)} left out" if skips else ""
        print(f"{'✘' if failures else '✔'} {self._subject}, {group.kind}, {group.name}: "
              f"{passed} of {len(group.cases)} passed{left_out}", flush=True)
        for name, failure in failures:
            print("    " + f"{name}: {failure}".replace("\n", "\n        "))
        self.passed += passed
        self.failed += len(failures)
        self.skipped += len(skips)


def groups(options, kinds=cases.KINDS):
    return cases.read(kinds, options.only) + cases.chosen(generate.more(options.more, kinds), options.only)


def hold_server(url, options):
    subject = server.Server(url, options.token)
    run = Run("server", lambda case: server.hold(subject, case))
    for group in groups(options):
        run.take(group)
    subject.close()
    return run


def hold_client(options):
    adapter = client.Adapter(options.client)
    run = Run("client", lambda case: client.hold(adapter, case))
    try:
        for group in groups(options, KINDS_OF_A_CLIENT):
            run.take(group)
    finally:
        adapter.close()
    return run


def served(program):
    """A server in memory that is started here: its process, and its address."""
    process = subprocess.Popen([program, "serve", "--port", "0", "--memory"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    if not found:
        process.kill()
        sys.exit(f"{program} did not start: {line!r}")
    return process, found[0]


def hold_served(options):
    process, url = served(options.serve)
    try:
        return hold_server(url, options)
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description="Holds a server, or a client, against cases of the contract.")
    parser.add_argument("--url", help="where a server is; the run makes lists there, and purges them")
    parser.add_argument("--token", help="for a server with tokens: one that may read, write, create and delete lists")
    parser.add_argument("--client", metavar="COMMAND", help="starts an adapter of a client")
    parser.add_argument("--serve", metavar="PROGRAM", help="starts a server, and holds it against the cases")
    parser.add_argument("--only", metavar="WORD", default="", help="groups and cases whose names have this word")
    parser.add_argument("--more", metavar="N", type=int, default=0, help="make N more cases of each generated group")
    parser.add_argument("--print", action="store_true", help="print all cases whole, a line each, and run none")
    options = parser.parse_args()
    if options.print:
        for group in groups(options):
            for case in group.cases:
                print(json.dumps({"group": group.name, **cases.complete(case)}, ensure_ascii=False))
        return
    runs = []
    try:
        if options.serve:
            runs.append(hold_served(options))
        if options.url:
            runs.append(hold_server(options.url, options))
        if options.client:
            runs.append(hold_client(options))
    except (OSError, client.Ended) as error:
        sys.exit(f"✘ {error}")
    if not runs:
        parser.error("Say what to hold against the cases: --url, --serve or --client.")
    if not groups(options):
        sys.exit(f"No group and no case has {options.only!r} in its name.")
    passed, failed, skipped = (sum(getattr(run, name) for run in runs) for name in ("passed", "failed", "skipped"))
    print(f"conformance: {passed} passed, {failed} failed, {skipped} left out")
    sys.exit(0 if failed == 0 and passed > 0 else 1)


if __name__ == "__main__":
    main()
