"""Ways on where nothing is to be seen, and the truth about what was refused."""

import json

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for

# The first question for an old version waits for ever, if that is wanted. Of each question: its address, its time, and
# whether it was given up.
FIRST_WAITS = """
const real = window.fetch, clock = Date.now;
// The page reads the clock just before it asks, and counts by that.
Date.now = () => (window.now_ = clock.call(Date));
window.asked_ = [];
window.fetch = (path, options = {}) => {
  if (!/[?&]at=/.test(path)) return real(path, options);
  const one = {path, time: window.now_, isGivenUp: false};
  window.asked_.push(one);
  options.signal?.addEventListener("abort", () => { one.isGivenUp = true; });
  if (window.asked_.length > 1 || !window.waits_) return real(path, options);
  return new Promise((_, reject) => options.signal?.addEventListener("abort", () => reject(options.signal.reason)));
};
"""


class MissingTests(AdminTests):
    def go(self, place):
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/lists/{place}")

    def assert_no_violation(self):
        for scheme in ("light", "dark"):
            self.browser.show_as(scheme, reduced_motion=True)
            found = self.browser.axe()["violations"]
            self.assertEqual([], [(one["id"], one["help"]) for one in found], scheme)

    def test_an_id_that_no_list_can_have(self):
        for place in ("No%20Such%20List", "%E0%A4%A", "-", "x" * 200):
            with self.subTest(place):
                self.go(place)
                self.wait_for_text("[role=alert].failure", "There is no such list")
                self.assertEqual("No such list", self.browser.text("h1"))
                if place == "-":
                    self.assert_no_violation()
                self.browser.one(".ways a").click()
                wait_for(lambda: self.browser.one(".cards[data-count]"), "the gallery")
                self.assert_quiet()

    def test_an_id_that_no_list_has(self):
        self.go("nothing-here")
        self.wait_for_text(".failure", "There is no such list.")
        self.assertEqual("nothing-here", self.browser.text("h1"))
        self.assertFalse(self.browser.one("main .controls").is_displayed())
        self.browser.one(".ways a").click()
        wait_for(lambda: self.browser.one(".cards[data-count]"), "the gallery")
        self.browser.console()

    def test_a_list_that_was_deleted(self):
        self.client.write("DELETE", "/v1/lists/shopping")
        self.go("shopping")
        wait_for(lambda: self.browser.text(".ways .main-button") == "Restore Shopping", lambda: self.browser.text("main"))
        self.assertIn("It was deleted on", self.browser.text(".ways"))
        self.assert_no_violation()
        self.browser.one(".ways .main-button").click()
        wait_for(lambda: self.browser.text("h1") == "Shopping" and self.browser.state() == "live", "the list")
        self.assertIn("shopping", self.client.lists())
        self.browser.console()

    def test_a_list_that_is_deleted_while_it_is_shown(self):
        self.browser.open("shopping")
        self.client.write("DELETE", "/v1/lists/shopping")
        self.wait_for_text(".failure", "This list was deleted.")
        wait_for(lambda: self.browser.text(".ways .main-button") == "Restore Shopping", lambda: self.browser.text("main"))
        self.browser.one(".ways .main-button").click()
        wait_for(lambda: self.browser.text("h1") == "Shopping" and self.browser.state() == "live", "the list")
        self.browser.console()


class SearchTests(AdminTests):
    def test_a_search_that_is_refused_says_why(self):
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/search?search={'a' * 300}")
        self.wait_for(".found[data-done]")
        _, problem = self.client.ask("GET", f"/v1/lists/shopping?view=items&limit=20&filter={'a' * 300}")
        self.assertEqual(f"The lists could not be searched: {problem['detail']}", self.browser.text("main .note"))
        self.browser.console()


class ScrubberTests(AdminTests):
    def setUp(self):
        super().setUp()
        self.versions = [self.client.edit("shopping", {"op": "updateList", "title": f"Title {number}"})["version"]
                         for number in range(80)]

    def drag(self, waits):
        """From the newest version to an old one, over all that lie between."""
        self.browser.open("shopping")
        self.browser.driver.execute_script(f"window.waits_ = {json.dumps(waits)};" + FIRST_WAITS)
        self.keys("h")
        self.wait_for(".history-row")
        box = self.browser.bring_to_rest(self.browser.one("#scrubber"))
        y = box["y"] + box["height"] / 2
        self.browser.mouse("mouseMoved", box["right"] - 8, y)
        self.browser.mouse("mousePressed", box["right"] - 8, y)
        for part in range(80):
            self.browser.mouse("mouseMoved", box["right"] - 8 - (box["width"] - 40) * part / 80, y, is_held=True)
        self.browser.mouse("mouseReleased", box["left"] + 32, y)

    def shown(self):
        return self.browser.driver.execute_script(
            "return JSON.stringify([document.querySelector('h1').textContent, document.querySelector('#scrubber').value, location.hash])")

    def assert_newest_shown(self):
        def is_shown():
            title, value, address = json.loads(self.shown())
            version = self.versions[int(value) - 1]
            return title == f"Title {int(value) - 1}" and address.endswith(version)
        wait_for(is_shown, self.shown)

    def test_a_fast_drag_asks_for_few_versions(self):
        self.drag(waits=False)
        self.assert_newest_shown()
        times = [one["time"] for one in self.browser.driver.execute_script("return window.asked_")]
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        self.assertGreater(len(gaps), 0)
        self.assertGreater(min(gaps), 100)
        self.assert_quiet()

    def test_an_answer_that_is_not_wanted_any_more(self):
        self.drag(waits=True)
        self.assert_newest_shown()
        asked = self.browser.driver.execute_script("return window.asked_")
        self.assertTrue(asked[0]["isGivenUp"])
        self.assertFalse(asked[-1]["isGivenUp"])


class LookTests(AdminTests):
    def test_lists_that_are_as_they_were_are_not_sent_again(self):
        self.browser.open("shopping")
        statuses = lambda: self.browser.driver.execute_script(
            "return performance.getEntriesByType('resource').filter((one) => one.name.includes('/v1/lists?limit='))"
            ".map((one) => one.responseStatus)")
        wait_for(lambda: statuses()[-1:] == [304], statuses)
        self.assertEqual(200, statuses()[0])
        self.create("later", {"title": "Later", "sections": []})
        self.wait_for('.side-item[data-id="later"]')
        self.client.write("DELETE", "/v1/lists/later")
        wait_for(lambda: "later" not in self.side(), self.side)
        self.assert_quiet()


class EmptyTests(AdminTests):
    def test_a_search_that_finds_nothing(self):
        self.browser.open("shopping")
        self.keys("/", *"xyzzy")
        self.wait_for_text(".empty", "Nothing was found for “xyzzy”. Try fewer letters, or clear the search.")
        self.keys(Keys.ESCAPE)
        wait_for(lambda: self.browser.row("pear"), "all rows")
