"""A list that is too long to be held whole, and the page with a window of it."""

import urllib.parse

from browser import BrowserTestCase, wait_for
from many import many

COUNT = 30_000
# The ids of the rows that are seen, from top to bottom, with the places of their tops in the window.
SEEN = """
const {top, bottom} = document.querySelector(".scroller").getBoundingClientRect();
return [...document.querySelectorAll(".row[data-id]:not(.kept)")].map((row) => [row.dataset.id, row.getBoundingClientRect()])
  .filter(([, box]) => box.bottom > top && box.top < bottom).map(([id, box]) => [id, box.top]);
"""
# How much of the window has placeholders, as a part of it.
BESIDE = """
const sight = document.querySelector(".scroller").getBoundingClientRect();
return [...document.querySelectorAll(".beyond")].map((one) => one.getBoundingClientRect())
  .reduce((sum, box) => sum + Math.max(0, Math.min(box.bottom, sight.bottom) - Math.max(box.top, sight.top)), 0) / sight.height;
"""
SCROLLED = "return document.querySelector('.scroller').scrollTop"
HEIGHT = "return document.querySelector('.scroller').scrollHeight"


class LongListTestCase(BrowserTestCase):
    """With the list `long` as it is at first."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.write("PUT", "/v1/lists/long", many(COUNT))

    def setUp(self):
        self.client.write("PUT", "/v1/lists/long", many(COUNT))

    def script(self, text, *given):
        return self.browser.driver.execute_script(text, *given)

    def seen(self):
        return self.script(SEEN)

    def ids(self):
        return [item for item, _ in self.seen()]

    def number(self):
        """The number of the row at the top, as the page says it, from 0 on."""
        words = self.browser.text(".row-number").replace(",", "").split()
        return int(words[1]) - 1 if words else None

    def served(self, number, count, list_id="long", **query):
        text = urllib.parse.urlencode({"view": "visible", "row": number, "before": 0, "after": count - 1, **query})
        answer = self.client.get(f"/v1/lists/{list_id}?{text}")
        return [item["id"] for section in answer.get("sections", []) for item in section.get("items", [])]

    def assert_right(self, list_id="long", **query):
        """Waits until the window is full of rows, and they are those of the server there."""
        def is_right():
            ids = self.ids()
            return len(ids) >= 8 and self.script(BESIDE) == 0 and ids == self.served(self.number(), len(ids), list_id, **query)
        wait_for(is_right, lambda: f"{self.number()}: {self.ids()}, beside {self.script(BESIDE)}")

    def wheel(self, distance):
        self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": "mouseWheel", "x": 600, "y": 500, "deltaX": 0, "deltaY": distance})

    def leap(self, part):
        """Scrolls to a part of the height, as a scrollbar does."""
        self.script("const one = document.querySelector('.scroller'); one.scrollTop = arguments[0] * one.scrollHeight", part)

    def key(self, key, code=0, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.browser.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers,
                **({"text": key} if len(key) == 1 and kind == "keyDown" else {})})

    def delay(self, milliseconds):
        self.browser.driver.execute_cdp_cmd("Network.enable", {})
        self.browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1})
        if milliseconds > 0:
            self.addCleanup(self.delay, 0)

    def hold(self):
        """Holds the requests of the page that begin from now on."""
        self.script("""const real = window.fetch_ = window.fetch, gate = new Promise((open) => { window.open_ = open; });
            window.fetch = (...given) => gate.then(() => real(...given));""")

    def release(self):
        self.script("window.fetch = window.fetch_; window.open_()")

    def click(self, item, modifiers=0):
        """Presses a row, with 2 for Ctrl and 8 for Shift."""
        box = self.browser.bring_to_rest(self.browser.row(item))
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": box["x"] + 200, "y": box["y"] + 20, "button": "left", "clickCount": 1, "modifiers": modifiers})
