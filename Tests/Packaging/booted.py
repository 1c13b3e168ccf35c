"""A Debian in a folder that runs: with a systemd, processes and a network of its own."""
import os
import pathlib
import signal
import socket
import subprocess
import threading

from debian import Failed

SHELL_SECONDS_MAX = 300
END = b"\x1e"


class Booted:
    """A Debian whose systemd has started everything. It is gone at the end, and all that it has started with it."""

    def __init__(self, debian):
        self._debian = debian
        # As the folder of the test, whose name nobody else has.
        self._group = debian.root.parent.name
        self._first = None

    def __enter__(self):
        # systemd tells whoever has started it that it is ready, in a place of the Debian.
        place = self._debian.path("/booted")
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.settimeout(SHELL_SECONDS_MAX)
        manager.bind(str(place))
        boot = pathlib.Path(__file__).with_name("boot")
        self._process = subprocess.Popen([boot, self._debian.root, self._group, "/booted"], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        # Closes the socket if nobody will ever send anything.
        threading.Thread(target=lambda: (self._process.wait(), manager.close()), daemon=True).start()
        try:
            while b"READY=1" not in manager.recv(4096).split(b"\n"):
                pass
        except OSError:
            self.__exit__(None, None, None)
            raise Failed(f"systemd has not started: {self._process.stdout.read()}") from None
        children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        self._first = int(children.split()[0])
        return self

    def __exit__(self, kind, value, traceback):
        # The first process takes all others with it, and then whoever waits for it ends.
        if self._process.poll() is None:
            os.kill(self._first or self._process.pid, signal.SIGKILL)
        self._process.wait()
        for top in pathlib.Path("/sys/fs/cgroup").glob(f"**/{self._group}"):
            for folder, _, _ in os.walk(top, topdown=False):
                os.rmdir(folder)

    def command(self, *words):
        """The words of a command that runs in the Debian, as root."""
        return ["nsenter", f"--target={self._first}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup",
                "--root", f"--wd=/proc/{self._first}/root/root", "env", "-i", "HOME=/root", "LC_ALL=C.UTF-8",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                *words]


class Shell:
    """One shell of root, in which later commands use variables of earlier ones. The first that fails ends it."""

    def __init__(self, booted, debian):
        self._place = debian.path("/root")
        self._booted = booted
        self._process = subprocess.Popen(booted.command("bash"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, bufsize=0)
        self._process.stdin.write(b"set -euo pipefail\n")

    def run(self, commands):
        """What the commands print.

        - Raises: Failed if one of them fails, or takes too long.
        """
        (self._place / ".commands").write_text(commands)
        watch = threading.Timer(SHELL_SECONDS_MAX, self._process.kill)
        watch.start()
        # A file, so that no command reads the next ones in the place of its input.
        line = r"source /root/.commands < /dev/null 2> /root/.errors; printf '\x1e'" + "\n"
        self._process.stdin.write(line.encode())
        output = b""
        while not output.endswith(END) and (part := os.read(self._process.stdout.fileno(), 65536)):
            output += part
        watch.cancel()
        text = output.rstrip(END).decode(errors="replace")
        if not output.endswith(END):
            errors = (self._place / ".errors").read_text(errors="replace")
            journal = subprocess.run(self._booted.command("journalctl", "--no-pager", "--lines=30", "--unit=liststate*"),
                                     capture_output=True, text=True, timeout=30).stdout
            raise Failed(f"{commands}\nfailed with {self._process.wait()}, and said:\n{text[-3000:]}\n{errors[-3000:]}"
                         f"\nThe journal of the units:\n{journal}")
        return text
