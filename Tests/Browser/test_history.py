"""The history of a list, and what goes over the wire."""

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for


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
                         self.words()[:4])
        self.assertIn("anonymous", self.browser.text(".history-meta"))
        self.client.edit("shopping", {"op": "starItems", "items": ["apple"]})
        wait_for(lambda: self.words()[0] == "Starred “Apple”", self.words)
        self.assert_quiet()

    def test_the_scrubber_by_keys(self):
        self.open_history()
        self.tab_to("#scrubber")
        for version in reversed(self.versions[1:-1]):
            self.keys(Keys.ARROW_LEFT)
            # Some versions differ in their titles only.
            wait_for(lambda: f"version={version}" in self.address(), self.address)
            self.assert_shown(version)
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
