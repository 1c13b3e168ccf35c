"""Holds a server against the cases, over HTTP. Each case has a list of its own, which is purged at its end."""

import http.client
import json
import secrets
import time
import urllib.parse

import cases
import replay

SECONDS_MAX = 20
ALL = {}
"""The view `items`, which shows all rows."""


class Failed(Exception):
    """What a server did is not what the case expects."""


class Answer:
    def __init__(self, response):
        self.status, self.headers = response.status, response.headers
        data = response.read()
        self.json = json.loads(data) if data else {}


class Server:
    """A server at an address, and one connection to it."""

    def __init__(self, url, token=None):
        parts = urllib.parse.urlsplit(url)
        self._make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._place, self._path = parts.netloc, parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._connection = None

    def ask(self, method, path, body=None, headers=()):
        """The answer. An idle connection may have been closed meanwhile, and an attempt on it does nothing."""
        own = {**self._headers, **dict(headers)}
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if data is not None:
            own.setdefault("Content-Type", "application/json")
        self._connection = self._connection or self._open()
        try:
            self._connection.request(method, self._path + path, data, own)
            return Answer(self._connection.getresponse())
        except (http.client.RemoteDisconnected, BrokenPipeError):
            self.close()
            self._connection = self._open()
            self._connection.request(method, self._path + path, data, own)
            return Answer(self._connection.getresponse())

    def stream(self, path):
        """A connection of its own, and the response on it."""
        connection = self._open()
        connection.request("GET", self._path + path, headers={**self._headers, "Accept": "text/event-stream"})
        return connection, connection.getresponse()

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None

    def _open(self):
        return self._make(self._place, timeout=SECONDS_MAX)


class Scene:
    """A list on the server in the state with which a case begins."""

    def __init__(self, server, case):
        self._server = server
        self.path = f"/v1/lists/{cases.LIST}-{secrets.token_hex(8)}"
        state = case.get("list", case["state"])
        body = {"title": cases.TITLE, **{name: value for name, value in state.items() if name != "counts"}}
        self.base = self.head = ""
        self._versions = []
        answer = server.ask("PUT", self.path, body)
        demand(answer.status == 201, f"PUT of the state: {answer.status} {answer.json.get('detail', '')}")
        self.base = self.head = self.get()["version"]

    def get(self, view=ALL):
        answer = self._server.ask("GET", self.path + query(view))
        demand(answer.status == 200, f"GET of the list: {answer.status} {answer.json}")
        demand(answer.headers["List-Version"] == answer.json["version"], "List-Version is not `version`")
        return answer.json

    def named(self, value):
        """A part of a case in which `@base`, `@head`, and `@1` for that of the first write, stand for versions."""
        text = json.dumps(value).replace("@base", self.base).replace("@head", self.head)
        for number, version in enumerate(self._versions, start=1):
            text = text.replace(f"@{number}", version)
        return json.loads(text)

    def write(self, request):
        named = self.named(request)
        path = named.get("path", "/transactions")
        answer = self._server.ask(named.get("method", "POST"), self.path + path, named.get("body"),
                                  named.get("headers", {}))
        if answer.status < 300:
            self.head = answer.json.get("version", self.head)
            self._versions.append(self.head)
        return answer

    def write_all(self, requests):
        """Writes of others, which must succeed."""
        for request in requests:
            answer = self.write(request)
            demand(answer.status in (200, 201), f"{request}: {answer.status} {answer.json.get('detail', '')}")

    def changes(self, since, view=ALL):
        answer = self._server.ask("GET", self.path + "/changes" + query(view, since=since))
        demand(answer.status == 200, f"GET of the changes: {answer.status} {answer.json}")
        return answer.json

    def follow(self, since, view=ALL):
        stream = Stream(*self._server.stream(self.path + "/changes" + query(view, since=since)), since)
        demand(stream.status == 200, f"the stream: {stream.status}")
        return stream

    def end(self):
        self._server.ask("DELETE", self.path + "?purge=true")


