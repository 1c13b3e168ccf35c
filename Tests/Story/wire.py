"""The wire between clients and the server: a port for each client, which can be cut off and made faulty."""
import asyncio
import random
import socket
import struct
import threading

CHUNK = 65536


class Wire:
    """Passes bytes on between the ports of clients and the server, in a thread of its own.

    `ports[client]` is where a client reaches the server. While `faults` is above 0, that part of all chunks meets a
    fault: the connection is cut before or after the chunk is passed on, the chunk is delayed, or the connection stalls
    and is cut then. A chunk that is cut off before it is passed on is lost.
    """

    def __init__(self, server, clients, seed):
        self.server, self.faults = server, 0.0
        self.ports, self.seen = [0] * clients, {"lost": 0, "cut": 0, "delayed": 0, "stalled": 0}
        self._random, self._open = random.Random(seed), [set() for _ in range(clients)]
        self._listeners = [None] * clients
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.let_back()

    def let_back(self):
        """Lets all clients reach the server."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def send_away(self):
        """Cuts all clients off, until `let_back`. Nothing of theirs passes any more when this returns."""
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result()

    async def _listen(self):
        for client, port in enumerate(self.ports):
            one = await asyncio.start_server(lambda *ends, client=client: self._serve(client, *ends), "127.0.0.1", port)
            self.ports[client], self._listeners[client] = one.sockets[0].getsockname()[1], one

    async def _cut(self):
        for client, listener in enumerate(self._listeners):
            listener.close()
            self._listeners[client] = None
            for end in self._open[client]:
                reset(end)

    async def _serve(self, client, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        except OSError:
            return reset(writer)
        if self._listeners[client] is None:
            return [reset(end) for end in (writer, far_writer)]
        ends = {writer, far_writer}
        self._open[client] |= ends
        try:
            ways = [asyncio.ensure_future(self._pass(reader, far_writer)),
                    asyncio.ensure_future(self._pass(far_reader, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
        finally:
            self._open[client] -= ends
            for end in ends:
                end.transport.abort()

    async def _pass(self, reader, writer):
        try:
            while chunk := await reader.read(CHUNK):
                if self._random.random() < self.faults and await self._fails(chunk, writer):
                    return
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass

    async def _fails(self, chunk, writer):
        """Whether the connection ends by the fault."""
        kind = self._random.choice(["lost", "cut", "delayed", "stalled"])
        self.seen[kind] += 1
        match kind:
            case "lost":
                return True
            case "cut":
                writer.write(chunk)
                await writer.drain()
                return True
            case "delayed":
                await asyncio.sleep(self._random.random() / 5)
                return False
            case "stalled":
                await asyncio.sleep(1)
                return True


def reset(end):
    """Breaks a connection, without the bytes that wait in it."""
    end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.transport.abort()
