"""A list of 1,000,000 rows in the page, and edits on a slow network: times, elements and memory."""

import statistics
import threading
import time

from browser import wait_for
from many import many

ROUNDS = 5
COUNT = 1_000_000
FLING_SECONDS, FLING_SPEED = 5, 24_000
# When the first byte of the list's first answer was here, and when the first rows were drawn.
ANSWERED = """
{
  const send = window.fetch;
  window.fetch = async (...given) => {
    const response = await send(...given);
    if (String(given[0]).includes("/v1/lists/million")) window.answered_ ??= performance.now();
    return response;
  };
  const look = setInterval(() => {
    if (!document.querySelector("#collection[aria-busy=false] .row")) return;
    clearInterval(look);
    requestAnimationFrame(() => setTimeout(() => { window.drawn_ = performance.now(); }));
  }, 1);
  window.frames_ = [];
  window.frame_ = 0;
  window.elements_ = 0;
  (function next(last) { requestAnimationFrame((now) => {
    window.frame_ += 1;
    if (last) window.frames_.push(now - last);
    if (window.frame_ % 10 === 0) window.elements_ = Math.max(window.elements_, document.querySelectorAll("*").length);
    next(now);
  }); })(0);
}
"""
# The time at which a change of others is drawn.
SHOWN = """
window.shown_ = null;
const look = () => {
  if (!(%s)) return requestAnimationFrame(look);
  setTimeout(() => { window.shown_ = Date.now(); });
};
look();
"""
# Frames from a key until the rows have another order.
MOVED = """
window.moved_ = null;
addEventListener("keydown", () => {
  const frame = window.frame_;
  new MutationObserver((_, observer) => { observer.disconnect(); window.moved_ = window.frame_ - frame; })
    .observe(document.querySelector(".rows"), {childList: true});
}, {capture: true, once: true});
"""


class LongBench:
    def __init__(self, browser, client):
        self.browser, self.client = browser, client
        self.driver = browser.driver
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ANSWERED})
        self.client.write("PUT", "/v1/lists/million", many(COUNT))

    def results(self):
        """Names, figures, units and goals."""
        opens = [self.opened() for _ in range(ROUNDS)]
        flings = [self.fling() for _ in range(ROUNDS)]
        elements = self.driver.execute_script("return window.elements_")
        places = {"at the end": (f"r{COUNT - 7}", self.bottom), "above what is held": ("r3", None), "in sight": (None, None)}
        edits = [(f"an edit of others {name}", statistics.median(self.edit(*place) for _ in range(ROUNDS)), "ms", 100)
                 for name, place in places.items()]
        heap = self.heap()
        return [
            ("first rows of 1,000,000", statistics.median(opens), "ms", 500), ("elements", elements, "", 2_000),
            ("memory of the page", heap, "MB", 120), ("the longest frame of a fling", statistics.median(flings), "ms", 50),
            *edits, ("an own move at 500 ms of delay", statistics.median(self.move() for _ in range(ROUNDS)), "frames", 1)]

    def opened(self):
        self.driver.get("about:blank")
        self.driver.get(f"{self.browser.base}/#/lists/million")
        wait_for(lambda: self.driver.execute_script("return window.drawn_"), "rows", seconds=120)
        wait_for(lambda: self.browser.state() == "live", "a live list")
        return self.driver.execute_script("return window.drawn_ - window.answered_")

    def settle(self):
        """Waits until several frames in a row have been short."""
        self.driver.execute_async_script("""
            const done = arguments[0];
            let calm = 0, last = performance.now();
            (function next() { requestAnimationFrame((now) => {
              calm = now - last < 25 ? calm + 1 : 0; last = now; calm > 20 ? done() : next(); }); })();""")

    def fling(self):
        """The longest frame while rows fly by for five seconds, in which windows come and go."""
        self.settle()
        start = self.number()
        self.driver.execute_script("window.frames_ = []")
        self.driver.execute_cdp_cmd("Input.synthesizeScrollGesture", {
            "x": 600, "y": 600, "yDistance": -FLING_SECONDS * FLING_SPEED, "speed": FLING_SPEED, "gestureSourceType": "mouse"})
        longest = self.driver.execute_script("return Math.max(...window.frames_)")
        passed = self.number() - start
        assert passed > 1_000, f"only {passed} rows"
        return longest

    def number(self):
        return int(self.browser.text(".row-number").replace(",", "").split()[1])

    def heap(self):
        self.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return self.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 1e6

    def bottom(self):
        # Space is less than rows take: one comes nearer with each step.
        wait_for(lambda: self.driver.execute_script("""
            document.querySelector('.scroller').scrollTop = 1e9;
            return document.querySelector('.row.is-last') !== null"""), "the end")

    def edit(self, item, go):
        """The milliseconds from a write to its effect on the screen."""
        if go:
            go()
        self.settle()
        if item == "r3":
            number = self.number()
            fact = f"document.querySelector('.row-number').textContent.replaceAll(',', '').startsWith('Row {number + 1} ')"
            operation = {"op": "insertItems", "before": "r3", "items": [{"content": {"title": "New"}}]}
        else:
            item = item or self.driver.execute_script(
                "return [...document.querySelectorAll('.row')].find((one) => one.getBoundingClientRect().top > 300).dataset.id")
            row = self.client.get(f"/v1/lists/million/items/{item}")
            fact = f"""document.querySelector('.row[data-id="{item}"]').classList.contains('is-starred') === {str(not row.get("starred")).lower()}"""
            operation = {"op": "unstarItems" if row.get("starred") else "starItems", "items": [item]}
        self.driver.execute_script(SHOWN % fact)
        start = time.time() * 1_000
        writer = threading.Thread(target=self.client.edit, args=("million", operation))
        writer.start()
        shown = wait_for(lambda: self.driver.execute_script("return window.shown_"), "the edit of others", seconds=60)
        writer.join()
        return shown - start

    def move(self):
        """The frames until a row that one moves stands elsewhere, while answers are late."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        limits = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"latency": 500, **limits})
        try:
            self.driver.execute_script("""
                [...document.querySelectorAll('.row')].find((one) => one.getBoundingClientRect().top > 300).focus()""")
            self.settle()
            self.driver.execute_script(MOVED)
            for kind in ("keyDown", "keyUp"):
                self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {
                    "type": kind, "key": "ArrowUp", "code": "ArrowUp", "windowsVirtualKeyCode": 38, "modifiers": 1})
            frames = wait_for(lambda: self.driver.execute_script("return window.moved_ !== null && [window.moved_]"), "a move")[0]
            assert self.browser.pending(), "The answer was there already."
            wait_for(lambda: not self.browser.pending(), "an answer")
            return frames
        finally:
            self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"latency": 0, **limits})
