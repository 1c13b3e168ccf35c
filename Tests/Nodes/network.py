"""A balancer that knows nothing of the servers behind it, and proxies between the servers and the database. All of them
run in one process of their own, which passes bytes on until it is told to break something.
"""
import multiprocessing
import random
import selectors
import socket
import struct
import time

READ = 1 << 16
RESET = struct.pack("ii", 1, 0)
CONNECT_SECONDS = 0.5
"""The seconds in which a target must take a connection. On this machine it is over at once, unless too many wait."""


def is_connected(end):
    try:
        end.getpeername()
    except OSError:
        return False
    return True


class Pair:
    """A connection of a client and the connection to its target, with the bytes that are on their way."""

    def __init__(self, proxy, client, server, target):
        self.proxy, self.ends, self.target = proxy, (client, server), target
        self.waiting = [b"", b""]
        # The end whose bytes are counted, and the bytes after which the pair is cut; None never cuts it.
        self.cut_end, self.bytes_left, self.is_reset = 0, None, False


class Proxy:
    def __init__(self, port, targets):
        self.listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self.listener.setblocking(False)
        self.targets, self.next = list(targets), 0
        self.pairs = set()
        self.is_stalled = self.is_refusing = False
        # The part of new connections that are cut, and how many bytes later at most.
        self.cut_share, self.cut_bytes = 0.0, 0
        self.held = []