class Stream:
    """A stream of events. Each event must lead on from the id before it."""

    def __init__(self, connection, response, since):
        self._connection, self._response, self._held = connection, response, since
        self.status = response.status

    def until(self, state, version):
        """The state when the stream has come to a version."""
        event, end = {}, time.monotonic() + SECONDS_MAX
        while self._held != version:
            data = self._response.readline()
            demand(data, "the stream has ended")
            # The comments of a stream come on, even if the event does not.
            demand(time.monotonic() < end, f"the stream did not come to {version} within {SECONDS_MAX} s")
            line = data.decode().rstrip("\r\n")
            name, _, value = line.partition(":")
            if line:
                event[name] = value.removeprefix(" ")
                continue
            if "data" in event:
                state = self._taken(state, event)
            self._held, event = event.get("id", self._held), {}
        return state

    def _taken(self, state, event):
        data = json.loads(event["data"])
        demand(event.get("event") in ("change", "reset"), f"the stream told of {event}")
        demand(data.get("reset") or data["from"] == self._held,
               f"the stream leads on from {data.get('from')}, after the id {self._held}")
        return replay.apply(state, data)

    def close(self):
        self._response.close()
        self._connection.close()


def query(view, **more):
    """A query of the parameters of a view, of which an array is repeated, and more."""
    pairs = {**view, **more}.items()
    flat = [(name, one) for name, value in pairs for one in (value if isinstance(value, list) else [value])]
    words = [(name, str(value).lower() if isinstance(value, bool) else value) for name, value in flat]
    return "?" + urllib.parse.urlencode(words) if words else ""


def demand(holds, text):
    if not holds:
        raise Failed(text)


def demand_same(found, expected, about):
    other = cases.difference(found, expected)
    demand(not other, f"{about}\n{other}")


# MARK: A state and an edit.


def hold_edit(server, case):
    scene = Scene(server, case)
    try:
        at_base = scene.get()
        demand_same(at_base, case["state"], "the list is not as it was put")
        scene.write_all(case.get("others", []))
        before = scene.get()
        answer = scene.write(case["edit"])
        after = scene.get()
        expected = scene.named(case["expected"])
        demand(answer.status == expected.get("status", 200),
               f"status {answer.status}, not {expected.get('status', 200)}: {answer.json}")
        demand_same(after, expected.get("state", before), "the list after the edit")
        if answer.status >= 400:
            hold_problem(answer, expected, before, after)
        else:
            hold_result(answer.json, expected, at_base, before, after)
    finally:
        scene.end()


def hold_problem(answer, expected, before, after):
    demand(answer.headers.get_content_type() == "application/problem+json", "a problem of another type")
    demand(after["version"] == before["version"], "a refusal has made a version")
    for name in ("code", "op"):
        if name in expected:
            found = answer.json.get(name)
            demand(found == expected[name], f"`{name}` is {found}, not {expected[name]}")
    demand(answer.json.get("status") == answer.status, "`status` is not the status")


def hold_result(result, expected, at_base, before, after):
    changed = expected.get("changed", True)
    demand(result["changed"] == changed, f"`changed` is {result['changed']}")
    demand(result["version"] == after["version"], "`version` is not the head")
    demand((after["version"] != before["version"]) == changed, f"the head was {before['version']}")
    outcomes = [{name: value for name, value in one.items() if name != "created"} for one in result["operations"]]
    wanted = expected.get("operations", [{"status": "applied"}] * len(outcomes))
    demand(cases.same(outcomes, wanted), f"`operations` is {outcomes}, not {wanted}")
    warnings = [{name: value for name, value in one.items() if name != "detail"} for one in result.get("warnings", [])]
    wanted = expected.get("warnings", [])
    demand(cases.same(warnings, wanted), f"`warnings` is {warnings}, not {wanted}")
    if "missed" in result:
        demand_same(replay.apply(at_base, result["missed"]), before, "`missed` applied to the base")
    demand_same(replay.apply(before, result["changes"]), after, "`changes` applied to the list before the edit")
    if "changes" in expected:
        hold_parts(result["changes"], expected["changes"])


