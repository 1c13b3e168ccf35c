#!/usr/bin/env python3
"""How much memory the server takes for many lists on a disk, and whether lists that have left memory answer as if they
had stayed.

    bench.py SERVER [--quick] [--folder PATH]

Lists are imported. A server is started, and `GET /v1/lists` is asked for page by page, which reads no list. Then all
lists are read in random order by 64 clients under `--lists-memory-mebibytes`. Every answer is checked. Then some lists
are written, all others are read until those have left memory, and each must tell the changes since every version.
Goals: a resident memory of at most 60 MiB after the pages, and at most 40 MiB above the bound later.
"""
import argparse
import http.client
import json
import pathlib
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Process, conclude, folder_on_disk, free_port

CLIENTS = 64
BOUND_MEBIBYTES = 64
BESIDES_MEBIBYTES = 40
PAGES_MEBIBYTES = 60
WRITTEN = 200
WRITES = 6


def name(number):
    return f"list-{number:06}"


def lists_file(folder, lists, items):
    file = folder / f"lists-{lists}-{items}.jsonl"
    with open(file, "w") as out:
        def line(value):
            out.write(json.dumps(value) + "\n")

        line({"liststate": "export", "format": 1})
        for number in range(lists):
            line({"list": {"id": name(number), "title": f"List {number}"}})
            line({"section": {"id": "s"}})
            for row in range(items):
                line({"item": {"id": f"i{row}", "kind": "item", "content": {"text": f"Row {row} of {number}"}}})
            line({"end": {"id": name(number), "sections": 1, "items": items}})
    return file


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")


def is_right(answer, number, items):
    status, body = answer
    if status != 200 or body["title"] != f"List {number}":
        return False
    rows = [row for section in body["sections"] for row in section["items"]]
    return [row["id"] for row in rows[:items]] == [f"i{row}" for row in range(items)] and (
        rows[-1]["content"]["text"] == f"Row {items - 1} of {number}")


def read_all(port, numbers, items):
    """Reads lists by many clients at once. Returns how many answers were wrong."""
    numbers = iter(numbers)
    turn = threading.Lock()
    wrong = []

    def work():
        client = Client(port)
        while True:
            with turn:
                number = next(numbers, None)
            if number is None:
                return
            if not is_right(client.ask("GET", f"/v1/lists/{name(number)}"), number, items):
                wrong.append(number)

    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(wrong)


def wrong_on_pages(port, lists, items):
    """Asks for all lists page by page. Returns how many of them are missing or wrong."""
    client = Client(port)
    path, found = "/v1/lists?limit=500", []
    while path:
        status, body = client.ask("GET", path)
        found += body["lists"] if status == 200 else []
        path = f"/v1/lists?limit=500&cursor={body['lists'][-1]['id']}" if status == 200 and body["lists"] else None
    expected = {name(number): (f"List {number}", items) for number in range(lists)}
    right = {each["id"] for each in found if expected.get(each["id"]) == (each["title"], each["counts"]["items"])}
    return len(expected) - len(right) + len(found) - len(right)


class Watch:
    """The largest resident memory of a server while it is watched, in mebibytes."""

    def __init__(self, server):
        self.peak = 0
        self._server = server
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        while not self._is_over.wait(0.02):
            self.peak = max(self.peak, self._server.resident_kib() / 1024)

    def end(self):
        self._is_over.set()
        self._thread.join()
        return self.peak


def changes_after_leaving(port, lists, items):
    """Writes some lists, lets them leave memory, and asks for the changes since each version. Returns the number of
    wrong answers."""
    client = Client(port)
    expected = {}
    for number in range(0, lists, lists // WRITTEN):
        target = f"/v1/lists/{name(number)}"
        versions = [client.ask("GET", target)[1]["version"]]
        for write in range(WRITES):
            versions.append(client.ask("POST", f"{target}/items/i{write % items}/star")[1]["version"])
        expected[number] = [
            (version, client.ask("GET", f"{target}/changes?since={version}")) for version in versions]
    others = [number for number in range(lists) if number not in expected]
    random.shuffle(others)
    wrong = read_all(port, others, items)
    for number, answers in expected.items():
        for version, answer in answers:
            wrong += client.ask("GET", f"/v1/lists/{name(number)}/changes?since={version}") != answer
    return wrong


def measure(server, folder, lists, items):
    data = folder / f"data-{lists}-{items}"
    file = lists_file(folder, lists, items)
    subprocess.run([server, "import", file, "--data", data], check=True, stdout=subprocess.DEVNULL)
    port = free_port()
    process = Process(
        [server, "serve", "--data", data, "--port", port, "--lists-memory-mebibytes", BOUND_MEBIBYTES])
    idle = process.resident_kib() / 1024
    began = time.monotonic()
    wrong_lists = wrong_on_pages(port, lists, items)
    paged = process.resident_kib() / 1024
    has_missed_pages = paged > PAGES_MEBIBYTES or wrong_lists > 0
    print(
        f"{lists:,} lists of {items:,} items: {idle:.0f} MiB after the start, {paged:.0f} MiB after all pages of lists "
        f"(goal {PAGES_MEBIBYTES}), in {time.monotonic() - began:.1f} s, {wrong_lists} wrong lists"
        f"{' MISSED' if has_missed_pages else ''}", flush=True)
    numbers = list(range(lists))
    random.shuffle(numbers)
    began = time.monotonic()
    watch = Watch(process)
    wrong = read_all(port, numbers, items)
    seconds = time.monotonic() - began
    wrong_changes = changes_after_leaving(port, lists, items)
    peak = watch.end()
    process.stop()
    most = BOUND_MEBIBYTES + BESIDES_MEBIBYTES
    has_missed = peak > most or wrong > 0 or wrong_changes > 0
    print(
        f"{lists:,} lists of {items:,} items, bound {BOUND_MEBIBYTES} MiB: at most {peak:.0f} MiB (goal {most}), all "
        f"read in {seconds:.1f} s, {wrong} wrong answers, {wrong_changes} wrong changes"
        f"{' MISSED' if has_missed else ''}", flush=True)
    return has_missed or has_missed_pages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    folder, disk = folder_on_disk(options.folder)
    print(disk)
    random.seed(20)
    sizes = [(20_000, 5), (1_000, 1_000)] if options.quick else [(100_000, 5), (10_000, 1_000)]
    missed = [measure(options.server, folder, lists, items) for lists, items in sizes]
    conclude(any(missed))


main()
