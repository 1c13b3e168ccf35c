#!/usr/bin/env python3
"""Answers that took a token go through a cache, and nobody else gets them.

    privacy.py SERVER

nginx stands before a server with tokens and --shared-cache-seconds: once with the configuration of docker/nginx.conf,
which passes each request with a token on, and once without that rule, so that only the fields of the answers keep
others from getting them. Two lists are read in every way that may be kept: everybody may read one, and one token the
other. Then:

- Answers about the list of the token say `private`. The server is asked for each of them, and neither another token nor
  a request without one ever gets them.
- Answers about the list of everybody come from the cache, if they may be kept, and never say `private`.
- A collection shows each reader only what it may see, whoever has asked before.
- With docker/nginx.conf, long polls with a token do not wait for each other.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Benchmarks"))
from harness import WORK, Process, free_port

from cache import Cache
from origin import Origin

SECONDS = 600
"""A cache may keep an answer for as long, so that none ends during the test."""
WORD = "plum-jam"
"""It stands in each item."""
RULE = " $http_authorization"
wrong = []


def expect(is_good, sentence):
    if not is_good:
        wrong.append(sentence)


class Client:
    def __init__(self, port, token=None):
        self._port, self._token = port, token

    def ask(self, method, path, body=None, **headers):
        """The status, the fields and the text of an answer."""
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            headers["Content-Type"], data = "application/json", json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.headers, refusal.read().decode()


def made(port, token, name, **grants):
    """The secret of a new token. The lists have the names of their members."""
    grants = [{"lists": [name], "can": [right]} for name, right in grants.items()]
    status, _, text = Client(port, token).ask("POST", "/v1/tokens", {"name": name, "grants": grants})
    if status != 201:
        sys.exit(text)
    return json.loads(text)["token"]


def make_list(port, token, name):
    """A list with two versions and 30 items, and the targets of all reads of it that a cache may keep."""
    items = [{"id": f"item-{number}", "content": {"text": f"{WORD} {number}"}} for number in range(30)]
    owner = Client(port, token)
    _, head, _ = owner.ask("PUT", f"/v1/lists/{name}", {"title": WORD, "sections": [{"id": "main", "items": items}]})
    first = head["List-Version"]
    _, head, _ = owner.ask("PATCH", f"/v1/lists/{name}/items/item-1", {"content": {"text": f"{WORD} once more"}})
    last, place = head["List-Version"], f"/v1/lists/{name}"
    _, head, _ = owner.ask("GET", f"{place}?limit=10")
    following = head["Link"].partition("<")[2].partition(">")[0]
    return [
        place, f"{place}?view=visible", f"{place}/sections/main", f"{place}/items/item-1", f"{place}?at={first}",
        following, f"{place}/changes?since={first}", f"{place}/changes?since={first}&until={last}",
        f"{place}/changes?since={first}&wait=1", f"{place}/transactions",
    ]


def scene(server, without):
    name = "without the rule" if without else "docker/nginx.conf"
    data, server_port, cache_port = WORK / f"data-{len(without)}", free_port(), free_port()
    words = [server, "token", "create", "--data", data, "--name", "admin", "--lists", "*", "--can", "administer"]
    admin = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]
    process = Process([server, "serve", "--data", data, "--shared-cache-seconds", SECONDS, "--port", server_port])
    targets = {name: make_list(server_port, admin, name) for name in ("closed", "open")}
    Client(server_port, admin).ask("PUT", "/v1/access/anonymous", {"grants": [{"lists": ["open"], "can": ["read"]}]})
    origin = Origin(server_port)
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        cache = Cache(pathlib.Path(folder), cache_port, origin.port, 1, 4096, without)
        reader = Client(cache_port, made(server_port, admin, "reader", closed="read"))
        other = Client(cache_port, made(server_port, admin, "other", elsewhere="read"))
        nobody = Client(cache_port)
        for target in targets["closed"]:
            check_closed(name, target, origin, reader, other, nobody)
        kept = sum(check_open(name, target, origin, reader, nobody) for target in targets["open"])
        expect(kept >= 6, f"{name}: of the answers for everybody only {kept} came from the cache")
        check_collection(name, reader, other, nobody)
        if not without:
            check_stream(server_port, admin)
            check_polls(origin, reader, Client(server_port, admin))
        cache.stop()
    process.stop()
    print(f"{name}: {len(targets['closed'])} private answers, {kept} of {len(targets['open'])} others kept", flush=True)


def check_closed(name, target, origin, reader, other, nobody):
    for turn in (1, 2):
        before = len(origin.times[target])
        status, head, text = reader.ask("GET", target)
        expect(status == 200 and WORD in text, f"{name}: {target} is {status} for its reader")
        expect("private" in head["Cache-Control"], f"{name}: {target} is {head['Cache-Control']}")
        expect("s-maxage" not in head["Cache-Control"], f"{name}: {target} is {head['Cache-Control']}")
        expect("Authorization" in ",".join(head.get_all("Vary")), f"{name}: {target} varies by {head.get_all('Vary')}")
        expect(len(origin.times[target]) == before + 1, f"{name}: {target} came from the cache in turn {turn}")
        for client, refusal in ((other, 404), (nobody, 401)):
            status, _, text = client.ask("GET", target)
            expect(status == refusal and WORD not in text, f"{name}: {target} is {status} for somebody else")


def check_open(name, target, origin, reader, nobody):
    """Whether the answer came from the cache."""
    status, head, first = nobody.ask("GET", target)
    expect(status == 200 and WORD in first, f"{name}: {target} is {status} for everybody")
    expect("private" not in head["Cache-Control"], f"{name}: {target} is {head['Cache-Control']}")
    before = len(origin.times[target])
    status, _, second = nobody.ask("GET", target)
    expect((status, second) == (200, first), f"{name}: {target} is another answer the second time")
    is_kept = len(origin.times[target]) == before
    expect(is_kept or "max-age=0" not in head["Cache-Control"], f"{name}: {target} did not come from the cache")
    status, _, third = reader.ask("GET", target)
    expect((status, third) == (200, first), f"{name}: {target} is another answer with a token")
    return is_kept


def check_collection(name, reader, other, nobody):
    both = ["closed", "open"]
    for client, lists in [(reader, both), (nobody, ["open"]), (other, ["open"]), (reader, both)]:
        _, head, text = client.ask("GET", "/v1/lists")
        found = [one["id"] for one in json.loads(text)["lists"]]
        expect(found == lists, f"{name}: a reader of {lists} sees {found}")
        expect("private" in head["Cache-Control"], f"{name}: the lists are {head['Cache-Control']}")


def check_stream(port, token):
    """The relay takes no streams, so the server is asked."""
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/lists/closed/changes", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as stream:
        expect("private" in stream.headers["Cache-Control"], f"a stream is {stream.headers['Cache-Control']}")
        expect(stream.readline() != b"", "a stream did not begin")


def check_polls(origin, reader, owner):
    """Two readers wait at the server at the same time."""
    _, head, _ = reader.ask("GET", "/v1/lists/closed")
    target = f"/v1/lists/closed/changes?since={head['List-Version']}&wait=30"
    answers = []
    polls = [threading.Thread(target=lambda: answers.append(reader.ask("GET", target))) for _ in range(2)]
    for poll in polls:
        poll.start()
    end = time.monotonic() + 20
    while len(origin.times[target]) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    expect(len(origin.times[target]) == 2, "a long poll with a token waits for another one")
    owner.ask("PATCH", "/v1/lists/closed", {"title": f"{WORD} again"})
    for poll in polls:
        poll.join()
    expect([answer[0] for answer in answers] == [200, 200] and all(WORD in answer[2] for answer in answers),
           f"the long polls are {answers}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    options = parser.parse_args()
    scene(options.server, "")
    scene(options.server, RULE)
    print("\n".join(wrong) if wrong else "nobody got what was for somebody else")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
