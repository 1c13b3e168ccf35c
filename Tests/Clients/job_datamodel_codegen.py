"""The main job with the models that datamodel-code-generator makes, and Python's own HTTP client:
`job_datamodel_codegen.py http://127.0.0.1:8080`."""

import sys
import threading
import time
import urllib.parse
import urllib.request

from pydantic import TypeAdapter

from liststate_models import (
    AppendItems, ChangeSet, ItemContent, ItemSnapshot, ListReset, ListSnapshot, ListTransaction, MoveItem, NewItem,
    OrderDifference, OrderInsertion, OrderRemoval, Reorder, SectionOrder, StarItems, WantedItem, WantedSection,
    WantedSnapshot, WriteResult)

LIST = f"{sys.argv[1]}/v1/lists/datamodel-codegen"


def ask(method, path, answer, body=None, **query):
    """Sends a request whose body is a model, and returns the answer as a model."""
    data = None if body is None else body.model_dump_json(by_alias=True, exclude_unset=True).encode()
    address = LIST + path + ("?" + urllib.parse.urlencode(query) if query else "")
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"} if data else {}, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        return TypeAdapter(answer).validate_json(response.read())


def content(name):
    return ItemContent(name=name)


def changes(**query):
    return ask("GET", "/changes", ChangeSet | ListReset, **query)


def reorder(order, **base):
    result = ask("POST", "/reorders", WriteResult, Reorder(sections={"fruit": order}, **base))
    assert result.changed
    return result.version


def fruit():
    return [item.id for item in ask("GET", "", ListSnapshot).sections[0].items]


fruits = [WantedItem(id=id, kind="product", content=content(id.title())) for id in ("apple", "pear", "plum")]
sections = [WantedSection(id="fruit", title="Fruit", items=fruits), WantedSection(id="bread")]
first = ask("PUT", "", WriteResult, WantedSnapshot(title="Groceries", sections=sections)).version

snapshot = ask("GET", "", ListSnapshot)
assert (snapshot.title, snapshot.version, snapshot.counts.items) == ("Groceries", first, 3)
assert snapshot.sections[0].items[1].content.name == "Pear"

assert ask("PUT", "/items/apple/star", WriteResult).operations[0].status == "applied"
assert ask("GET", "/items/apple", ItemSnapshot).starred is True

version = reorder(SectionOrder(final=["plum", "apple", "pear"]))
assert fruit() == ["plum", "apple", "pear"]
reorder(
    SectionOrder(difference=OrderDifference(
        insertions=[OrderInsertion(offset=2, element="plum", associatedOffset=0)],
        removals=[OrderRemoval(offset=0, element="plum", associatedOffset=2)])),
    base=version)
assert fruit() == ["apple", "pear", "plum"]

result = ask("POST", "/transactions", WriteResult, ListTransaction(label="phone", operations=[
    MoveItem(op="moveItem", item="pear", before="apple"),
    AppendItems(op="appendItems", section="bread", items=[NewItem(id="roll", content=content("Roll"))]),
    StarItems(op="starItems", items=["roll"])]))
assert [outcome.status for outcome in result.operations] == ["applied"] * 3

caught_up = changes(since=first)
assert isinstance(caught_up, ChangeSet) and (caught_up.from_, caught_up.to) == (first, result.version)
assert caught_up.items.inserted[0].item.content.name == "Roll"

for since in ({}, {"since": "other-7"}):
    reset = changes(**since)
    assert isinstance(reset, ListReset) and reset.snapshot.version == reset.to == result.version

later = []
waiting = threading.Thread(target=lambda: later.append(changes(since=result.version, wait=20)))
waiting.start()
time.sleep(0.3)
version = ask("DELETE", "/items/apple/star", WriteResult).version
waiting.join()
assert later[0].to == version and later[0].items.reconfigured[0].item.id == "apple"
print("datamodel-code-generator: done")
