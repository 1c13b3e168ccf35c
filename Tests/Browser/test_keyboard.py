"""The tasks of an administrator by the keyboard alone: nothing here points, and no script moves the focus."""

import json
import pathlib
import tempfile
import urllib.parse

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import BrowserTestCase, wait_for

ENTER, DOWN, UP, TAB, ESCAPE, SPACE = Keys.ENTER, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.TAB, Keys.ESCAPE, Keys.SPACE


class KeyboardTests(AdminTests):
    def titles(self):
        """Of all rows, by the ids of their sections."""
        return {section["id"]: [item["content"].get("title") for item in section.get("items", [])]
                for section in self.client.get("/v1/lists/shopping")["sections"]}

    def wait_for_titles(self, **wanted):
        wait_for(lambda: self.titles() == wanted, self.titles)

    def item(self, item):
        return self.client.get(f"/v1/lists/shopping/items/{item}")

    def walk_to(self, item):
        """Tab leads to the rows, arrows to one of them."""
        self.tab_to(".row[tabindex='0']")
        self.keys(Keys.HOME)
        for _ in range(40):
            if self.browser.focused() == item:
                return
            self.keys(DOWN)
        raise AssertionError(f"No key leads to {item}.")

    def in_menu_of_item(self, item, label):
        self.walk_to(item)
        self.keys(Keys.F10, held=[Keys.SHIFT])
        self.choose(label)

    def new_list(self, kind):
        """Opens the window for a new list, and chooses what it begins with by arrows. The focus is on the choice then."""
        self.browser.open("shopping")
        self.tab_to(".new-list")
        self.keys(ENTER)
        self.wait_for("dialog[open]")
        self.tab_to("[name=new-kind]")
        for _ in range(3):
            if self.browser.driver.execute_script("return document.activeElement.value") == kind:
                return
            self.keys(DOWN)
        raise AssertionError(f"No arrow leads to {kind}.")

    def made(self, before):
        wait_for(lambda: len(set(self.client.lists()) - before) == 1, "one list more")
        made, = set(self.client.lists()) - before
        return made

    # MARK: Lists

    def test_a_new_list_from_a_sample(self):
        before = set(self.client.lists())
        self.new_list("sample")
        self.tab_to("#new-sample")
        self.keys("Moun")
        self.tab_to("dialog .main-button")
        self.keys(ENTER)
        made = self.made(before)
        self.assertEqual(self.client.visible("mountains"), self.client.visible(made))
        wait_for(lambda: self.address() == f"#/lists/{made}", self.address)
        self.client.write("DELETE", f"/v1/lists/{made}?purge=true")
        self.browser.console()

    def test_a_new_list_from_a_file(self):
        before = set(self.client.lists())
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "list.json"
            file.write_text(json.dumps({"title": "Of a file", "sections": [{"id": "s", "items": [{"id": "one"}]}]}))
            self.new_list("file")
            self.tab_to("#new-file")
            # The window in which one chooses a file is that of the system. This is the choice.
            self.browser.driver.switch_to.active_element.send_keys(str(file))
            self.tab_to("dialog .main-button")
            self.keys(ENTER)
            made = self.made(before)
        self.assertEqual("Of a file", self.client.get(f"/v1/lists/{made}")["title"])
        self.client.write("DELETE", f"/v1/lists/{made}?purge=true")
        self.browser.console()

    def test_replacing_a_list_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "other.json"
            file.write_text(json.dumps({"title": "Other", "sections": [{"id": "s", "items": [{"id": "one"}]}]}))
            self.browser.open("shopping")
            self.open_menu_of("shopping")
            self.choose("Replace")
            self.wait_for("dialog[open]")
            self.tab_to("#replace-file")
            self.browser.driver.switch_to.active_element.send_keys(str(file))
            self.tab_to("dialog .main-button")
            self.keys(ENTER)
            wait_for(lambda: self.client.get("/v1/lists/shopping")["title"] == "Other", "the other list")
        self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()

    def test_lists_by_the_keys_of_the_sidebar(self):
        self.create("second", {"title": "Second", "sections": []})
        self.addCleanup(self.client.ask, "DELETE", "/v1/lists/second?purge=true")
        self.browser.open("shopping")
        self.wait_for('.side-item[data-id="second"]')
        focused = lambda: self.browser.driver.execute_script("return document.activeElement.closest('.side-item')?.dataset.id")
        self.tab_to('.side-item > a')
        for _ in range(3):
            if focused() == "second":
                break
            self.keys(DOWN)
        self.assertEqual("second", focused())
        self.keys(Keys.F2)
        self.wait_for("dialog[open]")
        self.keys("Third", ENTER)
        wait_for(lambda: self.client.get("/v1/lists/second")["title"] == "Third", "another title")
        wait_for(lambda: focused() == "second", focused)
        self.keys(Keys.DELETE)
        wait_for(lambda: "second" not in self.client.lists(), "a list less")
        # The message with Undo goes after a while; the gallery goes on to offer it.
        self.tab_to(".side-home")
        self.keys(ENTER)
        self.wait_for_text(".deleted", "Restore Third")
        self.tab_to(".deleted button")
        self.keys(ENTER)
        wait_for(lambda: self.browser.text("h1") == "Third", lambda: self.browser.text("h1"))
        self.assertIn("second", self.client.lists())
        self.browser.console()

    # MARK: Items

    def test_one_item(self):
        """Added, edited in its place and as JSON, starred, moved by the menu, deleted, and brought back."""
        self.browser.open("shopping")
        self.keys("n")
        self.wait_for(".title-edit")
        self.keys("Buns", ENTER)
        self.wait_for_titles(fruit=["Apple", "Pear", "Plum"], bread=["Rye bread", "Buns"])
        self.browser.wait_until_equal(self.client, "shopping")
        # It has the focus, and Enter edits its title.
        wait_for(lambda: self.browser.focused() is not None, "a row with the focus")
        self.keys(ENTER)
        self.wait_for(".title-edit")
        self.keys("Rolls", ENTER)
        self.wait_for_titles(fruit=["Apple", "Pear", "Plum"], bread=["Rye bread", "Rolls"])
        self.keys("e")
        self.wait_for("dialog[open] textarea")
        self.keys("a", held=[Keys.CONTROL])
        self.keys('{"content":{"title":"Croissants","count":3}}')
        self.tab_to("dialog .main-button")
        self.keys(ENTER)
        self.wait_for_titles(fruit=["Apple", "Pear", "Plum"], bread=["Rye bread", "Croissants"])
        wait_for(lambda: not self.browser.one("dialog"), "no window")
        made = wait_for(self.browser.focused, "the row with the focus")
        self.keys("s")
        wait_for(lambda: self.item(made).get("starred"), "a star")
        self.in_menu_of_item(made, "Move")
        self.wait_for("dialog[open] #move-section")
        self.keys("F", TAB, UP)
        self.tab_to("dialog .main-button")
        self.keys(ENTER)
        self.wait_for_titles(fruit=["Croissants", "Apple", "Pear", "Plum"], bread=["Rye bread"])
        self.browser.wait_until_equal(self.client, "shopping")
        self.in_menu_of_item(made, "Delete")
        self.wait_for_titles(fruit=["Apple", "Pear", "Plum"], bread=["Rye bread"])
        self.tab_to_toast()
        self.keys(ENTER)
        self.wait_for_titles(fruit=["Croissants", "Apple", "Pear", "Plum"], bread=["Rye bread"])
        self.keys("z", held=[Keys.CONTROL])
        self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()

    def test_several_items(self):
        self.browser.open("shopping")
        self.walk_to("apple")
        self.keys(SPACE, held=[Keys.CONTROL])
        self.keys(DOWN, DOWN)
        self.keys("x")
        self.assertEqual("2 selected", self.browser.text(".selection-count"))
        # By the keys of rows, and by the bar.
        self.keys("s")
        wait_for(lambda: [self.item(one).get("starred", False) for one in ("apple", "pear", "plum")] == [True, False, True], "two stars")
        self.tab_to(".selection-bar .quiet-button:nth-of-type(2)")
        self.keys(ENTER)
        self.wait_for("dialog[open] #move-section")
        self.keys("B")
        self.tab_to("dialog .main-button")
        self.keys(ENTER)
        self.wait_for_titles(fruit=["Pear"], bread=["Rye bread", "Apple", "Plum"])
        self.browser.wait_until_equal(self.client, "shopping")
        self.walk_to("plum")
        self.keys(Keys.DELETE)
        self.wait_for_titles(fruit=["Pear"], bread=["Rye bread"])
        self.tab_to_toast()
        self.keys(ENTER)
        self.wait_for_titles(fruit=["Pear"], bread=["Rye bread", "Apple", "Plum"])
        self.assert_quiet()

    def test_lifting_into_another_section(self):
        """The same as a drag."""
        self.browser.open("shopping")
        self.walk_to("pear")
        self.keys(SPACE, DOWN, DOWN, SPACE)
        self.wait_for_titles(fruit=["Apple", "Plum"], bread=["Pear", "Rye bread"])
        self.browser.wait_until_equal(self.client, "shopping")
        self.assertEqual("pear", self.browser.focused())
        self.keys(SPACE, DOWN, ESCAPE)
        self.keys(UP, held=[Keys.ALT])
        self.wait_for_titles(fruit=["Apple", "Plum", "Pear"], bread=["Rye bread"])
        self.assert_quiet()

    def test_lifting_into_a_branch_and_out_of_it(self):
        self.create("shopping", {"title": "Outline", "sections": [{"id": "s", "items": [
            {"id": "a", "expanded": True, "content": {"title": "A"}},
            {"id": "b", "parent": "a", "content": {"title": "B"}}, {"id": "c", "content": {"title": "C"}}]}]})
        self.browser.open("shopping")
        self.walk_to("c")
        self.keys(SPACE, UP, SPACE)
        wait_for(lambda: self.item("c").get("parent") == "a", lambda: self.item("c"))
        self.browser.wait_until_equal(self.client, "shopping")
        self.keys(SPACE, UP, UP, SPACE)
        wait_for(lambda: "parent" not in self.item("c"), lambda: self.item("c"))
        self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()

    # MARK: Finding

    def test_an_address_leads_to_its_item(self):
        self.browser.open("shopping")
        self.browser.driver.execute_cdp_cmd("Browser.setPermission", {
            "permission": {"name": "clipboard-write"}, "setting": "denied", "origin": self.browser.base})
        self.in_menu_of_item("plum", "Copy")
        wait_for(lambda: self.browser.text("#toast"), "a message")
        text = self.browser.text("#toast")
        address = f"{self.browser.base}/#/lists/shopping?item=plum"
        self.assertIn(text, (address, "Copied."))
        self.browser.driver.get("about:blank")
        self.browser.driver.get(address)
        wait_for(lambda: self.browser.focused() == "plum", self.browser.focused)
        self.assert_quiet()

    def test_a_search_in_the_list(self):
        self.browser.open("shopping")
        self.keys("/", "rye")
        wait_for(lambda: self.browser.count() == 1, self.browser.count)
        self.assertEqual("#/lists/shopping?search=rye", self.address())
        self.tab_to(".row[tabindex='0']")
        self.assertEqual("rye", self.browser.focused())
        self.keys("/")
        self.keys(Keys.BACKSPACE * 3)
        wait_for(lambda: self.browser.count() == 4, self.browser.count)
        self.assert_quiet()

    def test_a_search_in_all_lists_from_the_gallery(self):
        self.browser.open_gallery()
        self.tab_to("main a.quiet-button")
        self.keys(ENTER)
        self.wait_for("main input")
        self.keys("Plum")
        wait_for(lambda: self.address() == "#/search?search=Plum", self.address)
        self.wait_for(".found[data-done] .hit")
        self.tab_to(".hit")
        self.keys(ENTER)
        wait_for(lambda: self.browser.focused() == "plum", self.browser.focused)
        self.assert_quiet()

    # MARK: History and inspection

    def test_history(self):
        first = self.client.get("/v1/lists/shopping")["version"]
        self.client.edit("shopping", {"op": "deleteItems", "items": ["rye"]})
        last = self.client.edit("shopping", {"op": "updateList", "title": "Market"})["version"]
        self.browser.open("shopping")
        self.keys("h")
        self.wait_for(".history-row")
        self.tab_to("#scrubber")
        self.keys(Keys.ARROW_LEFT)
        wait_for(lambda: self.browser.text("h1") == "Shopping", lambda: self.browser.text("h1"))
        self.keys(Keys.ARROW_RIGHT)
        wait_for(lambda: self.browser.text("h1") == "Market", lambda: self.browser.text("h1"))
        self.tab_to(".history .chips button")
        self.keys(ENTER)
        self.tab_to(".history-row:nth-child(2) .history-back")
        self.keys(ENTER)
        self.wait_for_titles(fruit=["Apple", "Pear", "Plum"], bread=["Rye bread"])
        self.browser.wait_until_equal(self.client, "shopping")
        self.tab_to(f'.history-row[data-version="{last}"] .history-open')
        self.keys(ENTER)
        wait_for(lambda: f"version={urllib.parse.quote(last)}" in self.address(), self.address)
        self.keys("h")
        wait_for(lambda: self.address() == "#/lists/shopping", self.address)
        self.assertNotEqual(first, self.client.get("/v1/lists/shopping")["version"])
        self.assert_quiet()

    def test_inspection(self):
        self.browser.open("shopping")
        self.walk_to("pear")
        self.keys("i")
        self.wait_for("#inspector:not([hidden])")
        self.keys("s")
        self.wait_for_text("#inspector pre.wrapped", '"items":["pear"]')
        wait_for(lambda: self.browser.pending() == "", self.browser.pending)
        self.tab_to("#inspector summary")
        self.keys(ENTER)
        self.wait_for("#inspector details[open]")
        self.keys("i")
        wait_for(lambda: not self.browser.one("#inspector:not([hidden])"), "no inspector")
        self.assert_quiet()

    def test_the_list_of_keys(self):
        self.browser.open("shopping")
        self.walk_to("plum")
        self.keys("?")
        self.wait_for("dialog[open] .shortcuts")
        self.keys(ESCAPE)
        wait_for(lambda: self.browser.focused() == "plum", self.browser.focused)
        self.assert_quiet()


class SignInByKeysTests(BrowserTestCase):
    options = ["--first-token"]
    keys, tab_to = AdminTests.keys, AdminTests.tab_to

    def test_signing_in_and_out(self):
        self.client.write("PUT", "/v1/access/anonymous", {"grants": []})
        self.browser.driver.get(f"{self.browser.base}/#/lists/reorderable")
        wait_for(lambda: self.browser.one(".sign-in input"), "a form")
        self.keys("lst_wrong", ENTER)
        wait_for(lambda: self.browser.text("#sign-in-note"), "a note")
        self.keys("a", held=[Keys.CONTROL])
        self.keys(self.server.token, ENTER)
        wait_for(lambda: self.browser.state() == "live", "a list")
        self.tab_to(".side-home")
        self.keys(ENTER)
        wait_for(lambda: self.browser.one(".bar .quiet-button"), "the gallery, and a way out")
        # The title has the focus, and what one has passed is before it.
        for _ in range(4):
            if self.browser.driver.execute_script("return document.activeElement.matches('.bar .quiet-button')"):
                break
            self.keys(TAB, held=[Keys.SHIFT])
        self.keys(ENTER)
        wait_for(lambda: self.browser.one(".sign-in input"), "the form again")
        self.browser.console()
