"""Code that the benchmarks of the server share: measured processes, requests in files, folders on a disk, C programs,
and ratios."""
import atexit
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
WORK = pathlib.Path(tempfile.mkdtemp(prefix="liststate-bench-"))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
LIST = "/v1/lists/emoji-explorer"
STAR = f"{LIST}/items/list.fox/star"
NO_DISK = {"tmpfs", "ramfs"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def compiled(source, *libraries):
    """The program made from a C file in this folder."""
    program = WORK / pathlib.Path(source).stem
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", program, HERE / source, *libraries], check=True)
    return program


def request_file(name, path, method="GET", headers=None, body=b""):
    """A file with the bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"] + [f"{k}: {v}" for k, v in (headers or {}).items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    file = WORK / f"{name}.http"
    file.write_bytes("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    return file


def folder_on_disk(parent):
    """A new folder, which is removed at the end, and the file system that it is on."""
    parent.mkdir(exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=parent.resolve()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    disk = subprocess.run(["df", "--output=fstype,source", folder], stdout=subprocess.PIPE, text=True, check=True)
    kind, source = disk.stdout.splitlines()[1].split(maxsplit=1)
    if kind in NO_DISK:
        sys.exit(f"{folder} is in memory ({kind}), where a sync costs nothing: name another with --folder")
    return folder, f"{kind} on {source}"


def busy_percent(seconds):
    """The share of all cores that other processes use, in percent. It should be near 0."""
    def idle_and_all():
        ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return ticks[3] + ticks[4], sum(ticks)
    before = idle_and_all()
    time.sleep(seconds)
    idle, total = (after - earlier for after, earlier in zip(idle_and_all(), before))
    return 100 * (1 - idle / total)


class Process:
    """A server that is measured."""

    def __init__(self, command):
        command = [str(part) for part in command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        atexit.register(self.stop)
        self.first_line = self.process.stdout.readline()
        if not self.first_line:
            sys.exit(f"did not start: {' '.join(command)}")

    def cpu_microseconds(self):
        total = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1000

    def wait_until_idle(self):
        """Waits until each thread of the server sleeps, so that no work is left."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        while any((task / "stat").read_text().rpartition(")")[2].split()[0] == "R" for task in tasks.iterdir()):
            pass

    def resident_kib(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        sys.exit(f"process {self.process.pid} has ended")

    def stop(self):
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Load:
    """Keep-alive requests from load.c. They run in the background until they are counted."""

    def __init__(self, program, port, connections, seconds, request, status=200):
        command = [str(part) for part in (program, port, connections, seconds, request, status)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def count(self):
        out, _ = self.process.communicate()
        if self.process.returncode != 0:
            sys.exit("the load failed")
        return int(out)


def turns(rounds, candidates):
    """Each candidate once in a round. Every second round is in reverse order."""
    for turn in range(rounds):
        yield from candidates if turn % 2 == 0 else reversed(candidates)


def ratio(samples, base):
    """The median of the ratios of each round, because a slow phase of the machine affects both parts of a round."""
    return statistics.median(ours / theirs for ours, theirs in zip(samples, base))


def conclude(missed):
    """Prints the last line, and exits with the status."""
    print("a goal was missed" if missed else "all goals reached", flush=True)
    sys.exit(1 if missed else 0)
