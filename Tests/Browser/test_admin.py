"""Lists as an administrator has them: beside the one that is shown, made, renamed, copied, deleted and brought back."""

import json
import pathlib
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from test_accessibility import AccessibilityTests

SHOPPING = {"title": "Shopping", "layout": {"kind": "list", "appearance": "insetGrouped"}, "sections": [
    {"id": "fruit", "title": "Fruit", "items": [
        {"id": "apple", "content": {"title": "Apple"}}, {"id": "pear", "content": {"title": "Pear"}},
        {"id": "plum", "content": {"title": "Plum"}}]},
    {"id": "bread", "title": "Bread", "items": [{"id": "rye", "content": {"title": "Rye bread"}}]}]}


class AdminTests(BrowserTestCase):
    def setUp(self):
        self.client.ask("DELETE", "/v1/lists/shopping?purge=true")
        self.create("shopping", SHOPPING)

    def keys(self, *keys, held=()):
        actions = ActionChains(self.browser.driver, duration=0)
        for key in held:
            actions.key_down(key)
        for key in keys:
            actions.send_keys(key)
        for key in held:
            actions.key_up(key)
        actions.perform()

    def wait_for(self, selector, what=None):
        wait_for(lambda: self.browser.one(selector), what or selector)
        return self.browser.one(selector)

    def wait_for_text(self, selector, text):
        wait_for(lambda: text in self.browser.text(selector), lambda: f"{text!r} in {self.browser.text(selector)!r}")

    def tab_to(self, selector):
        """Goes to an element with Tab alone."""
        for _ in range(120):
            if self.browser.driver.execute_script("return document.activeElement.matches(arguments[0])", selector):
                return
            self.keys(Keys.TAB)
        raise AssertionError(f"No Tab leads to {selector}.")

    def choose(self, label):
        """An entry of the open menu, by keys."""
        self.wait_for(".menu")
        for _ in range(12):
            if self.browser.driver.execute_script("return document.activeElement.textContent").startswith(label):
                self.keys(Keys.ENTER)
                return
            self.keys(Keys.ARROW_DOWN)
        raise AssertionError(f"No {label} in the menu.")

    def side(self):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.side-item')].map((one) => one.dataset.id)")

    def address(self):
        return self.browser.driver.execute_script("return location.hash")


class SidebarTests(AdminTests):
    def test_lists_come_and_go_by_themselves(self):
        self.browser.open("shopping")
        wait_for(lambda: sorted(self.side()) == sorted(self.client.lists()), self.side)
        self.assertEqual("shopping", self.side()[0])
        self.assertEqual("Shopping", self.browser.text("[aria-current=page] .side-text"))
        self.create("later", {"title": "Later", "sections": []})
        self.wait_for('.side-item[data-id="later"]')
        self.client.edit("later", {"op": "updateList", "title": "Sooner"})
        self.wait_for_text('.side-item[data-id="later"]', "Sooner")
        self.client.write("DELETE", "/v1/lists/later")
        wait_for(lambda: "later" not in self.side(), self.side)
        self.assert_quiet()

    def test_the_gallery_is_live(self):
        self.browser.open_gallery()
        self.create("later", {"title": "Later", "sections": []})
        self.wait_for_text('.cards [data-id="later"]', "0 items")
        self.client.write("DELETE", "/v1/lists/later")
        wait_for(lambda: not self.browser.one('.cards [data-id="later"]'), "one card less")
        self.wait_for_text(".deleted", "Restore Later")
        self.assert_quiet()

    def test_a_phone_has_pages(self):
        narrow = self.window(size="narrow")
        narrow.open_gallery()
        self.assertFalse(narrow.one(".sidebar").is_displayed())
        narrow.one('.cards [data-id="shopping"] a').click()
        wait_for(lambda: narrow.text("h1") == "Shopping", "the list")
        narrow.one(".back").click()
        wait_for(lambda: narrow.one(".cards[data-count]"), "the gallery")
        self.assert_quiet(narrow)

    def test_addresses(self):
        self.browser.open("shopping")
        self.browser.driver.execute_script("location.hash = '#/lists/shopping?item=plum'")
        wait_for(lambda: self.browser.focused() == "plum", self.browser.focused)
        self.browser.driver.execute_script("location.hash = '#/lists/shopping?search=pe'")
        wait_for(lambda: self.browser.one('.row[data-id="pear"]') and not self.browser.row("plum"), "the rows that were found")
        self.assertEqual("pe", self.browser.one("main input[type=search]").get_attribute("value"))
        self.browser.one("main input[type=search]").send_keys("a")
        wait_for(lambda: self.address() == "#/lists/shopping?search=pea", self.address)
        self.browser.driver.refresh()
        wait_for(lambda: self.browser.one('.row[data-id="pear"]') and not self.browser.row("plum"), "the same after a reload")
        self.assert_quiet()


