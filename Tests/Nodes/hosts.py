"""Three hosts as network namespaces of this machine. Each has etcd, Patroni, PostgreSQL and a server of lists.

A host has two links: one to everybody, and one to the etcd of the other hosts. The clients live in the namespace of
this process, and some of them in one of their own, which can stand beside a host that is cut off. All namespaces and
processes are to be in namespaces of mounts and processes that end with this one (see `make soak-ha`).
"""
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import string
import subprocess
import time
import urllib.request

from cluster import USER, ending_with_this, programs, run
from history import Violation
from node import Node

COUNT = 3
NETWORK, ETCD_NETWORK = "10.77.0", "10.77.1"
# The bridges: for everybody, for those that are cut off, and for etcd.
JOINED, APART, ETCD = "joined", "apart", "etcd"
BESIDE = "beside"
"""The namespace of the clients that can stand beside a host that is cut off."""
WHOLE_SECONDS = 240
"""The seconds in which the hosts must have a leader and two standbys again, once nothing is broken any more."""
LIBC = ctypes.CDLL(None, use_errno=True)


def ip(*words):
    run("ip", *words)


def _enter(namespace):
    if LIBC.setns(namespace.fileno(), 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


@contextlib.contextmanager
def inside(name):
    """Sockets that are opened within, and processes that are started, belong to a network namespace."""
    with open("/proc/thread-self/ns/net") as home, open(f"/run/netns/{name}") as there:
        _enter(there)
        try:
            yield
        finally:
            _enter(home)


def make_network():
    """Makes the bridges, the namespaces and their links. This process gets an address of its own."""
    # The names of namespaces are files, which are to go with the mounts of this process.
    pathlib.Path("/run/netns").mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "netns", "/run/netns")
    ip("link", "set", "lo", "up")
    # The addresses of this process are not to be found through other bridges than their own.
    pathlib.Path("/proc/sys/net/ipv4/conf/all/arp_ignore").write_text("1")
    for bridge in (JOINED, APART, ETCD):
        ip("link", "add", bridge, "type", "bridge")
        ip("link", "set", bridge, "up")
    ip("address", "add", f"{NETWORK}.254/24", "dev", JOINED)
    for number in range(1, COUNT + 1):
        ip("netns", "add", f"h{number}")
        _link(f"h{number}", "eth0", f"h{number}", f"{NETWORK}.{number}", JOINED)
        _link(f"h{number}", "eth1", f"h{number}e", f"{ETCD_NETWORK}.{number}", ETCD)
    ip("netns", "add", BESIDE)
    _link(BESIDE, "eth0", BESIDE, f"{NETWORK}.200", JOINED)


def _link(namespace, inner, outer, address, bridge):
    ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", namespace)
    ip("-n", namespace, "link", "set", "lo", "up")
    ip("-n", namespace, "address", "add", f"{address}/24", "dev", inner)
    ip("-n", namespace, "link", "set", inner, "up")
    ip("link", "set", outer, "up", "master", bridge)


class HostedNode(Node):
    """A server of lists in the namespace of its host."""

    def __init__(self, host, *arguments):
        super().__init__(*arguments)
        self.host = host

    def start(self):
        with inside(self.host.name):
            super().start()