class Network:
    """Runs in the process."""

    def __init__(self, proxies, commands, seed):
        self._proxies, self._commands, self._random = proxies, commands, random.Random(seed)
        self._selector = selectors.DefaultSelector()
        self._selector.register(commands, selectors.EVENT_READ, self._obey)
        for proxy in proxies.values():
            self._selector.register(proxy.listener, selectors.EVENT_READ, lambda proxy=proxy: self._accept(proxy))
        self._cuts, self._connections, self._is_over = 0, 0, False
        # The pairs whose target has not taken the connection yet, with the moments at which they are given up.
        self._connecting = {}

    def run(self):
        while not self._is_over:
            self._give_up()
            for key, mask in self._selector.select(CONNECT_SECONDS / 5 if self._connecting else None):
                if callable(key.data):
                    key.data()
                elif key.fd >= 0 and key.data[0] in key.data[0].proxy.pairs:
                    self._move(*key.data, mask)

    # MARK: Commands

    def _obey(self):
        try:
            word, name, *rest = self._commands.recv()
        except EOFError:
            self._is_over = True
            return
        answer = getattr(self, f"_{word}")(self._proxies.get(name), *rest)
        self._commands.send(answer)

    def _count(self, _):
        return self._connections, self._cuts

    def _lead(self, proxy, targets):
        """Where new connections go."""
        proxy.targets = list(targets)

    def _cut(self, proxy):
        """Breaks all connections now."""
        for pair in list(proxy.pairs):
            self._break(pair, is_reset=self._random.random() < 0.5)

    def _cut_target(self, proxy, target):
        """Breaks all connections to one target now."""
        for pair in [pair for pair in proxy.pairs if pair.target == target]:
            self._break(pair, is_reset=False)

    def _cut_soon(self, proxy, bytes_max):
        """Breaks each connection after some bytes more, in one of the directions."""
        for pair in proxy.pairs:
            self._plan_cut(pair, bytes_max)

    def _cut_share(self, proxy, share, bytes_max):
        """How many of the new connections are broken, and after how many bytes at most."""
        proxy.cut_share, proxy.cut_bytes = share, bytes_max
        if share == 0:
            for pair in proxy.pairs:
                pair.bytes_left = None

    def _refuse(self, proxy, is_refusing):
        proxy.is_refusing = is_refusing

    def _stall(self, proxy):
        """Passes nothing on until `resume`; what comes meanwhile waits, connections too."""
        proxy.is_stalled = True
        for pair in proxy.pairs:
            self._watch(pair)

    def _resume(self, proxy):
        proxy.is_stalled = False
        held, proxy.held = proxy.held, []
        for client in held:
            self._connect(proxy, client)
        for pair in list(proxy.pairs):
            self._watch(pair)

    # MARK: Connections

    def _accept(self, proxy):
        try:
            client, _ = proxy.listener.accept()
        except OSError:
            return
        if proxy.is_stalled and not proxy.is_refusing:
            proxy.held.append(client)
        else:
            self._connect(proxy, client)

    def _connect(self, proxy, client):
        if proxy.is_refusing or not proxy.targets:
            return client.close()
        target = proxy.targets[proxy.next % len(proxy.targets)]
        proxy.next += 1
        server = socket.socket(socket.AF_UNIX if isinstance(target, str) else socket.AF_INET)
        server.setblocking(False)
        try:
            server.connect(target)
        except BlockingIOError:
            # Nobody else shall wait for a host that says nothing.
            pass
        except OSError:
            server.close()
            return client.close()
        pair = Pair(proxy, client, server, target)
        self._connecting[pair] = time.monotonic() + CONNECT_SECONDS
        for end in pair.ends:
            end.setblocking(False)
            if end.family == socket.AF_INET:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._random.random() < proxy.cut_share:
            self._plan_cut(pair, proxy.cut_bytes)
        proxy.pairs.add(pair)
        self._connections += 1
        self._watch(pair)

    def _give_up(self):
        """Breaks the pairs whose target has not taken the connection in time."""
        for pair, end in list(self._connecting.items()):
            if pair not in pair.proxy.pairs or is_connected(pair.ends[1]):
                del self._connecting[pair]
            elif time.monotonic() > end:
                self._break(pair, is_reset=False)

    def _plan_cut(self, pair, bytes_max):
        pair.cut_end, pair.bytes_left = self._random.randrange(2), self._random.randrange(1, bytes_max + 1)
        pair.is_reset = self._random.random() < 0.5

    def _watch(self, pair):
        for end in (0, 1):
            # An end is read while nothing of it waits for the other end.
            mask = 0 if pair.waiting[end] or pair.proxy.is_stalled else selectors.EVENT_READ
            mask |= selectors.EVENT_WRITE if pair.waiting[1 - end] and not pair.proxy.is_stalled else 0
            key = self._selector.get_map().get(pair.ends[end])
            if key and not mask:
                self._selector.unregister(pair.ends[end])
            elif key and key.events != mask:
                self._selector.modify(pair.ends[end], mask, (pair, end))
            elif mask and not key:
                self._selector.register(pair.ends[end], mask, (pair, end))

    def _move(self, pair, end, mask):
        had = bool(pair.waiting[0]), bool(pair.waiting[1])
        if mask & selectors.EVENT_WRITE:
            self._push(pair, 1 - end)
        if mask & selectors.EVENT_READ and pair in pair.proxy.pairs and not pair.waiting[end]:
            try:
                read = pair.ends[end].recv(READ)
            except BlockingIOError:
                return
            except OSError:
                read = b""
            if not read:
                return self._break(pair, is_reset=False)
            is_cut = pair.bytes_left is not None and pair.cut_end == end
            if is_cut:
                read = read[:pair.bytes_left]
                pair.bytes_left -= len(read)
            pair.waiting[end] += read
            self._push(pair, end)
            if is_cut and pair.bytes_left == 0:
                self._cuts += 1
                return self._break(pair, pair.is_reset)
        if pair in pair.proxy.pairs and had != (bool(pair.waiting[0]), bool(pair.waiting[1])):
            self._watch(pair)

    def _push(self, pair, end):
        """Sends what has come from an end on to the other one."""
        if not pair.waiting[end] or pair not in pair.proxy.pairs:
            return
        try:
            sent = pair.ends[1 - end].send(pair.waiting[end])
            pair.waiting[end] = pair.waiting[end][sent:]
        except BlockingIOError:
            pass
        except OSError:
            self._break(pair, is_reset=False)

    def _break(self, pair, is_reset):
        if pair not in pair.proxy.pairs:
            return
        pair.proxy.pairs.discard(pair)
        for end in pair.ends:
            if end in self._selector.get_map():
                self._selector.unregister(end)
            if is_reset and end.family == socket.AF_INET:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            end.close()


class NetworkProcess:
    """The process, told what to do by words: the methods of `Network` that begin with an underscore."""

    def __init__(self, targets, seed):
        """`targets`: for each name the addresses to which connections go; a path is that of a Unix socket."""
        proxies = {name: Proxy(0, addresses) for name, addresses in targets.items()}
        self.ports = {name: proxy.listener.getsockname()[1] for name, proxy in proxies.items()}
        self._pipe, other = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=self._run, args=(proxies, other, seed), daemon=True)
        self._process.start()
        other.close()
        for proxy in proxies.values():
            proxy.listener.close()

    def _run(self, proxies, commands, seed):
        # Otherwise the end of the other process would not be seen.
        self._pipe.close()
        Network(proxies, commands, seed).run()

    def tell(self, word, name=None, *rest):
        self._pipe.send((word, name, *rest))
        return self._pipe.recv()

    def stop(self):
        self._pipe.close()
        self._process.join(5)
