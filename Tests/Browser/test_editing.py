"""The edit mode of a list, and what its accessories do: by a mouse, a finger and keys."""

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for
from hand import stroke, tap
from views import EDITED, SHOPPING


class EditingTests(AdminTests):
    def setUp(self):
        self.client.ask("DELETE", "/v1/lists/packing?purge=true")
        self.create("packing", EDITED)

    def order(self, section=None):
        return [row[0] for name, rows in self.client.visible("packing") for row in rows if section in (None, name)]

    def shown(self, browser):
        """The accessories that are seen, by their actions or classes."""
        return browser.driver.execute_script("""
            return [...document.querySelectorAll(".leads > *, .accessories > *")].filter((one) => one.checkVisibility())
              .map((one) => [one.closest(".row").dataset.id, one.dataset.action ?? "handle"])""")

    def click(self, selector):
        box = self.browser.bring_to_rest(wait_for(lambda: self.browser.seen(selector), selector))
        self.click_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def click_at(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.mouse(kind, x, y)

    def tap(self, browser, selector):
        box = browser.bring_to_rest(wait_for(lambda: browser.seen(selector), selector))
        tap(browser, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def settle(self, browser):
        browser.wait_until_equal(self.client, "packing")

    def test_the_mode_begins_and_ends(self):
        self.browser.open("packing")
        self.assertEqual("Edit", self.browser.text(".edit-list"))
        self.assertEqual([], self.shown(self.browser))
        self.click(".edit-list")
        self.assertEqual("Done", self.browser.text(".edit-list"))
        actions = {"delete": "ask", "insert": "insert", "multiselect": "select"}
        self.assertEqual([[f"{kind}-{number}", one] for kind, action in actions.items() for number in (1, 2, 3)
                          for one in (action, "handle")], self.shown(self.browser))
        # Those of the list stand before the text, the handle behind it.
        edges = self.browser.driver.execute_script("""
            const row = document.querySelector(".row");
            return [".ask", ".primary", ".handle"].map((one) => row.querySelector(one).getBoundingClientRect().left)""")
        self.assertEqual(sorted(edges), edges)
        self.click(".edit-list")
        self.assertEqual([], self.shown(self.browser))
        # Another list begins without it, and one without such accessories has no button.
        self.click(".edit-list")
        self.create("shopping", SHOPPING)
        self.browser.open("shopping")
        self.assertFalse(self.browser.one(".edit-list").is_displayed())
        self.assertFalse(self.browser.driver.execute_script("return document.documentElement.classList.contains('is-editing')"))
        self.assert_quiet()

    def test_deleting_takes_two_taps(self):
        narrow = self.window(size="narrow")
        narrow.open("packing")
        self.tap(narrow, ".edit-list")
        before = self.client.get("/v1/lists/packing")["version"]
        self.tap(narrow, '.row[data-id="delete-2"] .ask')
        wait_for(lambda: narrow.one('.row[data-id="delete-2"] .confirm-delete'), "a question")
        # A tap elsewhere takes the question back.
        self.tap(narrow, '.row[data-id="insert-2"] .primary')
        wait_for(lambda: not narrow.one(".confirm-delete"), "no question")
        self.assertEqual(before, self.client.get("/v1/lists/packing")["version"])
        self.tap(narrow, '.row[data-id="delete-2"] .ask')
        self.tap(narrow, ".confirm-delete")
        wait_for(lambda: self.order("delete") == ["delete-1", "delete-3"], self.order)
        self.settle(narrow)
        self.tap(narrow, ".toast-button")
        wait_for(lambda: self.order("delete") == ["delete-1", "delete-2", "delete-3"], self.order)
        # By the mouse.
        self.browser.open("packing")
        self.click(".edit-list")
        self.click('.row[data-id="delete-1"] .ask')
        self.click(".confirm-delete")
        wait_for(lambda: self.order("delete") == ["delete-2", "delete-3"], self.order)
        self.settle(self.browser)
        self.assert_quiet()
        self.assert_quiet(narrow)

    def test_inserting(self):
        self.browser.open("packing")
        self.click(".edit-list")
        self.click('.row[data-id="insert-2"] .insert')
        self.wait_for(".title-edit")
        self.keys("Socks", Keys.ENTER)
        wait_for(lambda: len(self.order("insert")) == 4, self.order)
        self.settle(self.browser)
        made = self.order("insert")[2]
        wait_for(lambda: self.client.get(f"/v1/lists/packing/items/{made}")["content"] == {"title": "Socks"}, "its title")
        self.assertEqual("insert", self.client.get(f"/v1/lists/packing/items/{made}")["kind"])
        self.assertEqual(["insert-1", "insert-2", made, "insert-3"], self.order("insert"))
        self.assert_quiet()

    def test_selecting_by_circles(self):
        self.browser.open("packing")
        self.click(".edit-list")
        state = lambda item: self.browser.one(f'.row[data-id="{item}"] .select').get_attribute("aria-checked")
        self.click('.row[data-id="multiselect-1"] .select')
        self.click('.row[data-id="multiselect-3"] .primary')
        self.assertEqual("2 selected", self.browser.text(".selection-count"))
        self.assertEqual(["true", "false", "true"], [state(f"multiselect-{number}") for number in (1, 2, 3)])
        # A row without a circle is not selected by a click, and takes nothing away.
        self.click('.row[data-id="insert-1"] .primary')
        self.assertEqual("2 selected", self.browser.text(".selection-count"))
        self.click('.row[data-id="multiselect-3"] .select')
        self.assertEqual("false", state("multiselect-3"))
        narrow = self.window(size="narrow")
        narrow.open("packing")
        self.tap(narrow, ".edit-list")
        wait_for(lambda: narrow.one(":root.is-editing"), "the edit mode")
        for item in ("multiselect-1", "multiselect-2"):
            self.tap(narrow, f'.row[data-id="{item}"] .primary')
        wait_for(lambda: narrow.text(".selection-count") == "2 selected", lambda: narrow.text(".selection-count"))
        # Buttons of other rows go on to act.
        self.tap(narrow, '.row[data-id="delete-1"] .ask')
        wait_for(lambda: narrow.one(".confirm-delete"), "a question")
        self.tap(narrow, ".edit-list")
        wait_for(lambda: not narrow.one(".selection-bar:not([hidden])"), "nothing selected")
        self.assert_quiet()
        self.assert_quiet(narrow)

    def test_reordering_by_a_handle(self):
        narrow = self.window(size="narrow")
        narrow.open("packing")
        self.tap(narrow, ".edit-list")
        box = narrow.bring_to_rest(wait_for(lambda: narrow.seen('.row[data-id="delete-1"] .handle'), "a handle"))
        stroke(narrow, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, down=100)
        wait_for(lambda: self.order("delete")[0] == "delete-2", self.order)
        self.settle(narrow)
        self.assert_quiet(narrow)

    def test_all_by_keys(self):
        self.browser.open("packing")
        self.tab_to(".edit-list")
        self.keys(Keys.ENTER)
        self.tab_to('.section[data-id="delete"] .row[tabindex="0"]')
        self.keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.wait_for(".confirm-delete")
        self.keys(Keys.ESCAPE)
        self.assertIsNone(self.browser.one(".confirm-delete"))
        self.assertEqual("delete-2", self.browser.focused())
        self.keys(Keys.ENTER)
        self.wait_for(".confirm-delete")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.order("delete") == ["delete-1", "delete-3"], self.order)
        self.settle(self.browser)
        wait_for(lambda: self.browser.focused() == "delete-3", self.browser.focused)
        self.keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.wait_for(".title-edit")
        self.keys("Hat", Keys.ENTER)
        wait_for(lambda: len(self.order("insert")) == 4, self.order)
        self.settle(self.browser)
        self.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        self.assertEqual("1 selected", self.browser.text(".selection-count"))
        self.assertEqual("multiselect-1", self.browser.focused())
        self.assert_quiet()

    def test_marks(self):
        mark = {"accessory": "checkmark", "field": "done"}
        self.create("packing", {"title": "To do", "layout": {"kind": "list", "appearance": "insetGrouped", "cells": {
            "task": {"configuration": "cell", "text": "title", "accessories": [mark]}}}, "sections": [{"id": "s", "items": [
                {"id": "a", "kind": "task", "content": {"title": "Pack", "done": True}},
                {"id": "b", "kind": "task", "content": {"title": "Go"}}]}]})
        self.browser.open("packing")
        narrow = self.window(size="narrow")
        narrow.open("packing")
        state = lambda: [self.client.get(f"/v1/lists/packing/items/{one}")["content"].get("done") for one in "ab"]
        drawn = lambda browser: browser.driver.execute_script(
            "return [...document.querySelectorAll('.check')].map((one) => [one.getAttribute('aria-checked'), getComputedStyle(one.firstChild).opacity > 0.5])")
        self.assertEqual([["true", True], ["false", False]], drawn(self.browser))
        self.click('.row[data-id="b"] .primary')
        wait_for(lambda: state() == [True, True], state)
        self.tap(narrow, '.row[data-id="a"] .check')
        wait_for(lambda: state() == [False, True], state)
        wait_for(lambda: [one[0] for one in drawn(self.browser)] == ["false", "true"], lambda: drawn(self.browser))
        self.tab_to('.row[tabindex="0"]')
        self.keys(Keys.HOME, Keys.ENTER)
        wait_for(lambda: state() == [True, True], state)
        wait_for(lambda: drawn(narrow) == [["true", True], ["true", True]], lambda: drawn(narrow))
        self.assert_quiet()
        self.assert_quiet(narrow)

    def test_details(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.client.write("POST", "/v1/samples/wifi")
        self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})
        before = self.client.get("/v1/lists/emoji-explorer")["version"]
        self.browser.open("emoji-explorer")
        self.click('.row[data-id="list.fox"] .primary')
        self.wait_for("dialog[open] .detail")
        self.assertEqual("🦊", self.browser.text(".detail-picture"))
        self.assertEqual("Fox", self.browser.text("dialog h2"))
        self.assertIn("Nature", self.browser.text(".members"))
        # It goes on to tell what is so.
        self.client.edit("emoji-explorer", {"op": "updateItem", "item": "list.fox", "content": {
            "text": "🦊", "title": "Fox", "category": "Forest"}})
        self.wait_for_text(".members", "Forest")
        self.keys(Keys.ESCAPE)
        wait_for(lambda: not self.browser.one("dialog"), "no window")
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.assertNotEqual(before, self.client.get("/v1/lists/emoji-explorer")["version"])
        # A button for details, by a finger and by keys.
        narrow = self.window(size="narrow")
        narrow.open("wifi")
        self.tap(narrow, '.row[data-id="networks.courage"] .detail')
        wait_for(lambda: narrow.text("dialog h2") == "Courage", lambda: narrow.text("dialog"))
        self.browser.open("wifi")
        self.tab_to('.section[data-id="networks"] .row[tabindex="0"]')
        self.keys(Keys.ENTER)
        self.wait_for_text("dialog[open] h2", "404NotFound")
        self.tab_to("dialog .detail ~ p button")
        self.keys(Keys.ENTER)
        self.wait_for("dialog[open] textarea")
        self.assert_quiet()
        self.assert_quiet(narrow)

    def test_a_tap_on_the_row_of_a_branch(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.browser.open("emoji-explorer")
        is_open = lambda: self.client.get("/v1/lists/emoji-explorer/items/outline.food").get("expanded", False)
        self.click('.row[data-id="outline.food"] .primary')
        wait_for(is_open, "an open branch")
        self.browser.wait_until_equal(self.client, "emoji-explorer")
        narrow = self.window(size="narrow")
        narrow.open("emoji-explorer")
        self.tap(narrow, '.row[data-id="outline.food"] .primary')
        wait_for(lambda: not is_open(), "a closed branch")
        # With ctrl it is selected instead.
        self.assert_quiet()

    def test_accessories_of_other_clients(self):
        accessories = [{"accessory": "custom", "name": "flag"}, {"accessory": "custom", "name": "gauge"}, "multiselect"]
        self.create("packing", {"title": "Custom", "layout": {"kind": "list", "cells": {
            "k": {"configuration": "cell", "text": "title", "accessories": accessories}}},
            "sections": [{"id": "s", "items": [{"id": "a", "kind": "k", "content": {"title": "A"}}]}]})
        self.browser.open("packing")
        self.assertEqual("flaggauge", self.browser.text(".accessories"))
        self.assertEqual(1, self.browser.driver.execute_script("return document.querySelectorAll('.accessories .symbol').length"))
        # Circles that are always shown select without the mode.
        self.assertFalse(self.browser.one(".edit-list").is_displayed())
        self.click(".select")
        self.assertEqual("1 selected", self.browser.text(".selection-count"))
        self.click(".select")
        self.assertFalse(self.browser.one(".selection-bar").is_displayed())
        self.assert_quiet()