class Host:
    def __init__(self, number, folder, logs, quorum, etcd, python, is_synchronous):
        self.name, self.folder = f"h{number}", folder / f"h{number}"
        self.address, self.etcd_address = f"{NETWORK}.{number}", f"{ETCD_NETWORK}.{number}"
        self.is_down, self._logs, self._processes = False, logs, []
        self.folder.mkdir()
        self._etcd_words = self._words_of_etcd(number, quorum, etcd)
        config = self.folder / "patroni.yaml"
        text = string.Template((pathlib.Path(__file__).parent / "patroni.yaml").read_text())
        config.write_text(text.substitute(
            name=self.name, address=self.address, network=f"{NETWORK}.0/24", folder=self.folder, programs=programs(),
            synchronous=str(is_synchronous).lower(),
            etcd=", ".join(f"{ETCD_NETWORK}.{other}:2379" for other in range(1, COUNT + 1))))
        self._patroni_words = [*ending_with_this(True), python, "-m", "patroni", config]
        shutil.chown(self.folder, USER, USER)

    def _words_of_etcd(self, number, quorum, etcd):
        address = f"http://{ETCD_NETWORK}.{number}"
        peers = ",".join(f"h{other}=http://{ETCD_NETWORK}.{other}:2380" for other in range(1, COUNT + 1))
        return [*ending_with_this(False), etcd, "--name", self.name, "--data-dir", quorum / self.name,
                "--listen-client-urls", f"{address}:2379", "--advertise-client-urls", f"{address}:2379",
                "--listen-peer-urls", f"{address}:2380", "--initial-advertise-peer-urls", f"{address}:2380",
                "--initial-cluster", peers, "--initial-cluster-state", "new", "--logger", "zap",
                "--log-level", "warn"]

    def start(self):
        """Starts etcd and Patroni, which starts PostgreSQL. Returns at once."""
        with inside(self.name):
            self._processes = [self._start(self._etcd_words, "etcd"), self._start(self._patroni_words, "patroni")]

    def _start(self, words, name):
        with open(self._logs / f"{self.name}.{name}.log", "ab") as log:
            return subprocess.Popen([str(word) for word in words], cwd="/", stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=log)

    def said(self, name):
        """The end of a log: `etcd` or `patroni`, which has PostgreSQL's too."""
        return (self._logs / f"{self.name}.{name}.log").read_text(errors="replace")[-3000:]

    # MARK: Processes

    def processes(self, command=None):
        """The ids of all processes of this host, or of those that run a program of that name."""
        own, found = os.stat(f"/run/netns/{self.name}").st_ino, []
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            try:
                is_own = os.stat(f"/proc/{entry.name}/ns/net").st_ino == own
                name = pathlib.Path(f"/proc/{entry.name}/comm").read_text().strip()
            except OSError:
                continue
            if is_own and command in (None, name):
                found.append(int(entry.name))
        return found

    def signal(self, number, command=None):
        """Sends a signal to all processes, also to those that others start meanwhile."""
        told = set()
        while new := set(self.processes(command)) - told:
            for process in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, number)
            told |= new

    def kill(self):
        """Ends all processes at once, as when the power goes. What they had written to files stays."""
        self.is_down = True
        self.signal(signal.SIGSTOP)
        while self.processes():
            self.signal(signal.SIGKILL)
            time.sleep(0.02)
        for process in self._processes:
            process.wait()

    # MARK: Links

    def cut(self, bridge=APART):
        """Nothing from outside comes to this host any more, and nothing goes out."""
        ip("link", "set", self.name, "master", bridge)
        self.cut_etcd()

    def cut_etcd(self):
        ip("link", "set", f"{self.name}e", "nomaster")

    def join(self):
        ip("link", "set", self.name, "master", JOINED)
        ip("link", "set", f"{self.name}e", "master", ETCD)

    # MARK: What it says

    def query(self, sql):
        return run(programs() / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", USER, "-d",
                   "postgres", "-c", sql, seconds=10)

    def etcd(self, word, **members):
        """The answer of etcd on this host to a request for its maintenance. Raises OSError."""
        request = urllib.request.Request(f"http://{self.etcd_address}:2379/v3/maintenance/{word}",
                                         json.dumps(members).encode())
        with inside(self.name), urllib.request.urlopen(request, timeout=2) as answer:
            return json.load(answer)

    def members(self):
        """The hosts of the cluster and their roles, as Patroni on this host says; empty if it says nothing."""
        try:
            with urllib.request.urlopen(f"http://{self.address}:8008/cluster", timeout=2) as answer:
                return {one["name"]: one["role"] for one in json.load(answer)["members"]}
        except (OSError, ValueError, KeyError):
            return {}

    def postmaster(self):
        """The process id and the start of PostgreSQL; None if there is none."""
        try:
            lines = (self.folder / "data/postmaster.pid").read_text().split("\n")
        except OSError:
            return None
        return lines[0], lines[2] if len(lines) > 2 else None


def authority(hosts):
    """The part of the URL of a database that names its user and its hosts, in the order in which they are tried."""
    return "liststate@" + ",".join(f"{host.address}:5432" for host in hosts)