# MARK: A state and changes.


def hold_changes(server, case):
    if "writes" not in case:
        return "no server makes these changes"
    view = case.get("view", ALL)
    scene = Scene(server, case)
    try:
        state = scene.get(view)
        demand_same(state, case["state"], "the view before")
        stream = scene.follow(scene.base, view)
        try:
            scene.write_all(case["writes"])
            # The head is what the list says, because a write may have changed nothing.
            head = scene.get()["version"]
            expected = case["expected"] if "show" not in case else scene.get(view)
            shown = scene.get({**view, "view": case["show"]}) if "show" in case else scene.get(view)
            demand_same(shown, case["expected"], "the view after")
            changes = scene.changes(scene.base, view)
            demand_same(replay.apply(state, changes), expected, "the catch-up applied")
            demand_same(stream.until(state, head), expected, "the stream applied")
            hold_changes_named(changes, case)
        finally:
            stream.close()
    finally:
        scene.end()
    return None


def hold_changes_named(changes, case):
    one = case["changes"] if isinstance(case["changes"], dict) else None
    if one is None or one.get("reset"):
        return
    wanted = cases.complete(case)["changes"][0]["counts"]
    demand(changes["counts"] == wanted, f"`counts` is {changes['counts']}, not {wanted}")
    hold_parts(changes, one, is_exact=not case.get("generated"))


def hold_parts(found, expected, is_exact=True):
    """The parts of a change set. Of generated ones, which rows move among equally few is left open, and so is what has
    changed and changed back."""
    found, expected = json.loads(json.dumps(found)), json.loads(json.dumps(expected))
    cases.fill(found)
    cases.fill(expected)
    for name in ("properties", "sections", "items"):
        ours, theirs = expected.get(name, {}), found.get(name, {})
        for part in sorted(set(ours) | set(theirs)):
            one, other = theirs.get(part, []), ours.get(part, [])
            if not is_exact and part == "moved":
                one, other = len(one), len(other)
            if not is_exact and part in replay.CONTENT_PARTS:
                one = [entry for entry in one if entry in other]
            demand(cases.same(one, other), f"`{name}.{part}` is {one}, not {other}")


# MARK: Pending edits. A server is sent them when others have written, each with the base that the client held.


def hold_pending(server, case):
    if any(set(edit) != {"operations"} for edit in case["pending"]) or "writes" not in case:
        return "no edit is without an answer to the end"
    scene = Scene(server, case)
    try:
        state = scene.get()
        scene.write_all(case["writes"])
        head = scene.get()
        changes = scene.changes(scene.base)
        demand_same(replay.apply(state, changes), head, "the catch-up applied")
        hold_changes_named(changes, case)
        for edit in case["pending"]:
            answer = scene.write({"body": {**edit, "base": scene.base}})
            demand(answer.status in (200, 201), f"{edit}: {answer.status} {answer.json.get('detail', '')}")
        shown = scene.get({"view": case["show"]} if "show" in case else ALL)
        demand_same(shown, case.get("settled", case["expected"]), "the list when the edits are done")
    finally:
        scene.end()
    return None


HOLDERS = {"edits": hold_edit, "changes": hold_changes, "pending": hold_pending}


def hold(server, case):
    """Why a case does not hold for a server, and why it was left out: texts, of which at most one is not empty."""
    try:
        return "", HOLDERS[case["kind"]](server, case) or ""
    except (Failed, replay.Wrong) as error:
        return str(error), ""
    except (TimeoutError, http.client.HTTPException) as error:
        server.close()
        return f"no whole answer within {SECONDS_MAX} s: {error!r}", ""
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return f"the answer has another form: {error!r}", ""
