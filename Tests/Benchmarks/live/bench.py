#!/usr/bin/env python3
"""The cost of ten thousand event streams, as ratios to a plain loop in C and to the server without streams.

    bench.py SERVER-BINARY [--rounds 7] [--quick]

There are three measurements, each of two sides that take turns on one machine. The output has medians, and medians of
the ratios of each round. CPU time is that of the server alone (user and system, all threads), because the clients use
the same machine. It includes heartbeats, of which each counts as a delivery. Memory is the resident memory of the
process, without the kernel's buffers for sockets.

1. One star toggle to 1,000 and to 10,000 streams, compared with streams.c, which writes the same bytes to as many
sockets.
2. GETs of the snapshot while 10,000 streams are open, compared with the same server without streams.
3. 500 readers that read nothing during 100,000 changes, compared with the same writes without them. The measurement
begins when the kernel accepts no more bytes for any of them. Then each reads on. What it has read must be a chain of
changes to the head, which ends with one net change set. History is kept for longer than the readers stand still.
"""
import argparse
import json
import os
import pathlib
import socket
import statistics
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import (LIST, STAR, WORK, Load, Process, Subscribers, compiled, conclude, free_port, ratio, request_file,
                     turns)

CONNECTIONS = 64
STREAM = {"Accept": "text/event-stream"}
# A small buffer makes a stopped reader stuck soon. The kernel's minimum is a little larger than this.
STUCK_BUFFER_BYTES = 4096
WRITTEN_ITEMS = ["list.fox", "list.whiskey", "recents.whiskey", "outline.fox"]


class Side:
    """A measured process, with its costs."""

    def __init__(self, command, port):
        self.process, self.port = Process(command), port
        self.subscribers = None
        self.cpu, self.last = [], []

    def get(self, path=LIST):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}") as response:
            return json.load(response)

    def open_streams(self, programs, count, since, receive_buffer=0):
        stream = request_file("stream", f"{LIST}/changes?since={since}", headers=STREAM)
        star = request_file("star", STAR, "POST")
        self.subscribers = Subscribers(programs["subscribers"], self.port, count, stream, star, receive_buffer)

    def close_streams(self):
        self.subscribers.close()
        self.subscribers = None


class Table:
    """Figures beside each other. `bound` is the goal: the ratio, or else the figure, must not exceed it."""

    def __init__(self):
        self.missed = False
        print(f"{'':44}{'server':>10}{'against':>10}{'ratio':>8}{'goal':>7}")

    def add(self, name, figure, against=None, quotient=None, goal=None):
        value = figure if quotient is None else quotient
        is_missed = goal is not None and value > goal
        self.missed = self.missed or is_missed
        cells = [f"{figure:10.2f}"] + [
            " " * width if number is None else f"{number:{width}.2f}"
            for number, width in ((against, 10), (quotient, 8), (goal, 7))]
        print(f"{name:44}{''.join(cells)}{'  missed' if is_missed else ''}", flush=True)

    def pair(self, name, figures, against, goal=None):
        self.add(name, statistics.median(figures), statistics.median(against), ratio(figures, against), goal)


def serve(options, *more):
    port = free_port()
    return Side([options.server, "serve", "--memory", "--samples", "--port", port, *more], port)


def request(side, path, method, body=None):
    headers = {} if body is None else {"Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    url = f"http://127.0.0.1:{side.port}{path}"
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as response:
        return json.load(response)


def captured(side):
    """Files with the bytes that the server sends when a stream opens and for one toggle."""
    head_file, event_file = WORK / "head", WORK / "event"
    with socket.create_connection(("127.0.0.1", side.port), 10) as stream:
        since = side.get()["version"]
        stream.sendall(request_file("captured", f"{LIST}/changes?since={since}", headers=STREAM).read_bytes())
        received = receive_until(stream, lambda received: b"\r\n\r\n" in received)
        head = received[:received.index(b"\r\n\r\n") + 4]
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"the server has no event streams:\n{head.decode()}")
        head_file.write_bytes(head)
        # The first event comes with the beginning of the stream; the second one comes alone.
        for _ in range(2):
            request(side, STAR, "POST")
            event = receive_until(stream, lambda received: b"data:" in received and received.endswith(b"\n\n\r\n"))
        event_file.write_bytes(event)
    return head_file, event_file


def receive_until(stream, is_whole):
    received = b""
    while not is_whole(received):
        part = stream.recv(65536)
        if not part:
            sys.exit(f"the stream has ended after:\n{received[:300]}")
        received += part
    return received


def toggle(side, count):
    """One sample: the CPU microseconds of a delivery, and the milliseconds until the last delivery."""
    before = side.process.cpu_microseconds()
    side.subscribers.say(f"toggle {count} 0")
    *times, comments = side.subscribers.answer()
    side.process.wait_until_idle()  # Work behind the last delivery is a part of the cost.
    spent = side.process.cpu_microseconds() - before
    side.cpu.append(spent / (count * side.subscribers.count + comments))
    side.last.append(statistics.median(last for _, last in times))


