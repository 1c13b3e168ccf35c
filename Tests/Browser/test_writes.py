"""A write whose answer is lost is done once, and the page tells the truth about it."""

import re
import signal

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from server import Wire

# The waits between attempts are not tested, so they are shortened. Messages are kept, because each is shown only until
# the next.
HASTE = """
const real = window.setTimeout;
window.setTimeout = (done, milliseconds, ...rest) => real(done, milliseconds / 50, ...rest);
window.news_ = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() =>
  window.news_.push(document.getElementById("toast").firstChild?.data)).observe(
    document.getElementById("toast"), {childList: true}));
"""
DOUBT = "It is not known whether this was saved. Trying again."
LIST = {"title": "Lossy", "sections": [
    {"id": "s", "title": "S", "layout": {
        "kind": "list", "leadingSwipe": ["star"], "trailingSwipe": ["delete"], "cells": {
            "k": {"configuration": "cell", "text": "title", "accessories": ["outlineDisclosure"]},
            "w": {"configuration": "cell", "text": "title", "accessories": ["switch"]}}},
     "items": [{"id": "a", "kind": "k", "content": {"title": "A"}}, {"id": "b", "kind": "k", "content": {"title": "B"}},
               {"id": "p", "kind": "k", "content": {"title": "P"}},
               {"id": "q", "kind": "k", "content": {"title": "Q"}, "parent": "p"},
               {"id": "w", "kind": "w", "content": {"title": "W", "enabled": False}}]}]}


class LostAnswerTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wire = Wire(cls.server)
        cls.addClassCleanup(cls.wire.close)
        cls.lossy = cls.window(cls.wire.port)
        cls.lossy.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HASTE})

    def setUp(self):
        self.wire.answers_to_lose, self.wire.loses_heads = 0, False
        self.client.ask("DELETE", "/v1/lists/lossy")
        self.create("lossy", LIST)
        self.lossy.open("lossy")
        self.wire.keys.clear()

    def keys(self, *keys):
        actions = ActionChains(self.lossy.driver, duration=0)
        for key in keys[:-1]:
            actions.key_down(key)
        actions.send_keys(keys[-1])
        for key in keys[:-1]:
            actions.key_up(key)
        actions.perform()

    def on(self, item, *keys):
        self.lossy.driver.execute_script("arguments[0].focus()", self.lossy.row(item))
        self.keys(*keys)

    def news(self):
        """The messages of the page about its writes, without the offers of an undo."""
        return [one for one in self.lossy.driver.execute_script("return window.news_.slice()") if not one.endswith(" deleted.")]

    def revision(self):
        return int(self.client.get("/v1/lists/lossy")["version"].split("-")[1])

    def assert_done_once(self, act, lost):
        """The action makes one version, is sent with one key, and is reported correctly."""
        before, told = self.revision(), len(self.news())
        self.wire.keys.clear()
        self.wire.answers_to_lose = lost
        act()
        wait_for(lambda: "Saved." in self.news()[told:], lambda: self.news())
        self.assertEqual([DOUBT] * lost + ["Saved."], self.news()[told:])
        self.assertEqual(before + 1, self.revision())
        self.assertEqual(lost + 1, len(self.wire.keys))
        self.assertEqual(1, len(set(self.wire.keys)), self.wire.keys)
        self.assertRegex(self.wire.keys[0] or "", r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.lossy.wait_until_equal(self.client, "lossy")

    def test_every_kind_of_write(self):
        """Each action would report something untrue if it were repeated as another request: unknown item, nothing to
        undo."""
        acts = [
            ("star", lambda: self.on("a", "s")), ("unstar", lambda: self.on("a", "s")),
            ("move", lambda: self.on("a", Keys.ALT, Keys.ARROW_DOWN)), ("expand", lambda: self.on("p", Keys.ENTER)),
            ("switch", lambda: self.on("w", Keys.ENTER)), ("delete", lambda: self.on("b", Keys.DELETE)),
            ("undo", lambda: self.keys(Keys.CONTROL, "z")), ("undo more", lambda: self.keys(Keys.CONTROL, "z")),
            ("redo", lambda: self.keys(Keys.CONTROL, Keys.SHIFT, "z")),
        ]
        seen = set()
        for number, (name, act) in enumerate(acts):
            with self.subTest(name):
                self.assert_done_once(act, lost=1 + number % 3)
                self.assertFalse(set(self.wire.keys) & seen, "a key of another write")
                seen |= set(self.wire.keys)

    def test_no_answer_at_all(self):
        """A browser repeats such a request by itself, and the page repeats it after that."""
        self.wire.loses_heads = True
        for item in ("a", "b"):
            before = self.revision()
            self.wire.answers_to_lose = 4
            self.wire.keys.clear()
            self.on(item, Keys.DELETE)
            wait_for(lambda: len(self.wire.keys) == 5, lambda: f"{self.wire.keys}, {self.news()}")
            self.lossy.wait_until_equal(self.client, "lossy")
            self.assertEqual(before + 1, self.revision())
            self.assertEqual(1, len(set(self.wire.keys)))
            # The page has had its answer, so its action can be undone.
            wait_for(lambda: self.lossy.one(".bar-button[aria-label=Undo]:enabled"), "something to undo")
        self.assertLessEqual(set(self.news()), {DOUBT, "Saved."})

    def test_an_answer_in_time_is_no_news(self):
        self.on("a", "s")
        self.lossy.wait_until_equal(self.client, "lossy")
        wait_for(lambda: self.client.visible("lossy")[0][1][0][2], "a star")
        self.assertEqual([], self.news())
        self.assertEqual(1, len(self.wire.keys))
        self.assertTrue(self.wire.keys[0])

    def test_later_writes_wait_for_the_one_in_doubt(self):
        """A star that is repeated must not come behind its own undo."""
        self.wire.answers_to_lose = 3
        before = self.revision()
        self.on("a", "s")
        wait_for(lambda: DOUBT in self.news(), "a doubt")
        wait_for(lambda: self.lossy.driver.execute_script("return arguments[0].matches('.is-starred')", self.lossy.row("a")),
                 "the star, by the stream")
        self.on("a", "s")
        wait_for(lambda: self.revision() == before + 2, "both")
        self.lossy.wait_until_equal(self.client, "lossy")
        self.assertFalse(self.client.visible("lossy")[0][1][0][2])
        self.assertEqual(2, len(set(self.wire.keys)))
        self.assertEqual(sorted(self.wire.keys, key=self.wire.keys.index), self.wire.keys)

    def test_a_refusal_after_a_doubt(self):
        """The first attempt never arrives, and the list is deleted before the second one."""
        self.lossy.driver.execute_script("""
            const real = window.fetch;
            let isLost = false;
            window.fetch = (path, options = {}) => {
              if ((options.method ?? "GET") === "GET" || window.open_) return real(path, options);
              return Promise.reject(new TypeError("lost"));
            };""")
        self.on("a", "s")
        wait_for(lambda: DOUBT in self.news(), "a doubt")
        self.client.write("DELETE", "/v1/lists/lossy")
        self.lossy.driver.execute_script("window.open_ = true")
        wait_for(lambda: self.news()[-1].startswith("Refused: "), self.news)
        self.assertNotIn("Saved.", self.news())
        self.lossy.console()

    def test_a_server_that_stays_away(self):
        """The page claims neither that the change was saved nor that nothing was changed."""
        self.server.end(signal.SIGKILL)
        try:
            self.on("a", "s")
            self.on("b", Keys.DELETE)
            wait_for(lambda: len(self.news()) > 1 and self.news()[-1] != DOUBT, self.news, seconds=60)
            self.assertEqual("It is not known whether this was saved: the server does not answer. Later changes were not sent.",
                             self.news()[-1])
            self.assertFalse([one for one in self.news() if re.search("[Nn]othing was changed|^Saved", one)])
        finally:
            self.server.start()
        wait_for(lambda: self.lossy.state() == "live", "a live window")
        self.lossy.wait_until_equal(self.client, "lossy")
        self.assertIn("b", [row[0] for row in self.client.visible("lossy")[0][1]])
        told = len(self.news())
        self.on("b", Keys.DELETE)
        wait_for(lambda: "b" not in [row[0] for row in self.client.visible("lossy")[0][1]], "a write as before")
        self.assertEqual([], [one for one in self.news()[told:] if "not known" in one])
        self.lossy.console()

    def test_an_answer_cut_in_the_middle(self):
        """A head without its complete body is not an answer."""
        self.lossy.driver.execute_script("""
            const real = window.fetch;
            let isLost = false;
            window.fetch = async (path, options = {}) => {
              const response = await real(path, options);
              if ((options.method ?? "GET") === "GET" || isLost) return response;
              isLost = true;
              return new Response(new ReadableStream({start: (to) => to.error(new TypeError("cut"))}), {status: 200});
            };""")
        self.assert_done_once_here(lambda: self.on("b", Keys.DELETE))

    def assert_done_once_here(self, act):
        before = self.revision()
        act()
        wait_for(lambda: "Saved." in self.news(), self.news)
        self.assertEqual([DOUBT, "Saved."], self.news())
        self.assertEqual(before + 1, self.revision())
        self.assertEqual(1, len(set(self.wire.keys)))
