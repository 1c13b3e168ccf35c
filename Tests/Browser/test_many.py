"""The cost of many rows in the page, counted in steps over rows and in changes of the document, never in time."""

from browser import BrowserTestCase, wait_for
from many import many, work

# The smaller list has a few more rows than get their cells without being visible. The other has twice as many.
COUNTS = (2_500, 5_000)
# Changes of the list of rows: elements that were added or removed.
OBSERVE = """
window.changes_ = 0;
new MutationObserver((records) => { for (const one of records) window.changes_ += one.addedNodes.length + one.removedNodes.length; })
  .observe(document.querySelector(".rows"), {childList: true});
"""
EMPTY = "return document.querySelectorAll('.row:empty').length"


class ManyRowsTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for count in COUNTS:
            cls.client.write("PUT", f"/v1/lists/many{count}", many(count))

    def cost(self, act, settled):
        """The work of the page between an action and the moment when its effect is shown."""
        before = work(self.browser)
        self.browser.driver.execute_script("window.changes_ = 0")
        act()
        wait_for(lambda: settled() and self.browser.one("#collection[aria-busy=false]"), "the rows of the server")
        after = work(self.browser)
        cost = {name: after[name] - before[name] for name in before}
        return {**cost, "changes": self.browser.driver.execute_script("return window.changes_")}

    def count(self):
        return self.browser.driver.execute_script("return document.querySelectorAll('.row').length")

    def search(self, text):
        self.browser.driver.execute_script("""
            const field = document.querySelector("input[type=search]");
            field.value = arguments[0];
            field.dispatchEvent(new Event("input", {bubbles: true}));""", text)

    def costs(self, count):
        """The costs of a user's first actions, by name."""
        list_id = f"many{count}"
        self.browser.open(list_id)
        costs = {"open": work(self.browser)}
        self.assertEqual(count, self.count())
        self.browser.driver.execute_script(OBSERVE)
        starred = lambda: self.browser.one('.row[data-id="r3"].is-starred')
        costs["star"] = self.cost(lambda: self.client.edit(list_id, {"op": "starItems", "items": ["r3"]}), starred)
        second = lambda: self.browser.driver.execute_script("return document.querySelectorAll('.row')[1].dataset.id") == "r9"
        costs["move"] = self.cost(
            lambda: self.client.edit(list_id, {"op": "moveItem", "item": "r9", "after": "r0"}), second)
        deleted = lambda: self.count() == count - 1
        costs["delete"] = self.cost(lambda: self.client.edit(list_id, {"op": "deleteItems", "items": ["r8"]}), deleted)
        found = len(self.client.get(f"/v1/lists/{list_id}?filter=lima")["sections"][0]["items"])
        costs["found"] = {"rows": found, "steps": 0}
        costs["letter"] = self.cost(lambda: self.search("lima"), lambda: self.count() == found)
        wait_for(lambda: self.browser.driver.execute_script(EMPTY) == 0, "cells of all that was found")
        costs["back"] = self.cost(lambda: self.search(""), deleted)
        self.browser.wait_until_equal(self.client, list_id)
        self.assert_quiet()
        return costs

    def test_work_follows_the_rows(self):
        few, twice = [self.costs(count) for count in COUNTS]
        for costs, count in ((few, COUNTS[0]), (twice, COUNTS[1])):
            with self.subTest(count):
                self.assertEqual(count, costs["open"]["rows"])
                for name in ("open", "letter", "back"):
                    self.assertLessEqual(costs[name]["steps"], 4 * count, name)
                    # Cells are made only for visible rows, and for a small number of found rows.
                    self.assertLessEqual(costs[name]["cells"], 150 + costs["found"]["rows"], name)
                self.assertEqual({"steps": 0, "rows": 0, "cells": 1, "changes": 0}, costs["star"])
                for name in ("move", "delete"):
                    self.assertLessEqual(costs[name]["steps"], count + 10, name)
                    self.assertLessEqual(costs[name]["cells"], 30, name)
                    self.assertLessEqual(costs[name]["changes"], 2, name)
        for name in few:
            self.assertLessEqual(twice[name]["steps"], 2.5 * few[name]["steps"] + 50, name)

    def test_rows_get_their_cells_when_they_are_seen(self):
        self.browser.open(f"many{COUNTS[0]}")
        script = "return document.querySelector('.row[data-id=\"r2000\"]').textContent"
        self.assertEqual("", self.browser.driver.execute_script(script))
        # A browser would make a layer for rows with these styles.
        self.assertEqual(["static", "none"], self.browser.driver.execute_script(
            "const style = getComputedStyle(document.querySelector('.row:empty')); return [style.position, style.contain]"))
        self.browser.driver.execute_script("document.querySelector('.row[data-id=\"r2000\"]').scrollIntoView()")
        wait_for(lambda: "2000" in self.browser.driver.execute_script(script), "a cell")
        empty = """
            const [top, bottom] = [0, innerHeight];
            return [...document.querySelectorAll(".row")].filter((row) => {
              const box = row.getBoundingClientRect();
              return box.bottom > top && box.top < bottom && row.childElementCount === 0;
            }).length;"""
        wait_for(lambda: self.browser.driver.execute_script(empty) == 0, "cells for all that is seen")
        self.assert_quiet()
