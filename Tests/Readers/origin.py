"""A relay before a server that notes which requests come to it, and when."""
import asyncio
import collections
import threading
import time


class Origin:
    """Relays connections to a port of this machine, on a thread of its own. It takes GETs without a body only."""

    def __init__(self, target):
        self._target = target
        self._loop = asyncio.new_event_loop()
        # The times of the requests of each target, in seconds; and the requests of each that have no answer yet.
        self.times = collections.defaultdict(list)
        self._at_work = collections.Counter()
        self.most_at_work = 0
        is_there = threading.Event()
        threading.Thread(target=self._run, args=(is_there,), daemon=True).start()
        is_there.wait()

    def _run(self, is_there):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=4096, limit=1 << 20))
        self.port = server.sockets[0].getsockname()[1]
        is_there.set()
        self._loop.run_forever()

    async def _serve(self, client, to_client):
        try:
            server, to_server = await asyncio.open_connection("127.0.0.1", self._target, limit=1 << 24)
            try:
                while True:
                    await self._pass(client, to_client, server, to_server)
            finally:
                to_server.close()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            to_client.close()

    async def _pass(self, client, to_client, server, to_server):
        """Passes one request and its answer on."""
        request = await client.readuntil(b"\r\n\r\n")
        path = request.split(b" ", 2)[1].decode()
        self.times[path].append(time.monotonic())
        self._at_work[path] += 1
        self.most_at_work = max(self.most_at_work, self._at_work[path])
        try:
            to_server.write(request)
            head = await server.readuntil(b"\r\n\r\n")
            body = await server.readexactly(self._length(head))
        finally:
            self._at_work[path] -= 1
        to_client.write(head + body)
        await to_client.drain()

    @staticmethod
    def _length(head):
        """The bytes of the body."""
        first, *lines = head.lower().split(b"\r\n")
        lengths = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")]
        return 0 if b" 304 " in first or not lengths else lengths[0]

    @property
    def count(self):
        return sum(len(times) for times in self.times.values())

    @property
    def most_in_a_second(self):
        """The most requests of one target within a second, and that target."""
        most = (0, "")
        for path, times in self.times.items():
            first = 0
            for last, end in enumerate(times):
                while times[first] <= end - 1:
                    first += 1
                most = max(most, (last - first + 1, path))
        return most