class WholeListTests(AdminTests):
    def test_a_new_list_by_keys(self):
        for title in ("Trips", "Books"):
            before = set(self.client.lists())
            self.browser.open_gallery()
            self.tab_to(".new-list")
            self.keys(Keys.ENTER)
            self.wait_for("dialog[open]")
            self.keys(title, Keys.ENTER)
            wait_for(lambda: self.browser.text("h1") == title, lambda: self.browser.text("h1"))
            made, = set(self.client.lists()) - before
            self.assertEqual(title, self.client.get(f"/v1/lists/{made}")["title"])
            self.wait_for_text(".empty", "Add the first item")
        self.assert_quiet()

    def test_a_copy_of_a_sample(self):
        before = set(self.client.lists())
        self.browser.open_gallery()
        self.browser.one("main .new-list").click()
        self.browser.one("[name=new-kind][value=sample]").click()
        self.browser.one("#new-sample option[value=mountains]").click()
        self.browser.one("dialog .main-button").click()
        wait_for(lambda: len(set(self.client.lists()) - before) == 1, "one list more")
        made, = set(self.client.lists()) - before
        self.assertEqual(self.client.visible("mountains"), self.client.visible(made))

    def test_from_a_file(self):
        before = set(self.client.lists())
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "list.json"
            for text, said in [("{", "list.json is no JSON"), ("[]", "list.json holds no list"),
                               ('{"sections":[{"id":""}]}', "id")]:
                with self.subTest(text):
                    file.write_text(text)
                    self.browser.open_gallery()
                    self.browser.one("main .new-list").click()
                    self.browser.one("[name=new-kind][value=file]").click()
                    self.browser.one("#new-file").send_keys(str(file))
                    self.browser.one("dialog .main-button").click()
                    self.wait_for_text(".dialog-note", said)
            file.write_text(json.dumps(self.client.get("/v1/lists/shopping")))
            self.browser.one("#new-file").send_keys(str(file))
            self.browser.one("dialog .main-button").click()
            wait_for(lambda: self.browser.text("h1") == "Shopping", "the list")
        made, = set(self.client.lists()) - before
        self.assertEqual(self.client.visible("shopping"), self.client.visible(made))
        self.browser.console()

    def menu_of(self, list_id):
        """Opens the menu of a list by keys."""
        self.wait_for(f'.side-item[data-id="{list_id}"]')
        self.tab_to(f'.side-item[data-id="{list_id}"] .side-more')
        self.keys(Keys.ENTER)
        self.wait_for(".menu")

    def test_rename_duplicate_delete_and_bring_back_by_keys(self):
        self.browser.open("shopping")
        self.menu_of("shopping")
        self.choose("Rename")
        self.wait_for("dialog[open]")
        self.keys("Groceries", Keys.ENTER)
        wait_for(lambda: self.browser.text("h1") == "Groceries", "another title")
        self.wait_for_text('.side-item[data-id="shopping"]', "Groceries")
        before = set(self.client.lists())
        self.menu_of("shopping")
        self.choose("Duplicate")
        wait_for(lambda: self.browser.text("h1") == "Copy of Groceries", "a copy")
        made, = set(self.client.lists()) - before
        self.assertEqual(self.client.visible("shopping"), self.client.visible(made))
        version = self.client.get(f"/v1/lists/{made}")["version"]
        self.menu_of(made)
        self.choose("Delete")
        wait_for(lambda: made not in self.client.lists(), "a list less")
        self.assertEqual("#/", self.address())
        self.tab_to(".toast-button")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.browser.text("h1") == "Copy of Groceries", "the copy again")
        self.assertEqual(version.split("-")[0], self.client.get(f"/v1/lists/{made}")["version"].split("-")[0])
        self.browser.console()

    def test_export(self):
        with tempfile.TemporaryDirectory() as folder:
            self.browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            self.browser.open("shopping")
            self.menu_of("shopping")
            self.choose("Export")
            file = pathlib.Path(folder) / "shopping.json"
            wait_for(file.exists, "a file")
            self.assertEqual(self.client.get("/v1/lists/shopping"), json.loads(file.read_text()))
            self.wait_for_text("#toast", "saved as shopping.json")
        self.assert_quiet()

    def test_replace_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "other.json"
            file.write_text(json.dumps({"title": "Other", "sections": [{"id": "s", "items": [{"id": "one"}]}]}))
            self.browser.open("shopping")
            self.menu_of("shopping")
            self.choose("Replace")
            self.browser.one("#replace-file").send_keys(str(file))
            self.browser.one("dialog .main-button").click()
            wait_for(lambda: self.browser.text("h1") == "Other", "the other list")
            self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()


