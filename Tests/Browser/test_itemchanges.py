"""An item's JSON is saved without what others have changed meanwhile."""

import json

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for

OPENED = {"title": "Pear", "kilos": 1, "note": "ripe", "from": {"farm": "A", "row": 1}}


class ItemChangeTests(AdminTests):
    def setUp(self):
        super().setUp()
        self.client.edit("shopping", {"op": "updateItem", "item": "pear", "content": OPENED})
        self.browser.open("shopping")
        self.on("pear", "e")
        self.wait_for("dialog[open] textarea")

    def item(self):
        return self.client.get("/v1/lists/shopping/items/pear")

    def others(self, **members):
        version = self.client.edit("shopping", {"op": "updateItem", "item": "pear", **members})["version"]
        wait_for(lambda: self.browser.one(f'.collection[data-version="{version}"]'), "the change in the page")

    def write(self, content, **members):
        shown = {"kind": "item", "content": content, "starred": False, "expanded": False, "reorderable": True, **members}
        self.keys("a", held=[Keys.CONTROL])
        self.keys(json.dumps(shown))
        self.save()

    def save(self):
        self.browser.one("dialog .main-button").click()

    def wait_for_end(self):
        wait_for(lambda: not self.browser.one("dialog[open]"), lambda: self.browser.text("dialog"))
        self.browser.wait_until_equal(self.client, "shopping")

    def test_what_others_changed_stays(self):
        self.others(content={**OPENED, "kilos": 7, "from": {"farm": "B", "row": 1}}, starred=True, kind="fruit")
        self.write({**OPENED, "title": "Conference"})
        self.wait_for_end()
        item = self.item()
        self.assertEqual({**OPENED, "title": "Conference", "kilos": 7, "from": {"farm": "B", "row": 1}}, item["content"])
        self.assertEqual(("fruit", True), (item["kind"], item["starred"]))
        self.assert_quiet()

    def test_a_member_that_is_removed(self):
        self.others(content={**OPENED, "kilos": 7})
        self.write({"title": "Pear", "kilos": 1, "from": {"farm": "A"}})
        self.wait_for_end()
        self.assertEqual({"title": "Pear", "kilos": 7, "from": {"farm": "A"}}, self.item()["content"])

    def test_a_null_is_a_value(self):
        self.others(content={**OPENED, "kilos": 7})
        self.write({"title": "Pear", "kilos": 1, "note": None, "from": {"farm": "A", "row": 1}})
        self.wait_for_end()
        self.assertEqual({"title": "Pear", "kilos": 7, "note": None, "from": {"farm": "A", "row": 1}}, self.item()["content"])

    def test_the_same_member_by_two(self):
        self.others(content={**OPENED, "title": "Williams", "kilos": 7})
        wait_for(lambda: "Williams" in self.browser.text('.row[data-id="pear"]'), "the other title")
        self.write({**OPENED, "title": "Conference"})
        self.wait_for_text(".dialog-note[role=alert]", 'Somebody else has changed this meanwhile: title is now "Williams".')
        self.assertEqual("Williams", self.item()["content"]["title"])
        self.save()
        self.wait_for_end()
        self.assertEqual({**OPENED, "title": "Conference", "kilos": 7}, self.item()["content"])

    def test_nothing_changed_is_no_write(self):
        version = self.client.get("/v1/lists/shopping")["version"]
        self.write(OPENED)
        self.wait_for_end()
        self.assertEqual(version, self.client.get("/v1/lists/shopping")["version"])
