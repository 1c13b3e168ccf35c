#!/usr/bin/env python3
"""Keeps some of the inputs that libFuzzer has found: those with which the corpus reaches more.

    Tests/Fuzz/keep.py [TARGET ...]

The inputs are in .build-fuzz/corpus, where `make soak-fuzz` leaves them. Those that are kept are copied to
Tests/Fuzz/Corpus, the one that reaches the most new branches first. libFuzzer's own merge keeps each that reaches one,
which would be a thousand files.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUILT = HERE.parent.parent / ".build-fuzz"
# An input is kept for this many branches that nothing else reaches.
BRANCHES_MIN = 4
# A target has this many inputs at most.
INPUTS_MAX = 100
BYTES_MAX = 2_048


def branches(target, folders):
    """The branches that each input in the folders reaches."""
    with tempfile.NamedTemporaryFile() as control, tempfile.TemporaryDirectory() as none:
        subprocess.run(
            [BUILT / "release" / "Fuzz", "-set_cover_merge=1", "-use_counters=0", f"-merge_control_file={control.name}", none,
             *folders],
            env={**os.environ, "FUZZ_TARGET": target, "SWIFT_BACKTRACE": "enable=no"}, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = pathlib.Path(control.name).read_text().splitlines()
    names = lines[2:2 + int(lines[0])]
    reached = {}
    for line in lines[2 + len(names):]:
        kind, number, *rest = line.split()
        if kind == "FT":
            reached[pathlib.Path(names[int(number)])] = frozenset(rest)
    return reached


def keep(target):
    corpus = HERE / "Corpus" / target
    found = branches(target, [corpus, BUILT / "corpus" / target])
    # libFuzzer takes one of several files that are the same.
    inputs = list(corpus.iterdir())
    digests = {hashlib.sha1(path.read_bytes()).hexdigest() for path in inputs}
    is_here = {path: hashlib.sha1(path.read_bytes()).hexdigest() in digests for path in found}
    known = frozenset().union(*(reached for path, reached in found.items() if is_here[path]))
    before = len(known)
    others = {path: reached for path, reached in found.items()
              if not is_here[path] and path.stat().st_size <= BYTES_MAX}
    count = len(inputs)
    while others and count < INPUTS_MAX:
        best = max(others, key=lambda path: (len(others[path] - known), -path.stat().st_size))
        if len(others[best] - known) < BRANCHES_MIN:
            break
        bytes = best.read_bytes()
        (corpus / hashlib.sha1(bytes).hexdigest()[:16]).write_bytes(bytes)
        known |= others.pop(best)
        count += 1
    everything = len(frozenset().union(*found.values()))
    print(f"{target}: {len(inputs)} inputs with {before} branches, now {count} with {len(known)}; "
          f"all that was found reaches {everything}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=sorted(folder.name for folder in (HERE / "Corpus").iterdir()))
    for target in parser.parse_args().targets:
        keep(target)


if __name__ == "__main__":
    sys.exit(main())