class ItemTests(AdminTests):
    def on(self, item, *keys, held=()):
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row(item))
        self.keys(*keys, held=held)

    def title(self, item):
        return self.client.get(f"/v1/lists/shopping/items/{item}")["content"]["title"]

    def order(self):
        return [row[0] for _, rows in self.client.visible("shopping") for row in rows]

    def selected(self):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.row.is-selected')].map((one) => one.dataset.id)")

    def revision(self):
        return int(self.client.get("/v1/lists/shopping")["version"].split("-")[1])

    def test_adding_by_keys(self):
        self.browser.open("shopping")
        self.keys("n")
        self.wait_for(".title-edit")
        self.keys("Buns", Keys.ENTER)
        wait_for(lambda: any(item["content"].get("title") == "Buns" for section in self.client.get("/v1/lists/shopping")["sections"]
                             for item in section.get("items", [])), "an item more")
        self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()

    def test_the_first_item_of_an_empty_list(self):
        self.create("shopping", {"title": "Empty", "sections": []})
        self.browser.open("shopping")
        self.wait_for_text(".empty", "Add the first item")
        self.keys("n")
        self.wait_for(".title-edit")
        self.keys("One", Keys.ENTER)
        wait_for(lambda: len(self.order()) == 1, self.order)
        self.browser.wait_until_equal(self.client, "shopping")
        self.assertFalse(self.browser.one(".empty").is_displayed())

    def test_a_title_in_its_place(self):
        self.browser.open("shopping")
        box = self.browser.bring_to_rest(self.browser.one('.row[data-id="pear"] .primary'))
        ActionChains(self.browser.driver, duration=0).move_to_element(self.browser.one('.row[data-id="pear"] .primary')).double_click().perform()
        field = self.wait_for(".title-edit")
        self.assertLess(abs(self.browser.box(field)["left"] - box["left"]), 12)
        self.keys("Quince", Keys.ENTER)
        wait_for(lambda: self.title("pear") == "Quince", lambda: self.title("pear"))
        self.assertEqual("pear", self.browser.focused())
        self.on("plum", Keys.F2)
        self.wait_for(".title-edit")
        self.keys("Never", Keys.ESCAPE)
        wait_for(lambda: not self.browser.one(".title-edit"), "no field")
        self.on("apple", Keys.F2)
        self.wait_for(".title-edit")
        # What others do meanwhile does not take the field away.
        self.client.edit("shopping", {"op": "moveItem", "item": "apple", "section": "bread"})
        wait_for(lambda: self.browser.rows() == self.client.visible("shopping"), self.browser.rows)
        self.keys("Melon", Keys.ENTER)
        wait_for(lambda: self.title("apple") == "Melon", lambda: self.title("apple"))
        self.assertEqual("Plum", self.title("plum"))
        self.assert_quiet()

    def test_all_of_an_item_as_json(self):
        self.browser.open("shopping")
        self.on("pear", "e")
        self.wait_for("dialog[open] textarea")
        chosen = "const field = document.getElementById('json'); return field.value.slice(field.selectionStart, field.selectionEnd)"
        for text, said, place in [
            ('{"content":{"title":"Pear"', "missing in line 1", ""),
            ('{"content":{"title":"Pear"},"kind":"no kind"}', "/kind", '"no kind"'),
            ('{"content":[1]}', "/content", "[1]"),
            ('{"content":{},"colour":"red"}', "/colour", '"red"'),
        ]:
            with self.subTest(text):
                self.keys("a", held=[Keys.CONTROL])
                self.keys(text)
                self.browser.one("dialog .main-button").send_keys(Keys.ENTER)
                self.wait_for_text("dialog", said)
                wait_for(lambda: self.browser.driver.execute_script(chosen) == place, lambda: self.browser.driver.execute_script(chosen))
        self.assertEqual("Pear", self.title("pear"))
        self.keys("a", held=[Keys.CONTROL])
        self.keys('{"kind":"fruit","content":{"title":"Conference","kilos":2},"starred":true}')
        self.tab_to("dialog .main-button")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.title("pear") == "Conference", lambda: self.title("pear"))
        item = self.client.get("/v1/lists/shopping/items/pear")
        self.assertEqual(("fruit", 2, True), (item["kind"], item["content"]["kilos"], item["starred"]))
        self.browser.console()

    def test_the_menu_of_a_row(self):
        self.browser.open("shopping")
        ActionChains(self.browser.driver, duration=0).context_click(self.browser.row("pear")).perform()
        self.choose("Star")
        wait_for(lambda: self.client.get("/v1/lists/shopping/items/pear").get("starred"), "a star")
        self.on("plum", Keys.F10, held=[Keys.SHIFT])
        self.choose("Delete")
        wait_for(lambda: "plum" not in self.order(), self.order)
        self.tab_to(".toast-button")
        self.keys(Keys.ENTER)
        wait_for(lambda: "plum" in self.order(), self.order)
        self.assert_quiet()

    def test_several_by_the_mouse(self):
        self.browser.open("shopping")
        row = self.browser.row
        chain = ActionChains(self.browser.driver, duration=0)
        chain.click(row("apple")).key_down(Keys.SHIFT).click(row("plum")).key_up(Keys.SHIFT).perform()
        self.assertEqual(["apple", "pear", "plum"], self.selected())
        chain = ActionChains(self.browser.driver, duration=0)
        chain.key_down(Keys.CONTROL).click(row("pear")).click(row("rye")).key_up(Keys.CONTROL).perform()
        self.assertEqual(["apple", "plum", "rye"], self.selected())
        self.assertEqual("3 selected", self.browser.text(".selection-count"))
        before = self.revision()
        self.browser.one(".selection-bar .quiet-button").click()
        wait_for(lambda: [row[2] for _, rows in self.client.visible("shopping") for row in rows] == [True, False, True, True], "three stars")
        self.assertEqual(before + 1, self.revision())
        ActionChains(self.browser.driver, duration=0).click(row("pear")).perform()
        self.assertEqual([], self.selected())
        self.assert_quiet()

    def test_several_by_keys(self):
        self.browser.open("shopping")
        self.on("apple", Keys.SPACE, held=[Keys.CONTROL])
        self.keys(Keys.ARROW_DOWN, held=[Keys.SHIFT])
        self.assertEqual(["apple", "pear"], self.selected())
        before = self.revision()
        self.keys("m")
        self.wait_for("dialog[open] #move-section")
        self.keys("B")
        self.keys(Keys.ENTER)
        self.tab_to("dialog .main-button")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.order() == ["plum", "rye", "apple", "pear"], self.order)
        self.browser.wait_until_equal(self.client, "shopping")
        self.assertEqual(before + 1, self.revision())
        self.on("apple", Keys.DELETE)
        wait_for(lambda: self.order() == ["plum", "rye"], self.order)
        self.assertEqual(before + 2, self.revision())
        self.keys("z", held=[Keys.CONTROL])
        wait_for(lambda: self.order() == ["plum", "rye", "apple", "pear"], self.order)
        self.on("plum", "a", held=[Keys.CONTROL])
        self.assertEqual(4, len(self.selected()))
        self.keys(Keys.ESCAPE)
        self.assertEqual([], self.selected())
        self.assert_quiet()

    def test_several_by_a_long_press(self):
        narrow = self.window(size="narrow")
        narrow.open("shopping")
        box = narrow.bring_to_rest(narrow.one('.row[data-id="pear"] .primary'))
        place = box["x"] + 5, box["y"] + 5
        narrow.touch("touchStart", *place)
        wait_for(lambda: narrow.text(".selection-count") == "1 selected", "one selected while the finger rests")
        narrow.touch("touchEnd")
        box = narrow.box(narrow.one('.row[data-id="plum"] .primary'))
        narrow.touch("touchStart", box["x"] + 5, box["y"] + 5)
        narrow.touch("touchEnd")
        wait_for(lambda: narrow.text(".selection-count") == "2 selected", lambda: narrow.text(".selection-count"))
        self.assertEqual(["apple", "pear", "plum", "rye"], self.order())
        self.assert_quiet(narrow)


