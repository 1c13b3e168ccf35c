"""Changes each case before it is sent, and looks at it after the answer."""

import collections
import itertools
import traceback
from urllib.parse import quote, unquote

from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import UseAfterFree

import rules
from lists import chosen, number


class Cases:
    """Makes each case follow the rules, and counts the cases that were sent."""

    def __init__(self, lists, steps_max):
        self._lists = lists
        self._steps_max = steps_max
        self._fields = rules.Fields()
        self._new = itertools.count(1)
        self._deleted = collections.defaultdict(set)
        self._used = {}
        self._told = set()
        self._subscriptions = []
        self._there = {
            "sample": lists.samples,
            "code": [problem["code"] for problem in lists.ask("GET", "/problems")["problems"]],
            "file": ["main.js", "style.css", "icon.svg"],
            "subscription": self._subscriptions,
            "group": ["anonymous", "any-token"],
        }
        self.sent = collections.Counter()
        self.faults = []

    # MARK: Before a case is sent

    def settle(self, case):
        meta, operation = case.meta, case.operation.definition.raw["operationId"]
        path, query, headers = case.path_parameters, case.query, case.headers
        if path and not meta.is_negative_at(ParameterLocation.PATH):
            self._name(path, headers, operation)
        target = self._target(path)
        if query and not meta.is_negative_at(ParameterLocation.QUERY):
            rules.follow_in_query(query, target, operation)
        if not meta.is_negative_at(ParameterLocation.HEADER):
            self._fields.follow(headers, target, operation)
            if operation == "createList" and isinstance(case.body, dict) and "id" not in case.body:
                # A sequence belongs to a list with an id.
                headers.pop("Client-Sequence", None)
        if isinstance(case.body, dict) and not meta.is_negative_at(ParameterLocation.BODY):
            names = {name: unquote(value) for name, value in path.items() if isinstance(value, str)}
            case.body = rules.follow_in_body(case.body, names, target, operation)

    def _target(self, path):
        name = path.get("list", path.get("sample"))
        return self._lists.state(name) if isinstance(name, str) else None

    def _name(self, path, headers, operation):
        """Replaces most invented names with existing ones: a list, then an item and a section of that list, and so
        on."""
        for name, values in self._there.items():
            if name in path and number(path[name]) % 8:
                path[name] = chosen(self._lists.moving if operation == "stepSample" else values, path[name])
        if operation == "putList" and headers.get("If-None-Match") == "*":
            # Otherwise the answer would be 412.
            path["list"] = f"new-{next(self._new)}"
        elif "list" in path and not self._is_linked(path["list"]):
            path["list"] = self._lists.chosen(path["list"])
            state = self._lists.state(path["list"])
            for name, of in (("item", state.item), ("section", state.section)):
                if name in path and unquote(path[name]) not in self._told:
                    path[name] = quote(of(path[name]), safe="")
        if operation == "putSection" and headers.get("If-None-Match") == "*":
            path["section"] = f"new-{next(self._new)}"

    def _is_linked(self, name):
        """Whether a link may have led to this list, because an earlier case of the same sequence used it."""
        return self.sent["stateful"] - self._used.get(name, -self._steps_max) < self._steps_max

    # MARK: After a case was answered

    def note(self, case, response):
        phase = case.meta.phase.name.value
        self.sent[phase] += 1
        name = case.path_parameters.get("list", case.path_parameters.get("sample"))
        if response.request.method not in ("GET", "HEAD") and isinstance(name, str):
            self._wrote(name, case, response)
        for location in response.headers.get("location", []):
            if location.startswith("/v1/changes/"):
                self._subscriptions.append(location.rpartition("/")[2])
        if phase == "stateful" and response.status_code < 400:
            self._learn(case, response)

    def _wrote(self, name, case, response):
        self._lists.wrote(name)
        if response.status_code >= 300 or case.query.get("dryRun") in ("true", True):
            return
        if response.request.method == "DELETE":
            self._deleted[name].add(f"DELETE {case.formatted_path}")
        else:
            # An undo, a restoration or a transaction may bring back what was deleted.
            self._deleted[name].clear()

    def _learn(self, case, response):
        """Remembers the names that were sent and the names that the server told, because links lead to them."""
        self._told.update(unquote(text) for text in case.path_parameters.values() if isinstance(text, str))
        if "list" in case.path_parameters:
            self._used[case.path_parameters["list"]] = self.sent["stateful"]
        if response.content and "json" in response.headers.get("content-type", [""])[0]:
            self._listen(response.json())

    def _listen(self, value):
        if isinstance(value, dict):
            self._told.update(value[name] for name in ("id", "item") if isinstance(value.get(name), str))
            if isinstance(value.get("list"), str):
                self._used[value["list"]] = self.sent["stateful"]
        for element in value.values() if isinstance(value, dict) else value:
            if isinstance(element, (dict, list)):
                self._listen(element)

    def is_failure(self, failure, case):
        """A use after free is a failure only if the deletion was not a dry run and no other write has followed it."""
        return not isinstance(failure, UseAfterFree) or failure.free in self._deleted[case.path_parameters["list"]]

    def watched(self, hook):
        """A hook that raises an error is a failure. Schemathesis does not always report it."""

        def watching(context, *arguments):
            try:
                return hook(*arguments)
            except Exception:
                self.faults.append(traceback.format_exc())
                raise

        return watching
