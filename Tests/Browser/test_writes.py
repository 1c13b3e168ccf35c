"""An edit shows at once. If its answer is lost it is done once, and the page tells the truth about it."""

import signal

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from lossy import open_lossy

# Writes wait until the page is told to let them go.
HELD = """
const real = window.fetch;
const held = new Promise((resolve) => { window.release_ = resolve; });
window.fetch = async (path, options = {}) => {
  if (options.method === "POST") await held;
  return real(path, options);
};
"""
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
        cls.wire, cls.lossy = open_lossy(cls)

    def setUp(self):
        self.wire.answers_to_lose, self.wire.loses_heads = 0, False
        # A page that was left may not have forgotten an edit with an answer. To a new list of the same name it is another.
        self.lossy.driver.get("about:blank")
        self.lossy.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {
            "origin": self.lossy.base, "storageTypes": "indexeddb"})
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
        wait_for(lambda: self.lossy.row(item), item)
        self.lossy.driver.execute_script("document.querySelector(`.row[data-id='${arguments[0]}']`).focus()", item)
        self.keys(*keys)

    def news(self):
        """The messages of the page about its writes, without the offers of an undo."""
        return [one for one in self.lossy.driver.execute_script("return window.news_.slice()") if not one.endswith(" deleted.")]

    def revision(self):
        return int(self.client.get("/v1/lists/lossy")["version"].split("-")[1])

    def wait_for_answers(self):
        wait_for(lambda: self.lossy.pending() == "", self.lossy.pending)

    def assert_done_once(self, act, lost):
        """The action makes one version and is sent with one key, and the page has nothing to tell."""
        before, told = self.revision(), len(self.news())
        self.wire.keys.clear()
        self.wire.answers_to_lose = lost
        act()
        wait_for(lambda: len(self.wire.keys) == lost + 1, lambda: f"{self.wire.keys}, {self.news()}")
        self.wait_for_answers()
        self.lossy.wait_until_equal(self.client, "lossy")
        self.assertEqual(before + 1, self.revision())
        self.assertEqual(1, len(set(self.wire.keys)), self.wire.keys)
        self.assertRegex(self.wire.keys[0] or "", r"^[0-9a-f]{32}$")
        self.assertEqual([], self.news()[told:])

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

    def test_edits_show_before_any_answer(self):
        self.lossy.driver.execute_script(HELD)
        before = self.revision()
        acts = [("a", "s"), ("b", Keys.DELETE), ("a", Keys.ALT, Keys.ARROW_DOWN), ("p", Keys.ENTER), ("w", Keys.ENTER)]
        for count, act in enumerate(acts, 1):
            self.on(*act)
            self.assertEqual(f"{count} pending", self.lossy.pending())
        shown = [["s", [["p", 0, False, True], ["q", 1, False, False], ["a", 0, True, False], ["w", 0, False, False]]]]
        wait_for(lambda: self.lossy.rows() == shown, self.lossy.rows)
        # It shows with the next frame.
        wait_for(lambda: self.lossy.one('.row[data-id="w"] .switch[aria-checked=true]'), "the switch turned on")
        self.assertEqual(before, self.revision())
        self.lossy.driver.execute_script("window.release_()")
        self.wait_for_answers()
        self.assertEqual(shown, self.client.visible("lossy"))
        self.lossy.wait_until_equal(self.client, "lossy")
        self.assertEqual(before + len(acts), self.revision())
        self.assertEqual([], self.news())

    def test_an_edit_of_what_others_have_deleted(self):
        """Nothing of it is left to do, so the page takes it back, and says so."""
        self.lossy.driver.execute_script(HELD)
        self.on("a", "s")
        self.client.edit("lossy", {"op": "deleteItems", "items": ["a"]})
        self.lossy.driver.execute_script("window.release_()")
        wait_for(lambda: self.news() == ["Nothing was changed: others have changed or deleted it."], self.news)
        self.wait_for_answers()
        self.lossy.wait_until_equal(self.client, "lossy")
        wait_for(lambda: self.lossy.one(".bar-button[aria-label=Undo]:disabled"), "nothing to undo")

    def test_no_answer_at_all(self):
        """A browser repeats such a request by itself, and the page repeats it after that."""
        self.wire.loses_heads = True
        for item in ("a", "b"):
            before = self.revision()
            self.wire.answers_to_lose = 4
            self.wire.keys.clear()
            self.on(item, Keys.DELETE)
            wait_for(lambda: len(self.wire.keys) == 5, lambda: f"{self.wire.keys}, {self.news()}")
            self.wait_for_answers()
            self.lossy.wait_until_equal(self.client, "lossy")
            self.assertEqual(before + 1, self.revision())
            self.assertEqual(1, len(set(self.wire.keys)))
        self.assertEqual([], self.news())

    def test_later_writes_wait_for_the_one_without_an_answer(self):
        """A star that is repeated must not come behind its own undo."""
        self.wire.answers_to_lose = 3
        before = self.revision()
        self.on("a", "s")
        wait_for(lambda: self.lossy.row("a").get_attribute("class").split().count("is-starred"), "a star")
        self.on("a", "s")
        wait_for(lambda: self.revision() == before + 2, "both")
        self.wait_for_answers()
        self.lossy.wait_until_equal(self.client, "lossy")
        self.assertFalse(self.client.visible("lossy")[0][1][0][2])
        self.assertEqual(2, len(set(self.wire.keys)))
        self.assertEqual(sorted(self.wire.keys, key=self.wire.keys.index), self.wire.keys)

    def test_a_refusal_after_a_lost_request(self):
        """The first attempts never arrive, and the list is deleted before the next one."""
        self.lossy.driver.execute_script("""
            const real = window.fetch;
            window.lost_ = 0;
            window.fetch = (path, options = {}) => {
              if ((options.method ?? "GET") === "GET" || window.open_) return real(path, options);
              window.lost_ += 1;
              return Promise.reject(new TypeError("lost"));
            };""")
        self.on("a", "s")
        wait_for(lambda: self.lossy.driver.execute_script("return window.lost_ > 1"), "lost requests")
        wait_for(lambda: self.lossy.state() == "offline", self.lossy.state)
        self.assertEqual([], self.news())
        self.client.write("DELETE", "/v1/lists/lossy")
        wait_for(lambda: self.lossy.text(".failure") == "This list was deleted.", "a message")
        self.lossy.driver.execute_script("window.open_ = true")
        wait_for(lambda: self.news() and self.news()[-1].startswith("Refused: "), self.news)
        self.lossy.console()

    def test_a_server_that_stays_away(self):
        """The page shows what was done, and says that it is not saved yet. It is saved when the server is back."""
        self.server.end(signal.SIGKILL)
        try:
            wait_for(lambda: self.lossy.state() == "offline", self.lossy.state)
            self.on("a", "s")
            self.on("b", Keys.DELETE)
            self.assertEqual("2 pending", self.lossy.pending())
            shown = [["s", [["a", 0, True, False], ["p", 0, False, False], ["w", 0, False, False]]]]
            wait_for(lambda: self.lossy.rows() == shown, self.lossy.rows)
            self.assertEqual([], self.news())
        finally:
            self.server.start()
        wait_for(lambda: self.lossy.state() == "live", "a live window")
        self.wait_for_answers()
        self.assertEqual(shown, self.client.visible("lossy"))
        self.lossy.wait_until_equal(self.client, "lossy")
        self.assertEqual([], self.news())
        self.lossy.console()

    def test_edits_survive_the_page(self):
        self.server.end(signal.SIGKILL)
        try:
            wait_for(lambda: self.lossy.state() == "offline", self.lossy.state)
            self.on("a", "s")
            self.on("b", Keys.DELETE)
            wait_for(lambda: self.kept() == 2, self.kept)
            self.lossy.driver.get("about:blank")
        finally:
            self.server.start()
        self.lossy.open("lossy")
        shown = [["s", [["a", 0, True, False], ["p", 0, False, False], ["w", 0, False, False]]]]
        wait_for(lambda: self.client.visible("lossy") == shown, lambda: self.client.visible("lossy"))
        self.wait_for_answers()
        self.lossy.wait_until_equal(self.client, "lossy")
        self.lossy.console()

    def kept(self):
        """The number of edits in the browser's database."""
        return self.lossy.driver.execute_async_script("""
            const done = arguments[0];
            indexedDB.databases().then(([{ name }]) => {
              const opening = indexedDB.open(name);
              opening.onsuccess = () => {
                const asking = opening.result.transaction("edits").objectStore("edits").count();
                asking.onsuccess = () => { opening.result.close(); done(asking.result); };
              };
            });""")

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
        before = self.revision()
        self.on("b", Keys.DELETE)
        wait_for(lambda: len(self.wire.keys) == 2, lambda: self.wire.keys)
        self.wait_for_answers()
        self.assertEqual(before + 1, self.revision())
        self.assertEqual(1, len(set(self.wire.keys)))
        self.assertEqual([], self.news())
