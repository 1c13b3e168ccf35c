"""Servers with lists whose items are starred, and the stars of wrk."""
import json
import re
import subprocess
import sys
import urllib.request

from harness import HERE, Process, free_port

LISTS, ITEMS = range(1, 65), 100


class ListServer:
    """Our server."""

    def __init__(self, binary, *arguments):
        self.port = free_port()
        self.process = Process([binary, "serve", *arguments, "--port", self.port])

    def make(self, lists):
        for number in lists:
            items = [{"id": f"item-{item}", "content": {"title": f"Item {item}"}} for item in range(1, ITEMS + 1)]
            whole = {"id": f"list-{number}", "title": f"List {number}", "sections": [{"id": "main", "items": items}]}
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.port}/v1/lists/list-{number}", json.dumps(whole).encode(),
                {"Content-Type": "application/json"}, method="PUT")
            urllib.request.urlopen(request).close()

    def stars(self, clients, seconds, lists=LISTS):
        """Stars per second of any items of some lists, of which none may be refused."""
        stars = Stars(self.port, clients, seconds, lists)
        rate = stars.rate()
        if stars.refused:
            sys.exit(f"the load failed\n{stars.said}")
        return rate


class Stars:
    """One thread of wrk, which runs in the background until its stars are counted. `lists` is a range."""

    def __init__(self, port, clients, seconds, lists):
        self.refused = None
        # A star that meets those of other servers may take some seconds.
        self._process = subprocess.Popen(
            ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "stars.lua",
             f"http://127.0.0.1:{port}", "--", str(lists.start), str(len(lists)), str(lists.step), str(ITEMS)],
            stdout=subprocess.PIPE, text=True)

    def rate(self):
        """Answered stars per second. Those that were refused are not counted."""
        self.said = self._process.communicate()[0]
        found = re.search(r"requests=(\d+) refused=(\d+) errors=(\d+) microseconds=(\d+)", self.said)
        if not found or int(found[3]) or int(found[1]) == int(found[2]):
            sys.exit(f"the load failed\n{self.said}")
        self.refused = int(found[2])
        return (int(found[1]) - self.refused) / int(found[4]) * 1e6
