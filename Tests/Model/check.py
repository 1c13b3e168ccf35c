#!/usr/bin/env python3
"""Visits all states of nodes.pml with Spin: the whole protocol must have no error, and each form of it that lacks a
part must have one.

    check.py

Needs `spin` and `cc`. Ends with 1 if a form is not as it must be.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MODEL = pathlib.Path(__file__).resolve().with_name("nodes.pml")
FORMS = [
    ("the whole protocol", None),
    ("no comparison of the list's position", "NO_COMPARISON"),
    ("no token", "NO_TOKEN"),
    ("no barrier", "NO_BARRIER"),
    ("no synchronous standby", "NO_STANDBY"),
]
DEPTH_MAX = 1_000_000


def visit(macro):
    """The report of Spin's verifier for one form of the model."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(f"{' '.join(command)}: {result.stdout}{result.stderr}")
            return result.stdout

        run("spin", "-a", *([f"-D{macro}"] if macro else []), str(MODEL))
        run("cc", "-w", "-O2", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c")
        return run("./pan", f"-m{DEPTH_MAX}")


def main():
    failed = False
    for name, macro in FORMS:
        report = visit(macro)
        errors = int(re.search(r"errors: (\d+)", report)[1])
        # Spin writes a large number as 1.2e+08.
        states = int(float(re.search(r"([\d.e+]+) states, stored", report)[1]))
        whole = "Search not completed" not in report and "max search depth too small" not in report
        fault = re.search(r"pan:\d+: (.*) \(at depth", report)
        passed = errors == 0 and whole if macro is None else errors > 0
        failed = failed or not passed
        print(f"{'ok    ' if passed else 'FAILED'}  {name}: {errors} errors, {states:,} states"
              + (f", {' '.join(fault[1].split())}" if fault else "") + ("" if whole or errors else ", not all visited"),
              flush=True)
    print("model: " + ("FAILED" if failed else "passed"))
    return failed


if __name__ == "__main__":
    sys.exit(main())
