"""The scene `recovery` of bench.py: whether a list is as fast after a long write as before it, if its other writes go
on all the time.

64 clients star the first items of a list of 20,000. In the middle a transaction changes 5,000 items. The writes that
meet it wait for it, and must not hold one another up afterwards. The figure is stars a second in the last second, as a
ratio to those in the first one.
"""
import json
import statistics
import time

from stars import Stars

CLIENTS, ITEMS, CHANGED = 64, 20_000, 5_000
RATIO = 0.5


def whole_list():
    items = [{"id": f"item-{number}", "content": {"title": f"Item {number}"}} for number in range(1, ITEMS + 1)]
    return json.dumps({"sections": [{"id": "s", "items": items}]})


def rate_in(server, seconds):
    """The versions that the list gets a second."""

    def version():
        return int(server.ask("GET", "/v1/lists/list-1/items/item-1")["List-Version"].rsplit("-", 1)[1])

    began, first = time.monotonic(), version()
    time.sleep(seconds)
    last = version()
    return (last - first) / (time.monotonic() - began)


def scene(server, rounds):
    """Prints the table. Returns whether the median of the rounds misses the goal."""
    changes = json.dumps({"operations": [
        {"op": "reconfigureItems", "items": [f"item-{number}" for number in range(ITEMS - CHANGED + 1, ITEMS + 1)]}]})
    ratios = []
    print(f"\nrecovery, {CLIENTS} clients and one long write{'before':>12}{'after':>10}{'ratio':>9}")
    for number in range(rounds):
        server.ask("PUT", "/v1/lists/list-1", whole_list())
        stars = Stars(server.port, CLIENTS, 5, range(1, 2))
        time.sleep(0.5)
        before = rate_in(server, 1)
        server.ask("POST", "/v1/lists/list-1/transactions", changes)
        time.sleep(0.5)
        after = rate_in(server, 1)
        stars.rate()
        ratios.append(after / before)
        print(f"round {number + 1}{'':33}{before:12.0f}{after:10.0f}{after / before:9.2f}", flush=True)
    median = statistics.median(ratios)
    missed = median < RATIO
    print(f"{f'median, goal {RATIO}':62}{median:9.2f}" + ("  missed" if missed else "  ok"), flush=True)
    return missed
