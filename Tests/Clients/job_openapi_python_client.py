"""The main job with the client that openapi-python-client generates: `job_openapi_python_client.py http://127.0.0.1:8080`."""

import sys
import threading
import time

from liststate_client import Client
from liststate_client.api.changes import get_changes
from liststate_client.api.items import get_item, star_item, unstar_item
from liststate_client.api.lists import get_list, put_list
from liststate_client.api.transactions import post_reorder, post_transaction
from liststate_client.models import (
    AppendItems, ChangeSet, ItemContent, ListReset, ListTransaction, MoveItem, NewItem, OrderDifference, OrderInsertion,
    OrderRemoval, Reorder, SectionOrder, SectionOrders, StarItems, WantedItem, WantedSection, WantedSnapshot)

LIST = "openapi-python-client"
client = Client(base_url=sys.argv[1])


def content(name):
    return ItemContent.from_dict({"name": name})


def reorder(order, **base):
    sections = SectionOrders()
    sections["fruit"] = order
    result = post_reorder.sync(LIST, client=client, body=Reorder(sections=sections, **base))
    assert result.changed
    return result.version


def fruit():
    return [item.id for item in get_list.sync(LIST, client=client).sections[0].items]


fruits = [WantedItem(id=id, kind="product", content=content(id.title())) for id in ("apple", "pear", "plum")]
sections = [WantedSection(id="fruit", title="Fruit", items=fruits), WantedSection(id="bread")]
first = put_list.sync(LIST, client=client, body=WantedSnapshot(title="Groceries", sections=sections)).version

snapshot = get_list.sync(LIST, client=client)
assert (snapshot.title, snapshot.version, snapshot.counts.items) == ("Groceries", first, 3)
assert snapshot.sections[0].items[1].content["name"] == "Pear"

assert star_item.sync(LIST, "apple", client=client).operations[0].status == "applied"
assert get_item.sync(LIST, "apple", client=client).starred is True

version = reorder(SectionOrder(final=["plum", "apple", "pear"]))
assert fruit() == ["plum", "apple", "pear"]
reorder(
    SectionOrder(difference=OrderDifference(
        insertions=[OrderInsertion(offset=2, element="plum", associated_offset=0)],
        removals=[OrderRemoval(offset=0, element="plum", associated_offset=2)])),
    base=version)
assert fruit() == ["apple", "pear", "plum"]

result = post_transaction.sync(LIST, client=client, body=ListTransaction(label="phone", operations=[
    MoveItem(op="moveItem", item="pear", before="apple"),
    AppendItems(op="appendItems", section="bread", items=[NewItem(id="roll", content=content("Roll"))]),
    StarItems(op="starItems", items=["roll"])]))
assert [outcome.status for outcome in result.operations] == ["applied"] * 3

changes = get_changes.sync(LIST, client=client, since=first)
assert isinstance(changes, ChangeSet) and (changes.from_, changes.to) == (first, result.version)
assert changes.items.inserted[0].item.content["name"] == "Roll"

for since in ({}, {"since": "other-7"}):
    reset = get_changes.sync(LIST, client=client, **since)
    assert isinstance(reset, ListReset) and reset.snapshot.version == reset.to == result.version

later = []
waiting = threading.Thread(
    target=lambda: later.append(get_changes.sync(LIST, client=client, since=result.version, wait=20)))
waiting.start()
time.sleep(0.3)
version = unstar_item.sync(LIST, "apple", client=Client(base_url=sys.argv[1])).version
waiting.join()
assert later[0].to == version and later[0].items.reconfigured[0].item.id == "apple"
print("openapi-python-client: done")
