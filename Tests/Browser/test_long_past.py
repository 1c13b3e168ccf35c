"""The past of a list that is held as a window, on a server that keeps few versions."""

from browser import wait_for
from longlist import LongListTestCase


class LongPastTests(LongListTestCase):
    options = ["--history-versions-max", "6"]

    def test_a_version_that_is_no_longer_kept_gives_way_to_what_is_now(self):
        version = self.client.get("/v1/lists/long?limit=1")["version"]
        self.client.edit("long", {"op": "deleteItems", "items": ["r3"]})
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/lists/long?version={version}")
        wait_for(lambda: self.browser.one(".scroller.is-past"), "the past")
        self.assert_right(at=version)
        for index in range(10, 30):
            self.client.edit("long", {"op": "deleteItems", "items": [f"r{index}"]})
        self.assertEqual(410, self.client.ask("GET", f"/v1/lists/long?limit=1&at={version}")[0])
        self.assertTrue(self.browser.one(".scroller.is-past"))
        self.leap(0.5)
        wait_for(lambda: self.browser.text(".history-note") == "This version is no longer kept.", lambda: self.browser.text(".history-note"))
        self.assertIsNone(self.browser.one(".scroller.is-past"))
        self.assertEqual("#/lists/long", self.script("return location.hash"))
        self.assert_right()
        # The list goes on, and the reason stays.
        self.client.edit("long", {"op": "updateItem", "item": "r40", "content": {"title": "Later"}})
        wait_for(lambda: "r40" in self.browser.text(".history-row"), lambda: self.browser.text(".history-row"))
        self.assertEqual("This version is no longer kept.", self.browser.text(".history-note"))
        # It was asked for once.
        self.assertEqual(1, sum("410" in one for one in self.browser.console()))
