"""Rules of the contract that a schema cannot express. Each function makes a case follow one rule.

They change only parts of a case that are meant to be valid. So a case that is meant to be refused is refused for its
one intended error.
"""

import itertools
import json

from lists import chosen, number

BYTES_MAX = (255, 256, 1000, 4096)
"""Of ids, filters, labels and titles: a schema counts characters, the server bytes."""


def within_bytes(value):
    """Cuts each text that is short enough in characters but too long in bytes."""
    if isinstance(value, dict):
        return {within_bytes(name): within_bytes(member) for name, member in value.items()}
    if isinstance(value, list):
        return [within_bytes(element) for element in value]
    if not isinstance(value, str) or value.isascii():
        return value
    data = value.encode()
    for limit in BYTES_MAX:
        if len(value) <= limit < len(data):
            return data[:limit].decode(errors="ignore")
    return value


# MARK: Queries

def follow_in_query(query, target, operation):
    """`target` is the state of the list that the path names; None if there is none."""
    for name in query:
        query[name] = within_bytes(query[name])
    window(query, target)
    disclosure(query)
    literals(query)
    if operation == "followLists":
        query["list"] = once(query["list"], lambda name: name.partition("@")[0])
    if "until" in query:
        # It cannot be combined with a long poll.
        query.pop("wait", None)
    if operation == "getList" and "cursor" in query:
        page(query, target)
    if target:
        versions(query, target, operation)
        poll(query, target)


def window(query, target):
    """`before` and `after` need a `row` or an `around`, which is an existing item. A window has no pages."""
    if "row" in query:
        query.pop("around", None)
    elif query.keys() & {"around", "before", "after"}:
        query["around"] = target.item(query.get("around")) if target else query.get("around", "apple")
    if query.keys() & {"row", "around"}:
        query.pop("limit", None)
        query.pop("cursor", None)


def disclosure(query):
    """A viewer's own disclosure needs the view `visible`."""
    if "expanded" in query:
        query["view"] = "visible"


def literals(query):
    """A value of `where` has a JSON literal behind its colon, and has at most 512 bytes."""
    if isinstance(query.get("where"), list):
        query["where"] = [literal(text) for text in query["where"]]


def literal(text):
    path, _, value = text.partition(":")
    path = path.encode()[:200].decode(errors="ignore").rstrip(".")
    try:
        is_literal = not isinstance(json.loads(value), (dict, list))
    except ValueError:
        is_literal = False
    # A text that is not a literal becomes a string in quotes.
    return f"{path}:{value if is_literal else json.dumps(value[:40])}"


def versions(query, target, operation):
    """A version of another epoch is 410, and `until` must not be earlier than `since`."""
    for name in query.keys() & {"at", "until"}:
        query[name] = target.past(query[name])
    if operation == "listTransactions" and "cursor" in query:
        query["cursor"] = target.past(query["cursor"])
        # A cursor needs an earlier transaction.
        if query["cursor"] == target.at(1):
            del query["cursor"]
    # Only half of them are replaced, because a version of another epoch gives a reset, which is tested too.
    if "since" in query and number(query["since"]) % 2:
        query["since"] = target.past(query["since"])
    if "until" in query and "since" in query:
        query["since"] = target.earlier(query["since"], query["until"])


def poll(query, target):
    """A long poll with nothing to tell waits for at most a second, because no write wakes it."""
    if str(query.get("since", "")).startswith(f"{target.epoch}-") and float(query.get("wait", 0)) > 1:
        query["wait"] = 1


def page(query, target):
    """A cursor needs the limit and the version of its link, and the view must have a row there."""
    limit = query.get("limit", 1)
    query.clear()
    query["limit"] = limit
    if target and target.rows > 1:
        query.update(at=target.version, cursor="r1")


def once(values, name):
    """The values without repeated names, for an argument that has names."""
    return list({name(value): value for value in reversed(values)}.values())[::-1]


# MARK: Fields

class Fields:
    def __init__(self):
        self._keys = itertools.count(1)

    def follow(self, headers, target, operation):
        if "If-Match" in headers:
            self._match(headers, target)
        if "Client-Sequence" in headers:
            # A number comes with the name of its client, and without a key. A wrong number is 409. The same number of a
            # client with another request would be 422.
            headers["Client"] = f"schema-{next(self._keys)}"
            headers.pop("Idempotency-Key", None)
        if key := headers.get("Idempotency-Key"):
            headers["Idempotency-Key"] = self._unused(key)
        if operation in ("followLists", "getSubscription"):
            # These operations answer with a stream or not at all.
            headers["Accept"] = "text/event-stream"
        if operation == "postChanges":
            name, value = chosen([("Prefer", "respond-async"), ("Accept", "text/event-stream")], headers)
            headers[name] = value

    @staticmethod
    def _match(headers, target):
        """The list exists, and its version is one of those named. Otherwise the answer would be 412."""
        if not target:
            del headers["If-Match"]
        elif headers["If-Match"] != "*":
            headers["If-Match"] += f', "{target.version}"'

    def _unused(self, key):
        """A key belongs to one request. Another request with the same key is 422."""
        is_quoted = len(key) > 2 and key[0] == key[-1] == '"'
        text = f"{key.strip(' ').strip(chr(34))[:240].rstrip()}-{next(self._keys)}"
        return f'"{text}"' if is_quoted else text