def fan_out(options, programs, table, count):
    """Measures the fan-out. Returns the server with its streams still open."""
    server = serve(options)
    head, event = captured(server)
    port = free_port()
    loop = Side([programs["streams"], port, head, event], port)
    before = server.process.resident_kib()
    for side in (server, loop):
        side.open_streams(programs, count, server.get()["version"])
    resident = [server.process.resident_kib()]
    toggles = max(20_000 // count, 4)
    for side in (server, loop):
        toggle(side, toggles)
        side.cpu.clear()
        side.last.clear()
    for side in turns(options.rounds, (server, loop)):
        toggle(side, toggles)
    resident.append(server.process.resident_kib())
    loop.close_streams()
    loop.process.stop()
    name = f"{count:,} streams: "
    table.pair(name + "toggle to last delivery, ms", server.last, loop.last)
    table.pair(name + "CPU µs a delivery", server.cpu, loop.cpu, 2.0)
    table.add(name + "KiB a stream", (max(resident) - before) / count, goal=12.0)
    return server


def reading(options, programs, table, busy):
    """Measures GETs with the streams of `busy` open, and without streams."""
    free = serve(options)
    snapshot = request_file("snapshot", LIST)
    seconds = 1 if options.quick else 2
    without, idle, toggled, toggled_whole = [], [], [], []

    def spent(side, is_reading, is_toggling):
        before = side.process.cpu_microseconds()
        load = Load(programs["load"], side.port, CONNECTIONS, seconds, snapshot) if is_reading else None
        if is_toggling:
            side.subscribers.say(f"toggle {seconds} 1000")
        count = load.count() if is_reading else 0
        if is_toggling:
            side.subscribers.answer()
        return side.process.cpu_microseconds() - before, count

    def plain():
        cpu, count = spent(free, True, False)
        without.append(cpu / count)

    def beside_idle():
        cpu, count = spent(busy, True, False)
        idle.append(cpu / count)

    def beside_toggles():
        cpu, count = spent(busy, True, True)
        deliveries, _ = spent(busy, False, True)
        toggled.append((cpu - deliveries) / count)
        toggled_whole.append(cpu / count)

    kinds = (plain, beside_idle, beside_toggles)
    for measure in turns(1, kinds):
        measure()
    for samples in (without, idle, toggled, toggled_whole):
        samples.clear()
    for measure in turns(options.rounds, kinds):
        measure()
    name = f"GET, {busy.subscribers.count:,} streams: "
    table.pair(name + "idle, CPU µs", idle, without, 1.5)
    table.pair(name + "a toggle a second", toggled, without)
    table.pair("  the same with what its deliveries cost", toggled_whole, without)
    busy.close_streams()
    for side in (busy, free):
        side.process.stop()


def write(programs, side, seconds):
    """Star toggles by several writers. Returns the CPU microseconds and the number of toggles."""
    before = side.process.cpu_microseconds()
    requests = [request_file(item, f"{LIST}/items/{item}/star", "POST") for item in WRITTEN_ITEMS]
    share = CONNECTIONS // len(requests)
    loads = [Load(programs["load"], side.port, share, seconds, request) for request in requests]
    count = sum(load.count() for load in loads)
    return side.process.cpu_microseconds() - before, count


def items_of(snapshot):
    return {item["id"]: item for section in snapshot["sections"] for item in section["items"]}


def read_events(text):
    """The events of a stream as names and values. An id that comes alone has the name `id` and the resume point as
    its value."""
    for block in text.split("\n\n"):
        fields = [line.partition(":")[::2] for line in block.split("\n") if not line.startswith(":")]
        data = "\n".join(value.removeprefix(" ") for name, value in fields if name == "data")
        if data and text.endswith("\n"):
            yield dict(fields).get("event", "message").strip(), json.loads(data)
        elif "id" in dict(fields) and text.endswith("\n"):
            yield "id", dict(fields)["id"].strip()


def revision(version):
    return int(version.rpartition("-")[2])


def follow(text, since, items, head, wanted, changes):
    """Applies the events that a reader has read. Returns the way in which it came to the head, and the number of
    events."""
    items, at, events = dict(items), since, list(read_events(text))
    for name, event in events:
        if name == "id":
            at = event
            continue
        if name == "change" and event["from"] != at:
            sys.exit(f"a gap: {event['from']} after {at}")
        if name == "change":
            parts = event.get("items", {})
            if event.get("sections") or set(parts) - {"reconfigured", "reloaded"}:
                sys.exit(f"not what was written: {event}")
            items.update({row["item"]["id"]: row["item"] for rows in parts.values() for row in rows})
        elif name == "reset":
            items = items_of(event["snapshot"])
        else:
            sys.exit(f"an event {name}")
        at = event["to"]
    if at != head or items != wanted:
        sys.exit(f"a reader is at {at} and not at {head}, or has other items than are there")
    name, event = [event for event in events if event[0] != "id"][-1]
    if name == "change" and revision(head) - revision(event["from"]) < changes / 2:
        sys.exit(f"the last step is no net change of what was missed, it comes after {since} and {len(events) - 1} "
                 f"events, from {event['from']} to {head}")
    return name, len(events)


def unsent_bytes(side):
    """The bytes that the kernel holds for the clients of a server because the clients have not read them."""
    local = f"0100007F:{side.port:04X}"
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()]
    return sum(int(row[4].partition(":")[0], 16) for row in rows if row[1] == local)


