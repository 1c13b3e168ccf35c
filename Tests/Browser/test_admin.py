"""Lists as an administrator has them: beside the one that is shown, made, renamed, copied, deleted and brought back."""

import json
import pathlib
import tempfile

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for
from server import Wire

# Whether the page is hidden, as a browser would say it.
HIDE = """
Object.defineProperty(document, "hidden", {value: arguments[0], configurable: true});
document.dispatchEvent(new Event("visibilitychange"));
"""


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

    def test_a_page_that_nobody_sees_does_not_look(self):
        """The looks of a second page tell how long that is."""
        wires = [Wire(self.server), Wire(self.server)]
        for wire in wires:
            self.addCleanup(wire.close)
        hidden, other = [self.window(wire.port) for wire in wires]
        looks = lambda wire: len([one for one in wire.asked if one.startswith("GET /v1/lists?")])

        def wait_for_looks(count):
            end = looks(wires[1]) + count
            wait_for(lambda: looks(wires[1]) >= end, "more looks")

        for window in (hidden, other):
            window.open("shopping")
        wait_for(lambda: looks(wires[0]) > 0, "a first look")
        hidden.driver.execute_script(HIDE, True)
        # The first may have been asked for before. What the hidden one has asked for comes before the second.
        wait_for_looks(2)
        before = looks(wires[0])
        wait_for_looks(3)
        self.assertEqual(before, looks(wires[0]))
        self.create("later", {"title": "Later", "sections": []})
        hidden.driver.execute_script(HIDE, False)
        wait_for(lambda: hidden.one('.side-item[data-id="later"]'), "the new list")
        self.client.write("DELETE", "/v1/lists/later")

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
            for text, said in [("{", "list.json is not a file of JSON"), ("[]", "list.json holds no list"),
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

    def test_rename_duplicate_delete_and_bring_back_by_keys(self):
        self.browser.open("shopping")
        self.open_menu_of("shopping")
        self.choose("Rename")
        self.wait_for("dialog[open]")
        self.keys("Groceries", Keys.ENTER)
        wait_for(lambda: self.browser.text("h1") == "Groceries", "another title")
        wait_for(lambda: not self.browser.one("dialog[open]"), "no window")
        self.wait_for_text('.side-item[data-id="shopping"]', "Groceries")
        before = set(self.client.lists())
        self.open_menu_of("shopping")
        self.choose("Duplicate")
        wait_for(lambda: self.browser.text("h1") == "Copy of Groceries", "a copy")
        made, = set(self.client.lists()) - before
        self.assertEqual(self.client.visible("shopping"), self.client.visible(made))
        version = self.client.get(f"/v1/lists/{made}")["version"]
        self.open_menu_of(made)
        self.choose("Delete")
        wait_for(lambda: made not in self.client.lists(), "a list less")
        wait_for(lambda: self.address() == "#/", self.address)
        self.tab_to_toast()
        self.keys(Keys.ENTER)
        wait_for(lambda: self.browser.text("h1") == "Copy of Groceries", "the copy again")
        self.assertEqual(version.split("-")[0], self.client.get(f"/v1/lists/{made}")["version"].split("-")[0])
        self.browser.console()

    def test_export(self):
        with tempfile.TemporaryDirectory() as folder:
            self.browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            self.browser.open("shopping")
            self.open_menu_of("shopping")
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
            self.open_menu_of("shopping")
            self.choose("Replace")
            self.browser.one("#replace-file").send_keys(str(file))
            self.browser.one("dialog .main-button").click()
            wait_for(lambda: self.browser.text("h1") == "Other", "the other list")
            self.browser.wait_until_equal(self.client, "shopping")
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
        self.wait_for_text("main .note", "Nothing was found for")
        self.assert_quiet()
