"""While it is not known whether a write was done the page says so, and no longer than that."""

import signal

from browser import BrowserTestCase, wait_for
from hand import middle
from lossy import open_lossy

DOUBT = "It is not known whether this was saved. Trying again."
SILENCE = "It is not known whether this was saved: the server does not answer."


class DoubtTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wire, cls.lossy = open_lossy(cls)

    def setUp(self):
        self.wire.answers_to_lose = 0
        self.client.write("POST", "/v1/samples/insertion-sort")
        self.lossy.open("insertion-sort")
        wait_for(lambda: self.tool("Step"), "the tools of a sample")
        self.wire.keys.clear()

    def tool(self, text):
        return next((one for one in self.lossy.driver.find_elements("css selector", ".tools button") if one.text == text), None)

    def press(self, text):
        x, y = middle(self.lossy, self.tool(text))
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.lossy.mouse(kind, x, y)

    def news(self):
        return self.lossy.driver.execute_script("return window.news_.slice()")

    def shown(self):
        return self.lossy.driver.execute_script("const box = document.getElementById('toast'); return box.hidden ? '' : box.textContent")

    def revision(self):
        return int(self.client.get("/v1/lists/insertion-sort")["version"].split("-")[1])

    def test_a_step_whose_answers_are_lost(self):
        before = self.revision()
        self.wire.answers_to_lose = 2
        self.press("Step")
        wait_for(lambda: self.news() == [DOUBT, DOUBT, "Saved."], self.news)
        # It is shown for a while.
        self.assertIn(self.shown(), ("Saved.", ""))
        self.assertEqual(3, len(self.wire.keys))
        self.assertEqual(1, len(set(self.wire.keys)))
        self.assertEqual(before + 1, self.revision())
        self.lossy.wait_until_equal(self.client, "insertion-sort")

    def test_a_refusal_behind_a_lost_request(self):
        """A refusal is an answer: nothing was done, and the doubt is gone."""
        self.lossy.driver.execute_script("""
            const real = window.fetch;
            let lost = 0;
            window.fetch = (path, options = {}) => {
              if ((options.method ?? "GET") === "GET") return real(path, options);
              if ((lost += 1) <= 2) return Promise.reject(new TypeError("lost"));
              return Promise.resolve(new Response('{"code":"unknown_item","detail":"It is gone."}', {status: 422}));
            };""")
        self.press("Step")
        wait_for(lambda: self.news() == [DOUBT, DOUBT, "Refused: It is gone."], self.news)
        self.lossy.console()

    def test_a_server_that_does_not_answer(self):
        self.server.end(signal.SIGKILL)
        try:
            wait_for(lambda: self.lossy.state() == "offline", self.lossy.state)
            self.press("Step")
            wait_for(lambda: self.news()[-1:] == [SILENCE], self.news)
            self.assertEqual({DOUBT, SILENCE}, set(self.news()))
        finally:
            self.server.start()
        wait_for(lambda: self.lossy.state() == "live", "a live window")
        self.lossy.console()

    def test_writes_to_lists(self):
        """A window says the doubt about its write itself, and closes as soon as the answer is there."""
        self.wire.answers_to_lose = 1
        self.lossy.driver.execute_script("arguments[0].scrollIntoView()", self.lossy.one('.side-item[data-id="grid"]'))
        x, y = middle(self.lossy, self.lossy.one('.side-item[data-id="grid"] .side-more'))
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.lossy.mouse(kind, x, y)
        entry = wait_for(lambda: next((one for one in self.lossy.driver.find_elements("css selector", ".menu-item")
                                       if one.text.startswith("Rename")), None), "a menu")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.lossy.mouse(kind, *middle(self.lossy, entry))
        wait_for(lambda: self.lossy.one("#dialog-text"), "a window").send_keys("Renamed\n")
        wait_for(lambda: self.client.get("/v1/lists/grid")["title"].startswith("Renamed"), "another title")
        wait_for(lambda: self.lossy.one("dialog[open]") is None, "no window")
        self.assertEqual([], self.news())
        self.assertEqual([2, 1], [len(self.wire.keys), len(set(self.wire.keys))], self.wire.keys)
        self.client.write("POST", "/v1/samples/grid")