def fill_buffers(programs, side):
    """Writes until the readers are stuck. Returns the CPU microseconds and the number of changes."""
    cpu, changes, unsent = 0, 0, [-2, -1]
    while unsent[-2] < unsent[-1]:
        for _ in range(3):  # A reader that gets little in one round gets more in another.
            spent, count = write(programs, side, 0.25)
            cpu, changes = cpu + spent, changes + count
        unsent.append(unsent_bytes(side))
    return cpu, changes


def standing_still(options, programs, table):
    """Measures readers that read nothing while writers write."""
    readers, changes = (100, 20_000) if options.quick else (500, 100_000)
    # History keeps all versions that the readers miss, also those that fill their buffers. So a net change set is due
    # and no reset.
    kept = 400_000
    stuck, free = (serve(options, "--history-versions-max", str(kept), "--history-bytes-max", str(1 << 32))
                   for _ in range(2))
    for side in (stuck, free):
        written = 0
        while written < kept:  # From then on history has its full length.
            written += write(programs, side, 0.25)[1]
    snapshot = stuck.get()
    start = time.monotonic()
    stuck.open_streams(programs, readers, snapshot["version"], STUCK_BUFFER_BYTES)
    before = {side: side.process.resident_kib() / 1024 for side in (stuck, free)}
    filling, filled = fill_buffers(programs, stuck)
    cpu, counts = {stuck: [], free: []}, {stuck: 0, free: 0}
    order = [stuck, free]
    while counts[stuck] < changes:
        for side in order:
            spent, count = write(programs, side, 0.25)
            cpu[side].append(spent / count)
            counts[side] += count
        order.reverse()
    after = {side: side.process.resident_kib() / 1024 for side in (stuck, free)}
    # The missed changes must not be empty, however often the stars were toggled.
    request(stuck, f"{LIST}/items/{WRITTEN_ITEMS[0]}", "PATCH", {"content": {"title": "Written last"}})
    final = stuck.get()
    stood_still = time.monotonic() - start
    name = f"{readers} stuck readers: "
    table.pair(name + "CPU µs a write", cpu[stuck], cpu[free], 1.5)
    without = statistics.median(cpu[free])
    table.add("  before, while their buffers fill", filling / filled, without, filling / filled / without)
    # The memory may grow by a tenth, or by 32 MiB if the server is small.
    table.add(name + "MiB more at the end", after[stuck] - before[stuck], after[free] - before[free],
              goal=max(before[stuck] / 10, 32))
    print(f"{counts[stuck]:,} changes, and {filled:,} before the readers were stuck, in {stood_still:.0f} s; resident "
          f"{before[stuck]:.1f} MiB before,\n{after[stuck]:.1f} MiB after.")
    if read_on(stuck, readers, snapshot, final, changes)["reset"] > 0:
        print("that was no reason for a reset")
        table.missed = True
    stuck.close_streams()
    for side in (stuck, free):
        side.process.stop()


def read_on(side, readers, old, new, changes):
    """Lets stuck readers read on to the head, and checks what they have read. Returns the ways in which they came
    there."""
    folder = WORK / f"read-to-{new['version']}"
    folder.mkdir()
    start, cpu = time.monotonic(), side.process.cpu_microseconds()
    side.subscribers.say(f"until {new['version']} {folder}")
    arrived = int(side.subscribers.answer()[0])
    took, spent = time.monotonic() - start, side.process.cpu_microseconds() - cpu
    if arrived < readers:
        sys.exit(f"only {arrived} of {readers} readers came to the head")
    ends, events, bytes_read = {"change": 0, "reset": 0}, [], []
    for index in range(readers):
        text = (folder / str(index)).read_text()
        end, count = follow(text, old["version"], items_of(old), new["version"], items_of(new), changes)
        ends[end] += 1
        events.append(count)
        bytes_read.append(len(text.encode()))
    print(f"Then all {readers} read on to the head: {ends['change']} with one net change set, {ends['reset']} with a "
          f"reset, after {statistics.median(events) - 1:.0f} events\n({statistics.median(bytes_read) / 1024:.0f} KiB) "
          f"that were on their way, in {took * 1e3:.0f} ms and {spent / 1e3:.0f} ms of CPU time.")
    return ends


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--quick", action="store_true", help="1,000 streams, 100 stuck readers and 20,000 changes")
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 7)

    programs = {pathlib.Path(source).stem: compiled(source)
                for source in ("http/load.c", "live/streams.c", "live/subscribers.c")}
    print(f"{CONNECTIONS} connections of readers and writers, {options.rounds} rounds, {os.cpu_count()} cores")
    table = Table()
    server = fan_out(options, programs, table, 1_000)
    if not options.quick:
        server.close_streams()
        server.process.stop()
        server = fan_out(options, programs, table, 10_000)
    reading(options, programs, table, server)
    standing_still(options, programs, table)
    conclude(table.missed)


if __name__ == "__main__":
    main()