# MARK: Bodies

def follow_in_body(body, path, target, operation):
    """`path` has the decoded ids of the path."""
    body = within_bytes(body)
    flatten(body)
    # Ids in the body must be those of the path.
    if operation == "putList" and "id" in body:
        body["id"] = path["list"]
    if operation == "createList" and "id" in body:
        # A list that exists is 409, so most ids are new.
        body["id"] = mostly(lambda id: f"{id[:100]}-{number(json.dumps(body))}", body["id"])
    if operation == "putSection":
        body.update({name: path[of] for name, of in (("id", "section"), ("list", "list")) if name in body})
    if operation == "postChanges":
        disclosure(body)
        literals(body)
        body["lists"] = once(body["lists"], lambda followed: followed["list"])
    if target:
        place(body, target, operation)
    for argument in body.get("operations", [body]):
        distinct(argument)
    return body


def flatten(value, depth=0):
    """Groups of a layout nest at most four deep. A group within the fourth becomes an item."""
    if isinstance(value, dict):
        depth += "direction" in value
        if depth > 4:
            for name in ("direction", "item", "count", "items", "interItem"):
                value.pop(name, None)
    for member in value.values() if isinstance(value, dict) else value:
        if isinstance(member, (dict, list)):
            flatten(member, depth)


def place(body, target, operation):
    """Most invented ids and versions are replaced by those of the list. Otherwise few operations would be applied."""
    if operation in ("undo", "redo", "restoreList"):
        # A version that is not kept is 410.
        for name in body.keys() & {"transaction", "version"}:
            body[name] = target.past(body[name])
    for name in body.keys() & {"base", "version"}:
        body[name] = mostly(target.past, body[name])
    for argument in body.get("operations", [body]):
        place_argument(argument, target)
    if operation == "postReorder":
        reorder(body, target)


def mostly(known, text):
    return known(text) if isinstance(text, str) and number(text) % 8 else text


def place_argument(argument, target):
    is_of_sections = argument.get("op") in ("insertSections", "moveSection")
    for name, known in {
        "item": target.item, "parent": target.item, "section": target.section,
        "before": target.section if is_of_sections else target.item,
        "after": target.section if is_of_sections else target.item,
    }.items():
        if name in argument:
            argument[name] = mostly(known, argument[name])
    for name, known in (("items", target.item), ("sections", target.section)):
        if isinstance(argument.get(name), list):
            argument[name] = [mostly(known, value) for value in argument[name]]


def reorder(body, target):
    """Most orders are of existing sections, with their items in another order."""
    for name in [name for name in body["sections"] if number(name) % 8]:
        section, order = target.section(name), body["sections"].pop(name)
        if "final" in order:
            items = target.orders.get(section, [])
            start = number(order["final"]) % max(1, len(items))
            order["final"] = items[start:] + items[:start]
        body["sections"][section] = order


def distinct(argument):
    """An id occurs only once in an argument, also if its items are in different sections."""
    seen = {"items": set(), "sections": set()}
    for name, ids in seen.items():
        values = argument.get(name)
        if isinstance(values, list):
            argument[name] = [value for value in values if is_first(value, ids, seen["items"])]
        elif isinstance(values, dict):
            for order in values.values():
                if "final" in order:
                    order["final"] = [value for value in order["final"] if is_first(value, seen["items"], None)]


def is_first(value, ids, items):
    """Whether the value's id is not in `ids`, to which it is then added. Items of a section with repeated ids are
    removed too."""
    id = value.get("id") if isinstance(value, dict) else value
    if id in ids:
        return False
    if isinstance(value, dict):
        adopt(value, ids)
        if isinstance(value.get("items"), list):
            value["items"] = [item for item in value["items"] if is_first(item, items, None)]
    if id is not None:
        ids.add(id)
    return True


def adopt(item, earlier):
    """The parent of a given item comes before it in the same argument."""
    if "parent" in item and number(item["parent"]) % 8:
        if earlier:
            item["parent"] = chosen(sorted(earlier), item["parent"])
        else:
            del item["parent"]
