"""What a click, and a tap, in the middle of a row does: one table for every kind of row of every sample."""

import json

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from hand import middle, tap
from test_clicks import RECORDER

# By sample and kind of row. A row that is selected has the focus, and nothing else changes. One that toggles is open, or
# closed, for everybody. Details are shown in a window. One that opens leads to another list.
EXPECTED = {
    "emoji-explorer": {"emoji": "selects", "header parent": "toggles", "valueCell leaf": "shows details", "valueCell": "shows details"},
    "emoji-explorer-list": {"valueCell": "shows details"},
    "reorderable": {"valueCell": "shows details"},
    "emojis-and-numbers": {"cell": "selects", "emoji": "selects"},
    "main-sub": {"cell": "selects", "header": "selects"},
    "mountains": {"cell": "selects"},
    "wifi": {"cell": "selects", "cell switch": "selects"},
    "insertion-sort": {"cell": "selects"},
    "editing": {"valueCell": "selects"},
    "reactor-sections": {"cell centred": "selects"},
    "grid": {"cell centred": "selects"},
    "inset-grid": {"cell centred": "selects"},
    "two-column-grid": {"cell centred": "selects"},
    "distinct-sections": {"cell centred": "selects"},
    "adaptive-sections": {"cell centred": "selects"},
    "item-badges": {"cell centred": "selects"},
    "section-headers-footers": {"cell": "selects"},
    "pinned-section-headers": {"cell": "selects"},
    "section-background": {"cell": "selects"},
    "nested-groups": {"cell centred": "selects"},
    "orthogonal-sections": {"cell centred": "selects"},
    "orthogonal-behaviors": {"cell centred": "selects"},
    "simple-list": {"cell": "selects"},
    "list-appearances": {"cell leaf": "shows details", "header parent": "toggles"},
    "custom-cells": {"custom custom-category": "shows details"},
    "cell-content": {"cell": "selects", "subtitleCell": "selects", "valueCell": "selects"},
    "custom-configurations": {"custom custom-symbol": "selects"},
    "conference-videos": {"custom custom-video": "selects"},
    "conference-news": {"custom custom-article": "selects"},
    "menu": {"header parent": "toggles", "cell leaf": "opens"},
}
# The first row of each kind, by the kind.
KINDS = """
const found = {};
for (const row of document.querySelectorAll(".row:not(.kept)")) {
  const cell = row.querySelector(":scope > .cell");
  const names = cell.className.split(" ").slice(1);
  if (cell.querySelector(".toggle")) names.push("parent");
  if (cell.querySelector(".switch")) names.push("switch");
  if (Number(row.getAttribute("aria-level") ?? 1) > 1 && !names.includes("parent")) names.push("leaf");
  found[names.join(" ")] ??= row.dataset.id;
}
return found;
"""
# What may be other than before, after two frames in which it would have begun.
LOOK = """
const done = arguments[0];
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done({
  hash: location.hash, windows: [...document.querySelectorAll("dialog[open], .menu")].map((one) => one.querySelector(".detail") ? "detail" : "other"),
  edits: document.querySelectorAll(".title-edit, .row.is-selected, .swipe-tray, .ghost").length,
  writes: window.writes_?.splice(0) ?? [], focus: document.activeElement?.closest(".row")?.dataset.id ?? null}))));
"""


class CentreTests(BrowserTestCase):
    def samples(self):
        return [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]

    def reset(self, sample):
        """The sample as at first, but with all branches open."""
        self.client.write("POST", f"/v1/samples/{sample}")
        items = [item for section in self.client.get(f"/v1/lists/{sample}")["sections"] for item in section.get("items", [])]
        parents = {item["parent"] for item in items if "parent" in item}
        if parents:
            self.client.edit(sample, {"op": "expandItems", "items": sorted(parents)})
        # While somebody looks the server scans by itself, which would pass for an effect of a click.
        if sample == "wifi":
            self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})

    def version(self, sample):
        return self.client.get(f"/v1/lists/{sample}")["version"]

    def effect(self, browser, sample, item, press):
        """Presses the middle of a row, and says what came of it."""
        row = browser.row(item)
        browser.bring_to_rest(row)
        before = browser.driver.execute_async_script(LOOK)
        version = self.version(sample)
        press(*middle(browser, row))
        wait_for(lambda: browser.focused() == item or browser.one("dialog[open]") or
                 browser.driver.execute_script("return location.hash") != before["hash"], f"something at {item}")
        after = browser.driver.execute_async_script(LOOK)
        # An edit is counted at once, and sent later.
        wait_for(lambda: browser.pending() == "", browser.pending)
        after["writes"] += browser.driver.execute_async_script(LOOK)["writes"]
        if after["hash"] != before["hash"]:
            return "opens" if after["hash"].startswith("#/lists/") and not after["writes"] else str(after)
        if after["windows"] == ["detail"] and not after["writes"]:
            ActionChains(browser.driver, duration=0).send_keys(Keys.ESCAPE).perform()
            wait_for(lambda: not browser.one("dialog"), "no window")
            return "shows details" if self.version(sample) == version else "changes something"
        if after["windows"] or after["edits"]:
            return str(after)
        if not after["writes"]:
            return "selects" if after["focus"] == item and self.version(sample) == version else str(after)
        (_, body), *others = after["writes"]
        operations = json.loads(body)["operations"]
        browser.wait_until_equal(self.client, sample)
        is_toggle = not others and operations == [{"op": "collapseItems", "items": [item]}]
        return "toggles" if is_toggle and not self.client.get(f"/v1/lists/{sample}/items/{item}").get("expanded") else str(after)

    def kinds(self, browser):
        """A row of each kind of a list, from its start to its end."""
        scroller, found = browser.one(".scroller"), {}
        for place in range(0, browser.driver.execute_script("return arguments[0].scrollHeight", scroller), 500):
            browser.driver.execute_script("arguments[0].scrollTop = arguments[1]", scroller, place)
            browser.driver.execute_async_script(LOOK)
            found = {**browser.driver.execute_script(KINDS), **found}
        return found

    def look_at_all(self, browser, press):
        self.assertEqual(set(EXPECTED), set(self.samples()))
        for sample, expected in EXPECTED.items():
            with self.subTest(sample):
                self.reset(sample)
                browser.open(sample)
                browser.driver.execute_script(RECORDER)
                found = {}
                for kind, item in self.kinds(browser).items():
                    found[kind] = self.effect(browser, sample, item, press)
                    if found[kind] == "toggles":
                        self.reset(sample)
                        browser.wait_until_equal(self.client, sample)
                    elif found[kind] == "opens":
                        browser.open(sample)
                        browser.driver.execute_script(RECORDER)
                self.assertEqual(expected, found)
        self.assert_quiet(browser)

    def test_a_click(self):
        def click(x, y):
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                self.browser.mouse(kind, x, y)
        self.look_at_all(self.browser, click)

    def test_a_tap(self):
        narrow = self.window(size="narrow")
        self.look_at_all(narrow, lambda x, y: tap(narrow, x, y))
