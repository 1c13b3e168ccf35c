#!/usr/bin/env python3
"""Runs every command of docs/first-server.md, in the order of the page, in a clean Debian. Needs root.

    first_server.py PROGRAM [--until HEADING]

`make first-server-test` gives it processes and mounts of its own. The Debian runs its own systemd, so the service, its
timer and its sandbox are those that a user gets. Its network has loopback alone: what the page installs is fetched
before. The first command makes the package, on this machine.
"""
import argparse
import pathlib
import re
import sys
import tempfile

from booted import Booted, Shell
from debian import TOP, Debian, Failed, check, must
from page import matches, steps

PAGE = TOP / "docs/first-server.md"
# What an installation of Debian 12 has besides the smallest one.
STANDARD = ["systemd", "systemd-sysv", "iproute2", "procps"]


def installed(page):
    """The packages of Debian that the page installs."""
    lines = [line for step in page for line in step.commands.splitlines() if line.startswith("apt install ")]
    # Not files, options and redirections.
    return sorted({word for line in lines for word in line.split()[2:] if re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", word)})


def prepare(debian, package, names):
    """Puts the package where the page says, and fetches all that the page will install."""
    debian.path(f"/root/{package.name}").write_bytes(package.read_bytes())
    debian.path("/etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n')
    debian.must("apt-get", "install", "-qq", "--download-only", f"/root/{package.name}", *names)
    debian.path("/usr/sbin/policy-rc.d").unlink()
    debian.path("/etc/hosts").write_text("127.0.0.1 localhost\n")


def build(step, program):
    """The package that the page makes, of a program that is built already."""
    said = must(*step.commands.split(), f"PROGRAM={program}", cwd=TOP)
    made = [TOP / word for word in said.split() if word.endswith(".deb")]
    check(step.name, len(made) == 1 and made[0].exists())
    return made[0]


def play(page, shell):
    for step in page:
        answer = shell.run(step.commands)
        check(step.name, step.expected is None or matches(answer, step.expected),
              "" if step.expected is None else " ".join(answer.split())[-160:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="the built program, with Swift's runtime inside")
    parser.add_argument("--until", help="the heading before which to stop")
    arguments = parser.parse_args()
    page = steps(PAGE.read_text())
    headings = [step.heading for step in page]
    end = headings.index(arguments.until) if arguments.until else len(page)
    package = build(page[0], arguments.program.resolve())
    with tempfile.TemporaryDirectory(prefix="liststate-first-") as name:
        folder = pathlib.Path(name)
        # apt reads the package as another user.
        folder.chmod(0o755)
        debian = Debian(folder / "debian", STANDARD)
        try:
            prepare(debian, package, installed(page[:end]))
        finally:
            must("umount", debian.path("/proc"))
        with Booted(debian) as booted:
            play(page[1:end], Shell(booted, debian))
    print(f"{end} of {len(page)} blocks ran", "and all passed" if end == len(page) else f"until {arguments.until}")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"failed: {failure}")
