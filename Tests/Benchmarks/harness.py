"""Code that the benchmarks of the server share: measured processes, requests in files, folders on a disk, C programs,
and ratios."""
import atexit
import json
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
WORK = pathlib.Path(tempfile.mkdtemp(prefix="liststate-bench-"))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
LIST = "/v1/lists/emoji-explorer"
STAR = f"{LIST}/items/list.fox/star"
NO_DISK = {"tmpfs", "ramfs"}


def exit_on_signals():
    """Turns a signal that ends a program into an exit, so that the registered clean-up runs."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(f"ended by {signal.Signals(number).name}"))


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
        """The CPU clock of the process (clock_getcpuclockid), which also counts threads that have ended."""
        return time.clock_gettime_ns(~self.process.pid << 3 | 2) / 1000

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


class Subscribers:
    """subscribers.c, with the commands that it gets."""

    def __init__(self, program, port, count, stream, write, receive_buffer=0, write_port=None):
        command = [str(part) for part in (program, port, count, stream, write, receive_buffer, write_port or port)]
        self.count = count
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answer(self):
        """The lines of an answer as numbers. The last line is the part behind the word done."""
        lines = []
        for line in self.process.stdout:
            if line.startswith("done "):
                return lines + [float(line[5:])]
            lines.append([float(part) for part in line.split()])
        sys.exit("the subscribers failed")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def serve_in_c(port):
    """libmicrohttpd alone, which answers with the snapshot of the server at a port. Returns the process, its port, the
    snapshot and its ETag."""
    program, own_port, file = compiled("http/baseline.c", "-lmicrohttpd"), free_port(), WORK / "snapshot.json"
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{LIST}") as response:
        body, etag = response.read(), response.headers["ETag"]
    file.write_bytes(body)
    return Process([program, own_port, file, etag]), own_port, body, etag


class RequestRow:
    """One kind of request to one server, with the CPU microseconds per request in each round."""

    def __init__(self, name, process, port, path, method="GET", headers=None, status=200):
        self.name, self.process, self.port, self.status = name, process, port, status
        self.request = request_file(re.sub("[^a-z0-9]+", "-", name.lower()), path, method, headers)
        self.url = f"http://127.0.0.1:{port}{path}"
        self.script = self.request.with_suffix(".lua")
        self.script.write_text(
            f'wrk.method = "{method}"\n'
            + "".join(f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}\n" for name, value in (headers or {}).items()) +
            "done = function(summary)\n"
            "  local errors = summary.errors\n"
            "  io.write(string.format('requests=%d errors=%d\\n', summary.requests,\n"
            "    errors.connect + errors.read + errors.write + errors.status + errors.timeout))\nend\n")
        self.samples = []
        self.rates = []

    def measure(self, seconds, connections):
        before = self.process.cpu_microseconds()
        requests = self.load(seconds, connections) if self.status == 304 else self.wrk(seconds, connections)
        spent = self.process.cpu_microseconds() - before
        self.samples.append(spent / requests)
        self.rates.append(requests / seconds)

    def load(self, seconds, connections):
        """A load for which wrk cannot be used: its parser waits for the body that a 304 with a Content-Length does
        not have."""
        return Load(WORK / "load", self.port, connections, seconds, self.request, self.status).count()

    def wrk(self, seconds, connections):
        out = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(self.script), self.url],
            stdout=subprocess.PIPE, text=True).stdout
        found = re.search(r"requests=(\d+) errors=(\d+)", out)
        if not found or int(found[2]) or not int(found[1]):
            sys.exit(f"{self.name}: the load failed\n{out}")
        return int(found[1])

    @property
    def median(self):
        return statistics.median(self.samples)


class RateRow:
    """One way to write, with its number of writes per second in each round."""

    def __init__(self, name, rate):
        self.name, self.rate, self.samples = name, rate, []

    def measure(self, clients, seconds):
        self.samples.append(self.rate(clients, seconds))

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def spread(self):
        return f"{min(self.samples):.0f}-{max(self.samples):.0f}"


class Goals:
    """Prints figures beside their goals, and keeps in mind whether one was missed."""

    def __init__(self):
        self.missed = False

    def at_least(self, name, figure, goal):
        self._show(name, figure, f"≥ {goal}", figure >= goal)

    def at_most(self, name, figure, goal):
        self._show(name, figure, f"≤ {goal}", figure <= goal)

    def _show(self, name, figure, goal, is_reached):
        self.missed = self.missed or not is_reached
        print(f"{name}: {figure:.2f} ({goal}) {'ok' if is_reached else 'MISSED'}", flush=True)

    def conclude(self):
        conclude(self.missed)


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
