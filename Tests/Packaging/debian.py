"""A clean Debian in a folder, and how the tests of the package say what they find."""
import os
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]


class Failed(Exception):
    """A check that did not pass."""


def check(name, holds, detail=""):
    """Prints a line for each check, and ends with the first that does not hold."""
    print(("ok    " if holds else "FAIL  ") + name + (f": {detail}" if detail != "" else ""), flush=True)
    if not holds:
        raise Failed(name)


def run(*command, **options):
    """Runs a command to its end; its output has both streams."""
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, **options)


def must(*command, **options):
    """Runs a command that has to succeed.

    - Returns: its output.
    """
    done = run(*command, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


class Debian:
    """A clean Debian in a folder, whose processes see the network of the machine."""

    def __init__(self, root, packages):
        self.root = root
        release = pathlib.Path("/etc/os-release").read_text()
        suite = re.search(r"^VERSION_CODENAME=(\w+)$", release, re.M)[1]
        must("mmdebstrap", "--mode=root", "--variant=minbase", f"--include={','.join(packages)}", suite, root)
        # A service must not start in a folder, whatever else is on this machine.
        self.path("/usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        self.path("/usr/sbin/policy-rc.d").chmod(0o755)
        must("mount", "-t", "proc", "proc", self.path("/proc"))
        self.must("apt-get", "update", "-qq")

    def path(self, path):
        return pathlib.Path(str(self.root) + path)

    def run(self, *command, user="root", **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
        environment["DEBIAN_FRONTEND"] = "noninteractive"
        environment |= options.pop("env", {})
        return run("chroot", f"--userspec={user}", self.root, *command, env=environment, **options)

    def must(self, *command, **options):
        done = self.run(*command, **options)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return done.stdout

    def named(self):
        """The paths that have the name of the package in them."""
        found = []
        for folder, folders, files in os.walk(self.root):
            inside = "/" + os.path.relpath(folder, self.root).lstrip(".")
            if inside in ("/proc", "/sys", "/dev", "/tmp"):
                folders[:] = []
                continue
            paths = [os.path.normpath(f"{inside}/{name}") for name in folders + files]
            found += [path for path in paths if "liststate" in path]
        return sorted(found)