class HistoryTests(AdminTests):
    def setUp(self):
        super().setUp()
        self.versions = [self.client.get("/v1/lists/shopping")["version"]]
        for operation in [{"op": "starItems", "items": ["pear"]}, {"op": "moveItem", "item": "plum", "before": "apple"},
                          {"op": "deleteItems", "items": ["rye"]}, {"op": "updateList", "title": "Market"}]:
            self.versions.append(self.client.edit("shopping", operation)["version"])

    def words(self):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.history-words')].map((one) => one.textContent)")

    def open_history(self):
        self.browser.open("shopping")
        self.keys("h")
        self.wait_for(".history-row")

    def assert_shown(self, version):
        past = self.client.visible("shopping", at=version) if version else self.client.visible("shopping")
        wait_for(lambda: self.browser.rows() == past, lambda: f"{self.browser.rows()} not {past}")

    def test_transactions_in_words(self):
        self.open_history()
        self.assertEqual(["Renamed the list to “Market”", "Deleted “Rye bread”", "Moved “Plum”", "Starred “Pear”"],
                         [one.replace("“rye”", "“Rye bread”") for one in self.words()[:4]])
        self.assertIn("anonymous", self.browser.text(".history-meta"))
        self.client.edit("shopping", {"op": "starItems", "items": ["apple"]})
        wait_for(lambda: self.words()[0] == "Starred “Apple”", self.words)
        self.assert_quiet()

    def test_the_scrubber_by_keys(self):
        self.open_history()
        self.tab_to("#scrubber")
        for version in reversed(self.versions[1:-1]):
            self.keys(Keys.ARROW_LEFT)
            self.assert_shown(version)
            self.assertIn(f"version={version}", self.address())
        self.wait_for_text(".history-note", "1 item changed")
        self.assertEqual("changed", self.browser.row("pear").get_attribute("data-past"))
        # What others do meanwhile does not show in the past.
        self.client.edit("shopping", {"op": "starItems", "items": ["apple"]})
        wait_for(lambda: self.words()[0] == "Starred “Apple”", self.words)
        self.assert_shown(self.versions[1])
        self.browser.driver.refresh()
        self.wait_for(".history-row")
        self.assert_shown(self.versions[1])
        self.tab_to(".history .chips button")
        self.keys(Keys.ENTER)
        self.assert_shown("")
        self.assertEqual("#/lists/shopping", self.address())
        self.assert_quiet()

    def test_taking_any_of_them_back(self):
        self.open_history()
        self.tab_to(f'.history-row[data-version="{self.versions[3]}"] .history-back')
        self.keys(Keys.ENTER)
        wait_for(lambda: "rye" in [row[0] for _, rows in self.client.visible("shopping") for row in rows], "the item again")
        self.assertEqual("Market", self.client.get("/v1/lists/shopping")["title"])
        self.wait_for(f'.history-row.is-undone[data-version="{self.versions[3]}"]')
        self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()

    def test_making_a_version_the_list_again(self):
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/lists/shopping?version={self.versions[0]}")
        self.assert_shown(self.versions[0])
        self.tab_to(".history .chips button:last-child")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.client.get("/v1/lists/shopping")["title"] == "Shopping", "the first state")
        self.browser.wait_until_equal(self.client, "shopping")
        wait_for(lambda: self.browser.text("h1") == "Shopping", "the first title")
        self.assert_quiet()


