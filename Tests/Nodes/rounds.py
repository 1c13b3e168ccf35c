"""One fault of a host, and everything that clients are told before, meanwhile and afterwards."""
import contextlib
import time

from balance import Health
from episode import HERE, WRITERS, Control, Episode
from history import Violation, now
from hosts import APART, BESIDE, JOINED, WHOLE_SECONDS, inside, ip
from network import NetworkProcess
from work import OVER, SETTLING, WRITE, Reader, Watcher, Writer

STOPPED_SECONDS = 28
"""More than Patroni's ttl, so that another host leads when the stopped one goes on."""
SHOWN_SECONDS = 90
"""The seconds in which a fault must have shown itself: another leader, or another standby."""
AGAIN = 300
"""The acknowledged writes that must come before a fault, during it, and after it."""


class Fault:
    """The host of the leader is broken, until another host leads."""
    seconds = 0

    def __init__(self, hosts):
        self.hosts, self.host = hosts, hosts.wait(lambda: self.choose(hosts))

    def choose(self, hosts):
        return hosts.leader()

    def has_shown(self):
        """Whether the others have gone on without the host."""
        return self.hosts.leader(self.host) not in (None, self.host)


class LeaderKilled(Fault):
    name = "leader's PostgreSQL killed"

    def strike(self):
        self._old = self.host.postmaster()
        self.host.signal(9, "postgres")

    def has_shown(self):
        """Patroni starts it again, or another host leads."""
        return self.host.postmaster() not in (None, self._old) or super().has_shown()

    def heal(self):
        pass


class HostGone(Fault):
    name = "leader's host gone"

    def strike(self):
        self.hosts.stop_host(self.host)

    def heal(self):
        self.hosts.start_host(self.host)


class HostStopped(Fault):
    name, seconds = "leader's host stopped", STOPPED_SECONDS

    def strike(self):
        self.host.signal(19)

    def heal(self):
        self.host.signal(18)


class CutOff(Fault):
    name = "leader cut off"

    def strike(self):
        self.host.cut()

    def heal(self):
        self.host.join()


class CutOffWithClients(CutOff):
    """Some clients can reach the node beside the old leader, and nobody else."""
    name = "leader cut off with its node and clients"

    def strike(self):
        ip("link", "set", BESIDE, "master", APART)
        super().strike()

    def heal(self):
        super().heal()
        ip("link", "set", BESIDE, "master", JOINED)


class StandbyGone(HostGone):
    name = "standby gone"

    def choose(self, hosts):
        return hosts.standby()

    def has_shown(self):
        return self.hosts.standby(self.host) not in (None, self.host)


class EtcdCut(Fault):
    name = "leader without etcd"

    def strike(self):
        self.host.cut_etcd()

    def heal(self):
        self.host.join()


FAULTS = [LeaderKilled, HostGone, HostStopped, CutOff, CutOffWithClients, StandbyGone, EtcdCut]


class Round(Episode):
    """An episode with one fault, on hosts that stay."""

    def __init__(self, hosts, fault, settings, seed, prefix):
        super().__init__(None, settings, seed, prefix)
        self._hosts, self._kind, self.fault = hosts, fault, None
        # The seconds after the fault until it had shown itself, and after its end until the hosts were whole.
        self.shown_after = self.whole_after = None
        self._begin = self._end = now()

    def _live(self, folder, stack):
        hosts, nodes = self._hosts, self._hosts.nodes
        hosts.wait(lambda: hosts.is_whole() and hosts.has_leaders_apart())
        self._make_lists(nodes)
        balancer = self._balance(nodes, stack)
        with inside(BESIDE):
            beside = self._balance(nodes, stack)
        control = Control(folder, WRITERS * self._settings.depth + 1, self._settings.pace)
        stack.callback(control.give_up)
        clients = self._employ(folder, (HERE, balancer.ports["balancer"]), control, stack)
        with inside(BESIDE):
            clients += self._employ_beside(folder, (HERE, beside.ports["balancer"]), control, stack)
        healths = [Health(nodes, balancer, contextlib.nullcontext), Health(nodes, beside, lambda: inside(BESIDE))]
        for health in healths:
            health.start()
            stack.callback(health.stop)
        self._break(control)
        self._end = now()
        self.history.violations += hosts.violations
        hosts.violations = []
        self._finish(nodes, control, clients)

    def _balance(self, nodes, stack):
        network = NetworkProcess({"balancer": [node.address for node in nodes]}, self._random.random())
        stack.callback(network.stop)
        return network

    def _employ_beside(self, folder, address, control, stack):
        names = [f"{self._prefix}{kind}" for kind in ("xw", "xr", "xv")]
        slot = WRITERS * self._settings.depth
        groups = [[Writer(names[0], self._lists, address, control, slot, self._random.random())],
                  [Reader(names[1], self._lists, address, control, self._random.random())],
                  [Watcher(names[2], self._lists, address, control)]]
        return self._start_clients(groups, folder, "beside", stack)

    # MARK: The fault

    def _break(self, control):
        self._wait_for_answers(control, "before the fault")
        self._begin = now()
        self.fault = fault = self._kind(self._hosts)
        begin = time.monotonic()
        fault.strike()
        if self._wait(control, fault.has_shown, SHOWN_SECONDS, f"{fault.name}: it has not shown"):
            self.shown_after = time.monotonic() - begin
            self._wait_for_answers(control, "during the fault")
        time.sleep(max(0, begin + fault.seconds - time.monotonic()))
        fault.heal()
        begin = time.monotonic()
        if self._wait(control, self._hosts.is_whole, WHOLE_SECONDS, "the hosts are not whole again"):
            self.whole_after = time.monotonic() - begin
            self._wait_for_answers(control, "after the fault")

    def _wait_for_answers(self, control, when):
        wanted = self._answers(control) + AGAIN
        self._wait(control, lambda: self._answers(control) >= wanted, SHOWN_SECONDS, f"no writes {when}")

    @staticmethod
    def _answers(control):
        """The writes of all clients that are not beside a host."""
        return sum(control.acknowledged[:-1])

    def _wait(self, control, is_so, seconds, what):
        end = time.monotonic() + seconds
        while control.phase == WRITE:
            self._hosts.start_nodes()
            if is_so():
                return True
            if time.monotonic() > end:
                said = [f"{host.name}: {host.members()} {host.said('patroni')[-800:]}" for host in self._hosts.hosts]
                self.history.violations.append(Violation("stuck", f"{what} after {seconds} s"))
                print("\n".join(said), flush=True)
                return False
            time.sleep(0.1)
        return False

    @property
    def unavailable(self):
        """The longest time, in seconds, in which no client in the majority got a write acknowledged."""
        answers = [one.end for write in self.history.writes if write.label.startswith(f"{self._prefix}w")
                   for one in write.tries if one.is_success and not one.is_replay]
        return longest_gap(answers, self._begin, self._end)


def longest_gap(moments, begin, end):
    """The longest time without any of the moments between two others; all in nanoseconds, the result in seconds."""
    inner = sorted(moment for moment in moments if begin < moment < end)
    return max(after - before for before, after in zip([begin, *inner], [*inner, end])) / 1e9
