#!/usr/bin/env python3
"""What a client beyond its quota costs the others, as ratios of what they get beside it to what they get alone.

    bench.py SERVER-BINARY [--rounds 7] [--seconds 3] [--connections 256] [--quick]

The others ask as fast as they are answered (wrk, 8 connections). The client beyond its quota has as many connections as
--connections says. It asks again on each as soon as an answer has come, whatever the answer says. It has been refused
before the measurement begins: until then it may use all of its quota at once.

    reads      others read a list with a token; the client sends writes, of which it has used up its 600 a minute
    writes     others write without a token on this machine, which has no quota; the client reads, and has used up its
               600 requests a minute
    kept       others read with a token; the client makes lists, and has as many as it may. These refusals are not held
               back, but count as 20 writes, and its rate is the default one: 30,000 writes a minute

The server and the others share one processor, and the client beyond its quota has another one to itself: what it takes
from the machine is not counted, but all that it costs the server is, and what the kernel does for the server. Without a
second processor all share one, and that is said. A round is alone, beside, beside, beside a caller, alone. The caller
is a client within its quotas, on as many connections, that asks for /healthz as often a second as the other one was
answered.

There are three figures for each scene, each the median of the rounds: requests a second, the p99 of their times, and
CPU time of the server for each request of the others. The goals: at least 0.95 of the requests a second and at most
1.05 of the CPU time, both of alone; and at most 1.05 of the p99 beside the caller. An answer to anybody delays the few
others that come at the same moment, so the p99 of alone would tell how busy the server was, and not who is refused. The
third figure tells by the server's clock what the first tells by the clock of the wall. Other programs of the machine
change the first two, so their goals count only if those use at most a tenth of the processors before the first round.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import WORK, Process, busy_percent, conclude, exit_on_signals, free_port

HERE = pathlib.Path(__file__).parent
LEAST_RATE, MOST_P99, MOST_CPU, MOST_BUSY_PERCENT = 0.95, 1.05, 1.05, 10
BODY = {"sections": [{"id": "s", "items": [{"id": "a"}, {"id": "b"}]}]}
NO_LIMIT = {"--client-requests-per-minute": 0, "--client-writes-per-minute": 0, "--client-mebibytes-per-minute": 0}


class Scene:
    def __init__(self, name, limits, others, others_have_token, greedy):
        self.name, self.limits, self.others, self.greedy = name, NO_LIMIT | limits, others, greedy
        self.others_have_token = others_have_token


STAR = "/v1/lists/others/items/a/star"
SCENES = [
    Scene("reads", {"--client-writes-per-minute": 600}, ("GET", "/v1/lists/others"), True,
          ("POST", "/v1/lists/greedy/items/a/star", "")),
    Scene("writes", {"--client-requests-per-minute": 600}, ("POST", STAR), False, ("GET", "/v1/lists/greedy", "")),
    Scene("kept", {"--client-writes-per-minute": 30_000, "--client-lists-max": 1}, ("GET", "/v1/lists/others"), True,
          ("POST", "/v1/lists", '{"title":"one more"}')),
]


def ask(port, method, path, token, body):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    url = f"http://127.0.0.1:{port}{path}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())


class Run:
    """A server with both clients."""

    def __init__(self, binary, scene, cpus, options):
        self.scene, self.cpus, self.options = scene, cpus, options
        self.port = free_port()
        limits = [str(part) for limit in scene.limits.items() for part in limit]
        os.sched_setaffinity(0, {cpus[0]})
        self.process = Process([binary, "serve", "--memory", "--port", self.port, "--loops", 1, "--log-level", "error",
                                *limits])
        everything = [{"lists": ["*"], "can": ["administer"]}]
        self.admin = self.token("admin", everything, None)
        self.other = self.token("other", everything, self.admin)
        self.greedy = self.token("greedy", everything, self.admin)
        ask(self.port, "PUT", "/v1/lists/others", self.other, BODY)
        ask(self.port, "PUT", "/v1/lists/greedy", self.greedy, BODY)
        ask(self.port, "PUT", "/v1/access/anonymous", self.admin,
            {"grants": [{"lists": ["others"], "can": ["read", "write"]}]})
        method, path = scene.others
        field = f'wrk.headers["Authorization"] = "Bearer {self.other}"\n' if scene.others_have_token else ""
        self.script = WORK / f"{scene.name}.lua"
        self.script.write_text(
            f'wrk.method = "{method}"\n{field}done = function(summary, latency)\n  local errors = summary.errors\n'
            '  io.write(string.format("requests=%d microseconds=%d p99=%d errors=%d\\n", summary.requests,\n'
            "    summary.duration, latency:percentile(99),\n"
            "    errors.connect + errors.read + errors.write + errors.status + errors.timeout))\nend\n")
        self.url = f"http://127.0.0.1:{self.port}{path}"

    def token(self, name, grants, by):
        return ask(self.port, "POST", "/v1/tokens", by, {"name": name, "grants": grants})["token"]

    def others(self):
        """Requests a second, p99 in microseconds, and CPU microseconds of the server for a request."""
        before = self.process.cpu_microseconds()
        out = subprocess.run(["wrk", "-t1", "-c8", f"-d{self.options.seconds}s", "-s", self.script, self.url],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        spent = self.process.cpu_microseconds() - before
        found = re.search(r"requests=(\d+) microseconds=(\d+) p99=(\d+) errors=(\d+)", out)
        if not found or int(found[4]) or not int(found[1]):
            sys.exit(f"{self.scene.name}: the others were not served:\n{out}")
        requests, microseconds, p99, _ = map(int, found.groups())
        return requests * 1e6 / microseconds, p99, spent / requests

    def beside(self, request, rate, times):
        """The same, several times, beside a client that asks, and what that one tells of its answers."""
        command = [sys.executable, HERE / "attacker.py", self.port, self.greedy, *request, self.options.connections,
                   self.cpus[1], rate]
        client = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        try:
            if client.stdout.readline() != ("paced\n" if rate else "refused\n"):
                sys.exit(f"{self.scene.name}: the client beyond its quota was not refused")
            figures = [self.others() for _ in range(times)]
        finally:
            client.terminate()
        told = json.loads(client.stdout.read())
        client.wait()
        return figures, told

    def measure(self):
        """The ratios of each round, and the last answers of the client beyond its quota."""
        ratios = []
        alone_figures = []
        for _ in range(self.options.rounds):
            first = self.others()
            beside, told = self.beside(self.scene.greedy, 0, 2)
            within, _ = self.beside(("GET", "/healthz", ""), told["rate"], 2)
            alone = [first, self.others()]
            alone_figures += alone
            ratios.append([sum(figure[kind] for figure in beside) / sum(figure[kind] for figure in base)
                           for kind, base in enumerate((alone, within, alone))])
        self.process.stop()
        return [statistics.median(kind) for kind in zip(*ratios)], alone_figures, told, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--quick", action="store_true", help="one short round of each scene")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 1, 1
    exit_on_signals()
    busy = busy_percent(3)
    is_quiet = busy <= MOST_BUSY_PERCENT
    print(f"other programs use {busy:.0f} % of the processors"
          + ("" if is_quiet else ": the goals by the clock of the wall do not count"))
    available = sorted(os.sched_getaffinity(0))
    cpus = (available[0], available[-1])
    if cpus[0] == cpus[1]:
        print("there is one processor: what the client beyond its quota takes itself is counted, too")
    print(f"{'others':8}{'a second':>10}{'ratio':>8}{'goal':>7}{'p99 µs':>9}{'ratio':>8}{'goal':>7}{'CPU µs':>9}"
          f"{'ratio':>8}{'goal':>7}"
          "   answers of the client beyond its quota")
    missed = False
    for scene in SCENES:
        os.sched_setaffinity(0, available)
        medians, alone, told, ratios = Run(options.server, scene, cpus, options).measure()
        rate, p99, cpu = (statistics.median(kind) for kind in zip(*alone))
        print(f"{scene.name:8}{rate:10.0f}{medians[0]:8.3f}{LEAST_RATE:7.2f}{p99:9.0f}{medians[1]:8.3f}{MOST_P99:7.2f}"
              f"{cpu:9.2f}{medians[2]:8.3f}{MOST_CPU:7.2f}   {told['rate']:.0f} a second {told['answers']}")
        for kind, name in enumerate(("rate", "p99", "CPU")):
            print(f"        {name}: " + " ".join(f"{round[kind]:.3f}" for round in ratios))
        missed = missed or medians[2] > MOST_CPU
        missed = missed or is_quiet and (medians[0] < LEAST_RATE or medians[1] > MOST_P99)
    conclude(missed)


if __name__ == "__main__":
    main()
