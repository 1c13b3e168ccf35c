"""The main job with the Python client of openapi-generator: `job_openapi_generator.py http://127.0.0.1:8080`."""

import sys
import threading
import time

from openapi_client import (
    AppendItems, ApiClient, ChangeSet, ChangesApi, Configuration, ItemsApi, ListOperation, ListReset, ListTransaction,
    ListsApi, MoveItem, NewItem, NewItemOrId, OrderDifference, OrderInsertion, OrderRemoval, Reorder, SectionOrder,
    StarItems, TransactionsApi, WantedItem, WantedItemOrId, WantedSection, WantedSnapshot)

LIST = "openapi-generator-python"
client = ApiClient(Configuration(host=sys.argv[1]))
lists, items, changes, transactions = ListsApi(client), ItemsApi(client), ChangesApi(client), TransactionsApi(client)


def reorder(order, **base):
    result = transactions.post_reorder(LIST, Reorder(sections={"fruit": order}, **base))
    assert result.changed
    return result.version


def fruit():
    return [item.id for item in lists.get_list(LIST).sections[0].items]


fruits = [
    WantedItemOrId(WantedItem(id=id, kind="product", content={"name": id.title()})) for id in ("apple", "pear", "plum")]
sections = [WantedSection(id="fruit", title="Fruit", items=fruits), WantedSection(id="bread")]
first = lists.put_list(LIST, WantedSnapshot(title="Groceries", sections=sections)).version

snapshot = lists.get_list(LIST)
assert (snapshot.title, snapshot.version, snapshot.counts.items) == ("Groceries", first, 3)
assert snapshot.sections[0].items[1].content["name"] == "Pear"

assert items.star_item(LIST, "apple").operations[0].status == "applied"
assert items.get_item(LIST, "apple").starred is True

version = reorder(SectionOrder(final=["plum", "apple", "pear"]))
assert fruit() == ["plum", "apple", "pear"]
reorder(
    SectionOrder(difference=OrderDifference(
        insertions=[OrderInsertion(offset=2, element="plum", associatedOffset=0)],
        removals=[OrderRemoval(offset=0, element="plum", associatedOffset=2)])),
    base=version)
assert fruit() == ["apple", "pear", "plum"]

result = transactions.post_transaction(LIST, ListTransaction(label="phone", operations=[
    ListOperation(MoveItem(op="moveItem", item="pear", before="apple")),
    ListOperation(AppendItems(
        op="appendItems", section="bread", items=[NewItemOrId(NewItem(id="roll", content={"name": "Roll"}))])),
    ListOperation(StarItems(op="starItems", items=["roll"]))]))
assert [outcome.status for outcome in result.operations] == ["applied"] * 3

caught_up = changes.get_changes(LIST, since=first).actual_instance
assert isinstance(caught_up, ChangeSet) and (caught_up.var_from, caught_up.to) == (first, result.version)
assert caught_up.items.inserted[0].item.content["name"] == "Roll"

for since in ({}, {"since": "other-7"}):
    reset = changes.get_changes(LIST, **since).actual_instance
    assert isinstance(reset, ListReset) and reset.snapshot.version == reset.to == result.version

later = []
waiting = threading.Thread(
    target=lambda: later.append(changes.get_changes(LIST, since=result.version, wait=20).actual_instance))
waiting.start()
time.sleep(0.3)
version = ItemsApi(ApiClient(Configuration(host=sys.argv[1]))).unstar_item(LIST, "apple").version
waiting.join()
assert later[0].to == version and later[0].items.reconfigured[0].item.id == "apple"
print("openapi-generator, python: done")