class InspectTests(AdminTests):
    def test_what_goes_over_the_wire(self):
        self.browser.open("shopping")
        self.keys("i")
        self.wait_for_text("#inspector", "Live")
        for item in ("pear", "plum"):
            self.browser.driver.execute_script("arguments[0].focus()", self.browser.row(item))
            self.keys("s")
            self.browser.wait_until_equal(self.client, "shopping")
        self.wait_for_text("#inspector", "status 200")
        self.assertIn("1 item changed", self.browser.text("#inspector .log[aria-label='Earlier change sets']"))
        self.assertIn("POST", self.browser.text("#inspector .log[aria-label='Earlier requests']"))
        self.assertIn('"op":"starItems","items":["plum"]', self.browser.text("#inspector pre.wrapped"))
        self.assertEqual("/docs", self.browser.one("#inspector a").get_attribute("href").removeprefix(self.browser.base))
        self.assert_quiet()


class FinderTests(AdminTests):
    def test_a_search_in_all_lists_by_keys(self):
        self.browser.open("shopping")
        self.tab_to(".sidebar input")
        self.keys("rye", Keys.ENTER)
        self.wait_for(".found[data-done]")
        self.wait_for_text(".found", "Rye bread")
        self.tab_to(".hit")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.browser.focused() == "rye", self.browser.focused)
        self.browser.driver.execute_script("location.hash = '#/search?search=nothing-says-this'")
        self.wait_for(".found[data-done]")
        self.wait_for_text("main .note", "Nothing says")
        self.assert_quiet()


class AdminAccessibilityTests(AdminTests):
    assert_no_violation = AccessibilityTests.assert_no_violation

    def test_windows_and_menus(self):
        for scheme in ("light", "dark"):
            self.browser.show_as(scheme, reduced_motion=True)
            for name, act in [
                ("new", lambda: self.browser.one(".sidebar .new-list").click()),
                ("keys", lambda: self.keys("?")),
                ("menu", lambda: self.browser.one(".side-more").click()),
                ("json", lambda: (self.browser.driver.execute_script("arguments[0].focus()", self.browser.row("pear")), self.keys("e"))),
                ("several", lambda: (self.browser.driver.execute_script("arguments[0].focus()", self.browser.row("pear")), self.keys("x"))),
                ("history", lambda: self.keys("h")),
                ("search", lambda: self.browser.driver.execute_script("location.hash = '#/search?search=pear'")),
            ]:
                with self.subTest(name, scheme=scheme):
                    self.browser.open("shopping")
                    self.wait_for(".side-item")
                    act()
                    self.wait_for("dialog[open], .menu, .found[data-done], .selection-count:not(:empty), .history-rows > *, .history-note:not(:empty)")
                    self.assert_no_violation(["color-contrast"] if scheme == "dark" else None)


del AccessibilityTests
