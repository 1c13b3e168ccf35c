"""The lists that cases write to. Generated names would mostly name nothing that exists."""

import json
import urllib.error
import urllib.parse
import urllib.request
import zlib

CONTENT = {
    "title": "Groceries",
    "sections": [
        {"id": "fruit", "title": "Fruit", "items": [
            {"id": "apple", "kind": "product", "content": {"name": "Apple", "amount": 3}},
            {"id": "pear", "kind": "product", "content": {"name": "Pear", "amount": 2, "note": "ripe"}},
            {"id": "plum", "content": {"name": "Plum"}}]},
        {"id": "bread", "title": "Bread", "items": [
            {"id": "rye", "kind": "product", "expanded": True, "content": {"name": "Rye bread"}},
            {"id": "rye.slices", "parent": "rye", "content": {"name": "Slices", "done": False}}]},
        {"id": "empty"}],
}
HISTORY = [
    {"op": "starItems", "items": ["pear"]},
    {"op": "updateItem", "item": "apple", "content": {"amount": 4}, "merge": True},
    {"op": "moveItem", "item": "plum", "after": "rye"},
]
COUNT = 4
WRITES_MAX = 60
"""After so many writes a list has grown odd: another takes its place."""


class State:
    """The content of a list, as the server told it last."""

    def __init__(self, snapshot):
        self.version = snapshot["version"]
        self.epoch, self.revision = self.version.rpartition("-")[0], int(self.version.rpartition("-")[2])
        self.rows = snapshot["counts"]["items"]
        sections = snapshot.get("sections", [])
        self.sections = [section["id"] for section in sections]
        self.items = [item["id"] for section in sections for item in section.get("items", [])]
        self.orders = {section["id"]: [item["id"] for item in section.get("items", [])] for section in sections}

    def item(self, text):
        return chosen(self.items, text)

    def section(self, text):
        return chosen(self.sections, text)

    def past(self, text):
        """A version of this list, chosen by an invented version. A version of this list is returned unchanged."""
        epoch, _, revision = str(text).rpartition("-")
        if epoch == self.epoch and 0 < int(revision) <= self.revision:
            return text
        return self.at(1 + number(text) % self.revision)

    def earlier(self, text, version):
        """A version that is not later than another version of this list."""
        return self.at(1 + number(text) % int(version.rpartition("-")[2]))

    def at(self, revision):
        return f"{self.epoch}-{revision}"


def number(text):
    return zlib.crc32(str(text).encode(errors="replace"))


def chosen(values, text):
    """One of the values, always the same for the same text; the text itself if there are no values."""
    return values[number(text) % len(values)] if values else text


class Lists:
    def __init__(self, address):
        self.address = address
        self._made = 0
        self._writes = {}
        self._states = {}
        samples = self.ask("GET", "/v1/samples")["samples"]
        self.samples = [sample["id"] for sample in samples]
        self.moving = [sample["id"] for sample in samples if sample.get("moves")]

    def ask(self, method, path, body=None):
        """The JSON of the answer; None if the answer is an error."""
        data = None if body is None else json.dumps(body).encode()
        fields = {"Accept": "application/json", "Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, fields, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            error.close()
            return None

    def chosen(self, text):
        """The name of a list with sections and items."""
        while len(self._writes) < COUNT:
            self._made += 1
            name = "groceries" if self._made == 1 else f"groceries-{self._made}"
            self.ask("PUT", f"/v1/lists/{name}", CONTENT)
            for operation in HISTORY:
                self.ask("POST", f"/v1/lists/{name}/transactions", {"operations": [operation]})
            self._writes[name] = 0
        name = chosen(sorted(self._writes), text)
        state = self.state(name)
        if state and state.sections and state.items and self._writes[name] <= WRITES_MAX:
            return name
        del self._writes[name]
        return self.chosen(text)

    def state(self, name):
        """The state of a list; None if there is no such list. A list that was missing is asked for again each time,
        because a POST may have created it."""
        if name not in self._states:
            snapshot = self.ask("GET", f"/v1/lists/{urllib.parse.quote(name, safe='')}")
            if not snapshot:
                return None
            self._states[name] = State(snapshot)
        return self._states[name]

    def wrote(self, name):
        self._states.pop(name, None)
        if name in self._writes:
            self._writes[name] += 1
