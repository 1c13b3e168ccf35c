"""Rules of the contract that a schema cannot say: each makes a case follow one.

They change only the parts of a case that are meant to be valid: a case that is meant to be refused is then refused for
the one thing that is wrong with it.
"""

import itertools
import json

from lists import chosen, number

BYTES_MAX = (255, 256, 1000, 4096)
"""Of ids, filters, labels and titles: a schema counts characters, the server bytes."""


def within_bytes(value):
    """Cuts each text that is short enough in characters and too long in bytes."""
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
    """`target` is the state of the list that the path names, or nothing."""
    for name in query:
        query[name] = within_bytes(query[name])
    window(query, target)
    disclosure(query)
    literals(query)
    if operation == "followLists":
        query["list"] = once(query["list"], lambda name: name.partition("@")[0])
    if "until" in query:
        # It comes with no long poll.
        query.pop("wait", None)
    if operation == "getList" and "cursor" in query:
        page(query, target)
    if target:
        versions(query, target, operation)
        poll(query, target)


def window(query, target):
    """`before` and `after` need an `around`, an item that is there; a window has no pages."""
    if query.keys() & {"around", "before", "after"}:
        query["around"] = target.item(query.get("around")) if target else query.get("around", "apple")
        query.pop("limit", None)
        query.pop("cursor", None)


def disclosure(query):
    """A disclosure of one's own is one of the view `visible`."""
    if "expanded" in query:
        query["view"] = "visible"


def literals(query):
    """A value of `where` is a JSON literal behind its colon, and of 512 bytes at most."""
    if isinstance(query.get("where"), list):
        query["where"] = [literal(text) for text in query["where"]]


def literal(text):
    path, _, value = text.partition(":")
    path = path.encode()[:200].decode(errors="ignore").rstrip(".")
    try:
        is_literal = not isinstance(json.loads(value), (dict, list))
    except ValueError:
        is_literal = False
    # A text that is no literal becomes one in quotes.
    return f"{path}:{value if is_literal else json.dumps(value[:40])}"


def versions(query, target, operation):
    """A version of another epoch is 410, and there is no way back from `since` to `until`."""
    for name in query.keys() & {"at", "until"}:
        query[name] = target.past(query[name])
    if operation == "listTransactions" and "cursor" in query:
        query["cursor"] = target.past(query["cursor"])
        # There is a transaction before that of a cursor.
        if query["cursor"] == target.at(1):
            del query["cursor"]
    # Half of them, for from another epoch there is a reset.
    if "since" in query and number(query["since"]) % 2:
        query["since"] = target.past(query["since"])
    if "until" in query and "since" in query:
        query["since"] = target.earlier(query["since"], query["until"])


def poll(query, target):
    """A long poll that has nothing to tell, of the list or of its view, waits for a second at most: nobody wakes it."""
    if str(query.get("since", "")).startswith(f"{target.epoch}-") and float(query.get("wait", 0)) > 1:
        query["wait"] = 1


def page(query, target):
    """A cursor comes with the limit and the version of its link, and the view has a row there."""
    limit = query.get("limit", 1)
    query.clear()
    query["limit"] = limit
    if target and target.rows > 1:
        query.update(at=target.version, cursor="r1")


def once(values, name):
    """No name twice, where an argument holds names."""
    return list({name(value): value for value in reversed(values)}.values())[::-1]


# MARK: Fields

class Fields:
    def __init__(self):
        self._keys = itertools.count(1)

    def follow(self, headers, target, operation):
        if "If-Match" in headers:
            self._match(headers, target)
        if key := headers.get("Idempotency-Key"):
            headers["Idempotency-Key"] = self._unused(key)
        if operation in ("followLists", "getSubscription"):
            # They answer with a stream or not at all.
            headers["Accept"] = "text/event-stream"
        if operation == "postChanges":
            name, value = chosen([("Prefer", "respond-async"), ("Accept", "text/event-stream")], headers)
            headers[name] = value

    @staticmethod
    def _match(headers, target):
        """There is a list, and its version is among those: otherwise it would be 412."""
        if not target:
            del headers["If-Match"]
        elif headers["If-Match"] != "*":
            headers["If-Match"] += f', "{target.version}"'

    def _unused(self, key):
        """A key stands for one request: with another it is 422."""
        is_quoted = len(key) > 2 and key[0] == key[-1] == '"'
        text = f"{key.strip(' ').strip(chr(34))[:240].rstrip()}-{next(self._keys)}"
        return f'"{text}"' if is_quoted else text


# MARK: Bodies

def follow_in_body(body, path, target, operation):
    """`path` holds the ids of the path, decoded."""
    body = within_bytes(body)
    flatten(body)
    # Ids in the body are those of the path.
    if operation == "putList" and "id" in body:
        body["id"] = path["list"]
    if operation == "createList" and "id" in body:
        # A list that is there is 409: most are new.
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
    """Groups of a layout nest at most four deep: one within the fourth becomes an item."""
    if isinstance(value, dict):
        depth += "direction" in value
        if depth > 4:
            for name in ("direction", "item", "count", "items", "interItem"):
                value.pop(name, None)
    for member in value.values() if isinstance(value, dict) else value:
        if isinstance(member, (dict, list)):
            flatten(member, depth)


def place(body, target, operation):
    """Most ids and versions that were made up become those of the list: otherwise little would be applied."""
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
    """Most orders are of sections that are there, and of their items in another order."""
    for name in [name for name in body["sections"] if number(name) % 8]:
        section, order = target.section(name), body["sections"].pop(name)
        if "final" in order:
            items = target.orders.get(section, [])
            start = number(order["final"]) % max(1, len(items))
            order["final"] = items[start:] + items[:start]
        body["sections"][section] = order


def distinct(argument):
    """No id stands twice in an argument, whatever the sections in which its items stand."""
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
    """Whether its id is not among `ids`, which take it in; the items of a section are thinned out likewise."""
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
    """The parent of an item that is given stands before it in the same argument."""
    if "parent" in item and number(item["parent"]) % 8:
        if earlier:
            item["parent"] = chosen(sorted(earlier), item["parent"])
        else:
            del item["parent"]
