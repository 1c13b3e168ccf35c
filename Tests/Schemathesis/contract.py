"""Checks that a server and openapi.yaml agree, in cases that Schemathesis generates: `make soak-schema`, and with
--quick a part of `make test`.

    .venv/bin/python Tests/Schemathesis/contract.py SERVER [--quick] [--seed N] [options of `schemathesis run`]

All checks of Schemathesis are on, for all operations and in all phases: the examples, every bound of every schema,
random cases, and sequences that follow the links. `document.py` turns the rules that openapi.yaml keeps beside its
schemas into schemas. `rules.py` makes cases follow the rules that are only in words. Of an event stream only the
first event is read.
"""

import argparse
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

import schemathesis
from schemathesis.cli import schemathesis as command

import document
from cases import Cases
from lists import Lists

TOP = pathlib.Path(__file__).resolve().parents[2]
LONG = {"fuzzing": 40, "stateful": 400}
QUICK = {"fuzzing": 3, "stateful": 25}
CASES_MIN = {"long": 20_000, "quick": 500}
"""Fewer were no test: another release of Schemathesis might make fewer."""
ROUNDS = 5
"""Of sequences: Schemathesis ends one where a server that makes up versions does not answer the same twice."""
STEPS_MAX = 20
ACCESS = ["listTokens", "createToken", "getToken", "revokeToken", "rotateToken", "getAccess", "setAccess"]
"""Are asked for as an administrator, of a server of their own: the first token takes all rights from everybody else."""
QUICK_COVERAGE = ["patchItem", "postItems", "listLists", "restoreList"]
# The refusals that the contract has a code for, besides those that Schemathesis expects by itself.
REFUSALS = [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 414, 415, 417, 422, 431]
SETTINGS = """
cache.enabled = false
request-timeout = 20
max-stream-events = 1
[checks.negative_data_rejection]
expected-statuses = {refusals}
[phases.coverage]
# A method that no resource has is 501, not 405 (RFC 9110, 9.1): TRACE and QUERY are left out.
unexpected-methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]
[phases.fuzzing.generation]
max-examples = {fuzzing}
[phases.stateful]
max-steps = {steps_max}
[phases.stateful.generation]
max-examples = {stateful}
"""


class Server:
    def __init__(self, binary):
        self._process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--memory", "--samples"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        line = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if not found:
            raise RuntimeError(f"The server did not start: {line!r}")
        self.address = found[0]

    def administrator(self):
        """The secret of a new token that may do everything."""
        body = {"name": "schema", "grants": [{"lists": ["*"], "can": ["administer"]}]}
        request = urllib.request.Request(
            self.address + "/v1/tokens", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["token"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


def check(folder, address, seed, *options):
    """Whether Schemathesis finds no errors. It prints a report."""
    words = [
        "--config-file", folder / "schemathesis.toml", "run", folder / "openapi.json", "--url", address,
        "--checks", "all", "--seed", seed, "--workers", 1, "--generation-database", "none", "--continue-on-failure",
        "--warnings", "off", "--no-color", *options]
    try:
        command.main([str(word) for word in words], standalone_mode=False)
    except SystemExit as exit:
        return exit.code == 0
    return True


def named(option, names):
    return itertools.chain(*((option, name) for name in names))


def access_rounds(is_quick, seed, secret):
    """As `rounds`, for the operations about tokens."""
    phases = "examples,fuzzing" if is_quick else "examples,coverage,fuzzing"
    return [(seed, "--phases", phases, "--header", f"Authorization: Bearer {secret}",
             *named("--include-operation-id", ACCESS))]


def rounds(is_quick, seed):
    """The options and the seed of each run of Schemathesis, without the operations about tokens."""
    others = [*named("--exclude-operation-id", ACCESS)]
    if is_quick:
        coverage = named("--include-operation-id", QUICK_COVERAGE)
        return [(seed, "--phases", "examples,fuzzing,stateful", *others), (seed, "--phases", "coverage", *coverage)]
    sequences = [(seed + round, "--phases", "stateful", *others) for round in range(ROUNDS)]
    return [(seed, "--phases", "examples,coverage,fuzzing", *others), *sequences]


def hook(cases):
    settle, note, is_failure = map(cases.watched, (cases.settle, cases.note, cases.is_failure))
    # A hook is registered by its name, and must have the number of arguments of that name.
    schemathesis.hook("before_call")(lambda context, case, kwargs: settle(context, case))
    schemathesis.hook("after_call")(lambda context, case, response: note(context, case, response))
    schemathesis.hook("after_network_error")(
        lambda context, case, request: cases.faults.append(f"no answer: {request.method} {request.url}\n"))
    schemathesis.hook("filter_failure")(lambda context, failure, case, response: is_failure(context, failure, case))


def main():
    # The server must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=18)
    arguments, more = parser.parse_known_args()
    binary = arguments.binary.resolve()
    folders = tempfile.TemporaryDirectory(prefix="liststate-schema-")
    with Server(binary) as server, Server(binary) as closed, folders as name:
        folder = pathlib.Path(name)
        (folder / "openapi.json").write_text(json.dumps(document.load(TOP / "openapi.yaml")))
        (folder / "schemathesis.toml").write_text(
            SETTINGS.format(refusals=REFUSALS, steps_max=STEPS_MAX, **(QUICK if arguments.quick else LONG)))
        cases = Cases(Lists(server.address), STEPS_MAX)
        hook(cases)
        # Schemathesis keeps files in the current folder.
        os.chdir(folder)
        results = [
            check(folder, server.address, seed, *options, *more)
            for seed, *options in rounds(arguments.quick, arguments.seed)]
        results += [
            check(folder, closed.address, seed, *options, *more)
            for seed, *options in access_rounds(arguments.quick, arguments.seed, closed.administrator())]
        os.chdir(TOP)
    print(*cases.faults[:3], sep="\n", end="")
    total = sum(cases.sent.values())
    passed = all(results) and not cases.faults and total >= CASES_MIN["quick" if arguments.quick else "long"]
    counts = ", ".join(f"{count:,} {phase}" for phase, count in cases.sent.items())
    print(f"schema: {'passed' if passed else 'FAILED'}, {total:,} cases ({counts}), seed {arguments.seed}")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