class Hosts:
    def __init__(self, folder, logs, quorum, binary, etcd, python, options, is_synchronous):
        """`quorum`: the folder of all etcds. `etcd`, `python`: the programs; the latter can import Patroni."""
        make_network()
        folder.chmod(0o755)
        self.is_synchronous = is_synchronous
        self.hosts = [Host(number, folder, logs, quorum, etcd, python, is_synchronous)
                      for number in range(1, COUNT + 1)]
        options = [*options, *(["--require-standby"] if is_synchronous else [])]
        # Each server of lists tries its own host first, and so one of them comes to a dead host last.
        self.nodes = [HostedNode(host, f"n{number}", (host.address, 8080),
                                 authority([*self.hosts[number - 1:], *self.hosts[:number - 1]]), binary, logs, options)
                      for number, host in enumerate(self.hosts, 1)]
        self.violations = []

    def kill(self):
        for host in self.hosts:
            host.kill()

    def start(self):
        """Makes the cluster and its database, and starts the servers of lists."""
        for host in self.hosts:
            host.start()
        self.wait(self._has_standbys)
        leader = self.wait(self.leader)
        leader.query("CREATE ROLE liststate LOGIN")
        leader.query("CREATE DATABASE lists OWNER liststate ENCODING 'UTF8' TEMPLATE template0")
        for node in self.nodes:
            node.start()
        self.wait(self.is_whole)

    def leader(self, *without):
        """The host that all others than `without` call the leader; None if there is none."""
        asked = [host for host in self.hosts if host not in without]
        named = {self._with_role("leader", host.members()) for host in asked}
        return named.pop() if len(named) == 1 else None

    def standby(self, *without):
        """The host for which commits wait, as all others than `without` say."""
        asked = [host for host in self.hosts if host not in without]
        named = {self._with_role("sync_standby", host.members()) for host in asked}
        return named.pop() if len(named) == 1 else None

    def _with_role(self, role, members):
        return next((host for host in self.hosts if members.get(host.name) == role), None)

    def _has_standbys(self):
        leader = self.leader()
        if leader is None or self.is_synchronous and self.standby() is None:
            return False
        try:
            states = leader.query("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'").split()
            return len(states) == COUNT - 1 and states.count("sync") == self.is_synchronous
        except RuntimeError:
            return False

    def is_whole(self):
        """Whether all agree on a leader with two standbys, commits wait for one of them, and all nodes take writes."""
        self.start_nodes()
        return self._has_standbys() and all(node.is_ready for node in self.nodes)

    def has_leaders_apart(self):
        """Whether etcd's leader is on another host than PostgreSQL's; moves it otherwise.

        A new leader of etcd grants every lease its whole time again, also that of a dead leader of PostgreSQL."""
        leader = self.leader()
        try:
            states = {host: host.etcd("status") for host in self.hosts}
            if leader is None or "leader" not in states[leader]:
                return False
            numbers = {host: state["header"]["member_id"] for host, state in states.items()}
            if states[leader]["leader"] != numbers[leader]:
                return True
            other = next(host for host in self.hosts if host is not leader)
            leader.etcd("transfer-leadership", targetID=numbers[other])
        except OSError:
            pass
        return False

    def start_nodes(self):
        """Starts nodes that have ended. One that finds no database at its start ends by itself, and may."""
        for node in self.nodes:
            if not node.host.is_down and node.has_ended:
                if node.has_listened:
                    self.violations.append(Violation("unhealthy", f"{node.name} ended by itself: {node.said[-500:]}"))
                node.start()

    def wait(self, ask):
        """The answer to a question, once it has one."""
        end = time.monotonic() + WHOLE_SECONDS
        while not (found := ask()):
            if time.monotonic() > end:
                raise RuntimeError("the hosts are not whole: " + "\n".join(
                    f"{host.name}: {host.members()}\n{host.said('patroni')}" for host in self.hosts))
            time.sleep(0.2)
        return found

    def start_host(self, host):
        """Starts a host that was killed."""
        ip("link", "set", host.name, "up")
        ip("link", "set", f"{host.name}e", "up")
        host.is_down = False
        host.start()
        self._node_of(host).start()

    def stop_host(self, host):
        """A host is gone, with its links."""
        ip("link", "set", host.name, "down")
        ip("link", "set", f"{host.name}e", "down")
        host.kill()
        self._node_of(host).kill()

    def _node_of(self, host):
        return next(node for node in self.nodes if node.host is host)
