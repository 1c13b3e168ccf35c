"""What is asked for again after a lost answer is done once, and the page says so for as long as it does not know."""

import json
import pathlib
import random
import string
import tempfile

from admin import SHOPPING, AdminTests
from browser import wait_for
from lossy import open_lossy

ALL = 8
"""So many answers are lost that the page stops asking by itself."""


class OnceTests(AdminTests):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wire, cls.browser = open_lossy(cls)

    def setUp(self):
        super().setUp()
        self.wire.answers_to_lose = 0
        self.before = set(self.client.lists())

    def made(self):
        return set(self.client.lists()) - self.before

    def news(self):
        return self.browser.driver.execute_script("return window.news_")

    def open_new_list(self, title="Trips"):
        self.browser.open_gallery()
        self.wire.keys.clear()
        self.browser.one("main .new-list").click()
        self.browser.one("#new-title").send_keys(title)

    def submit(self):
        self.browser.one("dialog .main-button").click()

    def assert_asked_again_once(self, title):
        """Of a window whose answers are all lost, and which is tried again then."""
        self.wire.answers_to_lose = ALL
        self.submit()
        self.wait_for_text(".dialog-note", "No answer came, so it is not known whether this was done.")
        self.assertEqual("Try again", self.browser.text("dialog .main-button"))
        # Another title would be another list.
        self.assertTrue(self.browser.driver.execute_script("return document.querySelector('dialog .dialog-content').inert"))
        self.submit()
        wait_for(lambda: self.browser.text("h1") == title, lambda: self.browser.text("h1"))
        self.assertEqual(1, len(self.made()))
        self.assertEqual((ALL + 1, 1), (len(self.wire.keys), len(set(self.wire.keys))))

    def test_a_window_in_doubt_can_be_used_by_all(self):
        self.open_new_list()
        self.wire.answers_to_lose = ALL
        self.submit()
        self.wait_for_text(".dialog-note", "No answer came")
        found = self.browser.axe()["violations"]
        self.assertEqual([], [(one["id"], one["help"]) for one in found])

    def test_a_new_list(self):
        self.open_new_list()
        self.assert_asked_again_once("Trips")

    def test_a_copy_of_a_sample(self):
        self.open_new_list("Hills")
        self.browser.one("[name=new-kind][value=sample]").click()
        self.browser.one("#new-sample option[value=mountains]").click()
        self.assert_asked_again_once("Hills")

    def test_a_list_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "list.json"
            file.write_text(json.dumps(SHOPPING))
            self.open_new_list("From a file")
            self.browser.one("[name=new-kind][value=file]").click()
            self.browser.one("#new-file").send_keys(str(file))
            self.assert_asked_again_once("From a file")

    def test_a_list_that_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "list.json"
            file.write_text(json.dumps({"title": "Other", "sections": []}))
            self.browser.open("shopping")
            self.open_menu_of("shopping")
            self.choose("Replace")
            self.browser.one("#replace-file").send_keys(str(file))
            version = self.client.get("/v1/lists/shopping")["version"]
            self.wire.keys.clear()
            self.wire.answers_to_lose = 1
            self.submit()
            wait_for(lambda: self.browser.text("h1") == "Other", "the other list")
        epoch, revision = version.split("-")
        self.assertEqual(f"{epoch}-{int(revision) + 1}", self.client.get("/v1/lists/shopping")["version"])
        # The stream may have told of it before the second try.
        wait_for(lambda: len(self.wire.keys) == 2, lambda: self.wire.keys)
        self.assertEqual(1, len(set(self.wire.keys)))
        wait_for(lambda: self.browser.one("dialog[open]") is None, "the end of the second try")
        self.assertEqual(f"{epoch}-{int(revision) + 1}", self.client.get("/v1/lists/shopping")["version"])

    def test_a_new_title(self):
        self.browser.open("shopping")
        self.open_menu_of("shopping")
        self.choose("Rename")
        self.browser.one("#dialog-text").send_keys("Market")
        self.wire.keys.clear()
        self.wire.answers_to_lose = ALL
        self.submit()
        self.wait_for_text(".dialog-note", "No answer came")
        self.submit()
        wait_for(lambda: not self.browser.one("dialog[open]"), "the end of the second try")
        self.assertEqual("Market", self.browser.text("h1"))
        self.assertEqual((ALL + 1, 1), (len(self.wire.keys), len(set(self.wire.keys))))

    def test_a_copy_that_is_asked_for_twice(self):
        """Both by the menu: the second time says what became of the first."""
        self.browser.open("shopping")
        self.wire.keys.clear()
        self.wire.answers_to_lose = ALL
        self.open_menu_of("shopping")
        self.choose("Duplicate")
        self.wait_for_text("#toast", "No answer came, so it is not known whether Shopping was duplicated.")
        self.client.edit("shopping", {"op": "starItems", "items": ["pear"]})
        self.open_menu_of("shopping")
        self.choose("Duplicate")
        wait_for(lambda: self.browser.text("h1") == "Copy of Shopping", lambda: self.browser.text("h1"))
        self.assertEqual(1, len(self.made()))
        self.assertEqual(1, len(set(self.wire.keys)))
        # A later copy is another one.
        self.open_menu_of("shopping")
        self.choose("Duplicate")
        wait_for(lambda: len(self.made()) == 2, self.made)

    def test_a_window_that_is_closed_in_doubt(self):
        self.open_new_list()
        self.wire.answers_to_lose = ALL
        self.submit()
        self.wait_for_text(".dialog-note", "No answer came")
        self.browser.one("dialog .quiet-button").click()
        self.wait_for_text("#toast", "New list: no answer came, so it is not known whether it was done.")

    def test_what_is_known_is_not_in_doubt(self):
        """The message goes as soon as the answer is there."""
        self.client.write("DELETE", "/v1/lists/mountains?purge=true")
        self.addCleanup(self.client.ask, "POST", "/v1/samples/mountains")
        self.browser.open_gallery()
        wait_for(lambda: "Mountains" in self.browser.text(".missing"), "a sample that can be added")
        self.wire.answers_to_lose = 2
        self.browser.one(".missing button").click()
        wait_for(lambda: "mountains" in self.client.lists(), "the sample")
        wait_for(lambda: "It is not known whether this was saved. Trying again." in self.news(), self.news)
        wait_for(lambda: self.browser.one("#toast[hidden]"), lambda: self.browser.text("#toast"))

    def test_an_upload_ends_with_its_window(self):
        items = [{"id": f"i{number}", "content": {"title": "x" * 200}} for number in range(8_000)]
        slow = lambda rate: self.browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": rate})
        self.browser.driver.execute_cdp_cmd("Network.enable", {})
        self.addCleanup(slow, -1)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "list.json"
            file.write_text(json.dumps({"title": "Long", "sections": [{"id": "s", "items": items}]}))
            self.open_new_list("Long")
            self.browser.one("[name=new-kind][value=file]").click()
            self.browser.one("#new-file").send_keys(str(file))
            slow(20_000)
            self.submit()
            wait_for(lambda: self.browser.one("dialog progress:not([hidden])"), "a bar")
            self.wait_for_text("dialog .dialog-line", "% sent")
            self.browser.one("dialog .quiet-button").click()
            self.wait_for_text("#toast", "no answer came")
        slow(-1)
        self.browser.open_gallery()
        self.assertEqual(set(), self.made())


class ExportTests(AdminTests):
    def test_an_export_can_be_stopped(self):
        # Text that cannot be compressed, so that the answer takes half a minute.
        letters = random.Random(1)
        text = lambda: "".join(letters.choices(string.ascii_letters + string.digits, k=200))
        items = [{"id": f"i{number}", "content": {"title": text()}} for number in range(4_000)]
        self.create("long", {"title": "Long", "sections": [{"id": "s", "items": items}]})
        self.addCleanup(self.client.ask, "DELETE", "/v1/lists/long?purge=true")
        with tempfile.TemporaryDirectory() as folder:
            driver = self.browser.driver
            driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            self.browser.open("shopping")
            self.open_menu_of("long")
            driver.execute_cdp_cmd("Network.enable", {})
            slow = lambda rate: driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
                "offline": False, "latency": 0, "downloadThroughput": rate, "uploadThroughput": -1})
            self.addCleanup(slow, -1)
            slow(20_000)
            self.choose("Export")
            self.wait_for_text("dialog .dialog-line", "received")
            self.browser.one("dialog .quiet-button").click()
            self.wait_for_text("#toast", "The export of Long was stopped. Nothing was saved.")
            self.assertEqual([], list(pathlib.Path(folder).iterdir()))
