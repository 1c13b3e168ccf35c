"""The scene `turns` of bench.py: how long a client waits whose writes need a worker, while the searches of another client
need all workers.

The searching client has an address of its own, 127.0.0.2. It asks for pages of a long list in one order, with a
different text to search for in each, so that no search is known. The other client PUTs a list of 28 KB again and again,
which is too long for a loop. The time of an answer begins when the request is sent.
"""
import http.client
import json
import statistics
import threading
import time

SEARCHES = 12
SLOWEST_MS = 50
ITEMS = 200


def ask(client, method, path, body=None):
    client.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    response = client.getresponse()
    content = response.read()
    if response.status not in (200, 201):
        raise SystemExit(f"{method} {path}: {response.status} {content[:1000]}")


def search(port, list_name, number):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=600, source_address=("127.0.0.2", 0))
    ask(client, "GET", f"/v1/lists/{list_name}?filter={number}&sort=content.title&limit=100")
    client.close()


def small_list(turn):
    items = [{"id": f"item-{number}", "content": {"title": f"{turn} " + "x" * 100}} for number in range(ITEMS)]
    return json.dumps({"sections": [{"id": "s", "items": items}]})


def measure(port, list_name, number):
    """The slowest write in milliseconds, the number of writes, and the seconds of all searches."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    ask(client, "PUT", "/v1/lists/small", small_list(0))
    searches = [threading.Thread(target=search, args=(port, list_name, f"{number}{index:02}"))
                for index in range(SEARCHES)]
    began = time.monotonic()
    for one in searches:
        one.start()
    waits = []
    while any(one.is_alive() for one in searches) or not waits:
        body = small_list(len(waits) + 1)
        sent = time.perf_counter()
        ask(client, "PUT", "/v1/lists/small", body)
        waits.append((time.perf_counter() - sent) * 1000)
        time.sleep(0.005)
    return max(waits), len(waits), time.monotonic() - began


def scene(port, list_name, rounds):
    """Prints the table. Returns whether the median of the rounds misses the goal."""
    slowest = []
    print(f"\nturns, a PUT of 28 KB beside {SEARCHES} searches{'slowest ms':>14}{'writes':>9}{'seconds':>9}")
    for number in range(rounds):
        wait, count, seconds = measure(port, list_name, number + 1)
        print(f"round {number + 1}{'':34}{wait:14.2f}{count:>9}{seconds:9.2f}", flush=True)
        slowest.append(wait)
    median = statistics.median(slowest)
    missed = median > SLOWEST_MS
    print(f"{f'median, goal {SLOWEST_MS}':41}{median:14.2f}" + ("  missed" if missed else "  ok"), flush=True)
    return missed
