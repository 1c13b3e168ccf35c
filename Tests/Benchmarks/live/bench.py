#!/usr/bin/env python3
"""What ten thousand event streams cost the server, as ratios to a plain loop in C and to the server without them.

    bench.py SERVER-BINARY [--rounds 7] [--quick]

Three things, each with two sides that take turns on one machine; what is printed are medians, and medians of the
ratios round by round. CPU time is the server's own (user and system, all its threads), because the clients share the
machine; what a heartbeat costs is in it, each counted as a delivery. Memory is what is resident of the process: what
the kernel keeps for a socket is not in it.

1. One star toggle to 1,000 and to 10,000 streams, against streams.c writing the same bytes to as many sockets.
2. GETs of the snapshot while 10,000 streams are open, against the same server without any.
3. 500 readers that read nothing while 100,000 changes happen, against the same writes without them, counted from when
   the kernel takes no more for any of them; then each reads on, and what it has read must be a chain of changes to the
   head that ends with one net change set. History is kept for longer than they stand still.
"""
import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import LIST, STAR, WORK, Load, Process, compiled, conclude, free_port, ratio, request_file, turns

CONNECTIONS = 64
STREAM = {"Accept": "text/event-stream"}
# So that a stopped reader is soon stuck: the least that the kernel gives is a little more.
STUCK_BUFFER_BYTES = 4096
WRITTEN_ITEMS = ["list.fox", "list.whiskey", "recents.whiskey", "outline.fox"]


class Side:
    """A process under test, with what it was measured to cost."""

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


class Subscribers:
    """subscribers.c, told what to do."""

    def __init__(self, program, port, count, stream, write, receive_buffer):
        command = [str(part) for part in (program, port, count, stream, write, receive_buffer)]
        self.count = count
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answer(self):
        """The lines of an answer, each as numbers; the last one is what came after the word done."""
        lines = []
        for line in self.process.stdout:
            if line.startswith("done "):
                return lines + [float(line[5:])]
            lines.append([float(part) for part in line.split()])
        sys.exit("the subscribers failed")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Table:
    """Figures beside each other; `bound` is the goal that the ratio, or else the figure, must not exceed."""

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
    """What the server sends to open a stream and for one toggle: files with the bytes on the wire."""
    head_file, event_file = WORK / "head", WORK / "event"
    with socket.create_connection(("127.0.0.1", side.port), 10) as stream:
        since = side.get()["version"]
        stream.sendall(request_file("captured", f"{LIST}/changes?since={since}", headers=STREAM).read_bytes())
        received = receive_until(stream, lambda received: b"\r\n\r\n" in received)
        head = received[:received.index(b"\r\n\r\n") + 4]
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"the server has no event streams:\n{head.decode()}")
        head_file.write_bytes(head)
        # The first event comes with whatever goes before it; the second alone.
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
    """One sample: CPU microseconds of a delivery, and milliseconds to the last one."""
    before = side.process.cpu_microseconds()
    side.subscribers.say(f"toggle {count} 0")
    *times, comments = side.subscribers.answer()
    side.process.wait_until_idle()  # What comes after the last delivery is a part of it.
    spent = side.process.cpu_microseconds() - before
    side.cpu.append(spent / (count * side.subscribers.count + comments))
    side.last.append(statistics.median(last for _, last in times))


def fan_out(options, programs, table, count):
    """Measures the fan-out; answers with the server, its streams still open."""
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
    """GETs with the streams of `busy` open, and without."""
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
    """Star toggles by several writers: CPU microseconds and how many there were."""
    before = side.process.cpu_microseconds()
    requests = [request_file(item, f"{LIST}/items/{item}/star", "POST") for item in WRITTEN_ITEMS]
    share = CONNECTIONS // len(requests)
    loads = [Load(programs["load"], side.port, share, seconds, request) for request in requests]
    count = sum(load.count() for load in loads)
    return side.process.cpu_microseconds() - before, count


def items_of(snapshot):
    return {item["id"]: item for section in snapshot["sections"] for item in section["items"]}


def read_events(text):
    """The events of a stream, each as its name and its value; `id` and the point for one that only moves that."""
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
    """Applies what a reader has read. Answers with how it came to the head, and with how many events."""
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
    """What the kernel holds for the clients of a server, and they have not taken."""
    local = f"0100007F:{side.port:04X}"
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()]
    return sum(int(row[4].partition(":")[0], 16) for row in rows if row[1] == local)


def fill_buffers(programs, side):
    """Writes until the readers are stuck. Answers with CPU microseconds, and how many changes there were."""
    cpu, changes, unsent = 0, 0, [-2, -1]
    while unsent[-2] < unsent[-1]:
        for _ in range(3):  # A reader whose share is small in one round has another.
            spent, count = write(programs, side, 0.25)
            cpu, changes = cpu + spent, changes + count
        unsent.append(unsent_bytes(side))
    return cpu, changes


def standing_still(options, programs, table):
    """Readers that read nothing while writers write."""
    readers, changes = (100, 20_000) if options.quick else (500, 100_000)
    # Nothing of what they miss drops out of history, filling their buffers included: a net change set is due, no reset.
    kept = 400_000
    stuck, free = (serve(options, "--history-versions-max", str(kept), "--history-bytes-max", str(1 << 32))
                   for _ in range(2))
    for side in (stuck, free):
        written = 0
        while written < kept:  # From then on history grows no more.
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
    # So that what was missed is not nothing, however often the stars were toggled.
    request(stuck, f"{LIST}/items/{WRITTEN_ITEMS[0]}", "PATCH", {"content": {"title": "Written last"}})
    final = stuck.get()
    stood_still = time.monotonic() - start
    name = f"{readers} stuck readers: "
    table.pair(name + "CPU µs a write", cpu[stuck], cpu[free], 1.5)
    without = statistics.median(cpu[free])
    table.add("  before, while their buffers fill", filling / filled, without, filling / filled / without)
    # Flat is a tenth more, or 32 MiB where the server is small.
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
    """Lets stuck readers read on to the head, and looks at what they have read. Answers with how they came there."""
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
