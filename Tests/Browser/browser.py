"""Chromium without a screen, and the page in it."""

import os
import unittest
import urllib.parse

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

from server import Server

CHROMIUM = os.environ.get("LISTSTATE_CHROMIUM", "/usr/bin/chromium")
CHROMEDRIVER = os.environ.get("LISTSTATE_CHROMEDRIVER", "/usr/bin/chromedriver")
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}

# The visible values of each row, in the form of `Client.visible`. Rows that are not near the window are not in the
# document: if some are missing, the window moves over the whole list, and back.
ROWS = """
const done = arguments[0];
const sections = [...document.querySelectorAll(".collection > .section")];
const held = sections.map(() => []);
const lists = sections.map((section) => section.querySelector(":scope > .rows"));
const look = () => lists.forEach((list, at) => {
  for (const row of list.querySelectorAll(":scope > .row:not(.kept)")) held[at][Number(row.dataset.index)] = [row.dataset.id,
    Number(row.getAttribute("aria-level") ?? 1) - 1, row.classList.contains("is-starred"),
    row.getAttribute("aria-expanded") === "true"];
});
const isWhole = () => lists.every((list, at) => Object.keys(held[at]).length === Number(list.dataset.count ?? 0));
const frame = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
// To the end, because what snaps does not stand where it was sent.
const walk = async (element, axis, end, act) => {
  const start = element[axis];
  const sign = axis === "scrollLeft" && getComputedStyle(element).direction === "rtl" ? -1 : 1;
  for (let place = 0; place < element[end] + 600; place += 600) {
    element[axis] = sign * place;
    await frame();
    await act();
  }
  element[axis] = start;
  await frame();
};
(async () => {
  look();
  if (!isWhole()) {
    const scroller = document.querySelector(".scroller");
    await walk(scroller, "scrollTop", "scrollHeight", async () => {
      look();
      for (const [at, list] of lists.entries()) {
        const box = list.getBoundingClientRect();
        if (list.scrollWidth <= list.clientWidth || box.bottom < 0 || box.top > innerHeight) continue;
        if (Object.keys(held[at]).length < Number(list.dataset.count)) await walk(list, "scrollLeft", "scrollWidth", look);
      }
    });
  }
  done(sections.map((section, at) => [section.dataset.id, Array.from(held[at], (row) => row ?? null)]));
})();
"""

# Scrolls until a row is in the document.
SEEK = """
const [id, done] = arguments;
const find = () => document.querySelector(`.row[data-id="${CSS.escape(id)}"]`);
(async () => {
  const scroller = document.querySelector(".scroller");
  for (let place = 0; !find() && scroller && place < scroller.scrollHeight; place += 600) {
    scroller.scrollTop = place;
    await new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
  }
  done(find());
})();
"""


# Whether a list has all its buttons. The sidebar is there before the list is.
IS_WHOLE = """
return !document.querySelector(`[aria-labelledby=side-samples] [data-id="${CSS.escape(arguments[0])}"]`)
  || document.querySelector(".tools")?.textContent.includes("Reset");
"""
# Whether nothing moves, once all that was drawn or scrolled has had its frame.
IS_AT_REST = """
const done = arguments[0];
requestAnimationFrame(() => requestAnimationFrame(() => done(
  document.getAnimations().length === 0 && !document.querySelector(".collection[aria-busy=true]"))));
"""


def wait_for(fact, what, seconds=120):
    """Asks for a fact until it holds. The time is not a measurement; it only ends a wait for a fact that never
    holds."""
    def asked(_):
        try:
            return fact()
        except TimeoutException as error:
            raise AssertionError(f"A script did not end: {error.msg}") from error
    try:
        # An element may be replaced while it is asked.
        wait = WebDriverWait(None, seconds, poll_frequency=0.02, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(asked)
    except TimeoutException:
        raise AssertionError(f"It never came to this: {what() if callable(what) else what}") from None


class Browser:
    """One window with the page."""

    def __init__(self, base, size="wide", scheme="light", reduced_motion=False):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        width, height = SIZES[size]
        arguments = ["--headless=new", "--disable-dev-shm-usage", "--hide-scrollbars", f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        for argument in arguments:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if size == "narrow":
            metrics = {"width": width, "height": height, "pixelRatio": 2}
            options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
        self.driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
        self.driver.set_script_timeout(300)
        self.base = base
        self.show_as(scheme, reduced_motion)

    def show_as(self, scheme, reduced_motion=False):
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run_from_right_to_left(self):
        """Has each page that is opened from now on run from right to left, as in Arabic."""
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "document.addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl'; });"})

    def close(self):
        self.driver.quit()

    # Input.

    def mouse(self, kind, x, y, is_held=False):
        """Sends one real event of the mouse: `mouseMoved`, `mousePressed` or `mouseReleased`."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" and not is_held else "left",
            "buttons": int(is_held or kind == "mousePressed"), "clickCount": int(kind != "mouseMoved")})

    def touch(self, kind, x=None, y=None):
        """Sends one real event of a finger: `touchStart`, `touchMove`, or, without a place, `touchEnd` or `touchCancel`."""
        points = [] if x is None else [{"x": x, "y": y}]
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def box(self, element):
        """The rectangle of an element in the window."""
        return self.driver.execute_script("return arguments[0].getBoundingClientRect().toJSON()", element)

    def bring_to_rest(self, element):
        """Scrolls an element into view, waits until nothing moves, and returns the element's rectangle."""
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        return self.box_at_rest(element)

    def box_at_rest(self, element):
        """Waits until nothing moves, and returns the element's rectangle in the window."""
        self.wait_for_rest()
        return self.box(element)

    def wait_for_rest(self):
        """Waits until nothing moves."""
        wait_for(lambda: self.driver.execute_async_script(IS_AT_REST), "nothing that moves")

    def scroll(self, element, act):
        """Runs `act`, which scrolls an element, and waits for the end of the scroll. Before it the page may not get the next
        finger or wheel."""
        self.driver.execute_script(
            "window.scrolled_ = false; arguments[0].addEventListener('scrollend', () => { window.scrolled_ = true; }, {once: true})",
            element)
        act()
        wait_for(lambda: self.driver.execute_script("return window.scrolled_"), "the end of a scroll")

    def axe(self, **options):
        """Runs axe-core on the page at rest: a colour on its way to another one has a contrast of its own."""
        self.wait_for_rest()
        return Axe().run(self.driver, **options)

    # Output.

    def open_gallery(self):
        self.driver.get("about:blank")
        self.driver.get(f"{self.base}/#/")
        wait_for(lambda: self.one(".cards[data-count]"), "a gallery")

    def open(self, list_id):
        """Opens a new page with the list, and waits for its rows."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.base}/#/lists/{urllib.parse.quote(list_id, safe='')}")
        wait_for(lambda: self.one(".collection[aria-busy=false]") and self.state() == "live", f"{list_id} live")
        # The buttons of a sample come later. On a narrow window they move all rows down.
        wait_for(lambda: self.driver.execute_script(IS_WHOLE, list_id), "the buttons of a sample")

    def rows(self):
        return self.driver.execute_async_script(ROWS)

    def count(self):
        """How many rows the list has here, in the document or not."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.rows')].reduce((sum, list) => sum + Number(list.dataset.count ?? 0), 0)")

    def seen(self, selector):
        """The element if it is seen."""
        return self.driver.execute_script(
            "const one = document.querySelector(arguments[0]); return one?.checkVisibility() ? one : null", selector)

    def one(self, selector):
        return self.driver.execute_script("return document.querySelector(arguments[0])", selector)

    def row(self, item_id):
        """The element of a row, which is near the window then."""
        return self.one(f'.row[data-id="{item_id}"]') or self.driver.execute_async_script(SEEK, item_id)

    def state(self):
        return self.driver.execute_script(
            "return document.querySelector('.state')?.classList.value.replace('state', '').trim()")

    def text(self, selector):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def focused(self):
        """The id of the row with the focus."""
        return self.driver.execute_script("return document.activeElement?.closest('.row')?.dataset.id")

    def wait_until_equal(self, client, list_id, **query):
        """Waits until all edits have their answers and the rows are those that the server sends."""
        path = f"/v1/lists/{urllib.parse.quote(list_id, safe='')}?limit=1"
        # The inspector has the version of the page, also while nobody sees it. Rows are drawn in the next frame.
        version = lambda: self.text("#inspector dd")

        def is_equal():
            return (self.pending() == "" and version() == client.get(path)["version"]
                    and bool(self.one(".collection[aria-busy=false]")) and self.rows() == client.visible(list_id, **query))

        def difference():
            return (f"{self.pending()} version {version()} served {client.get(path)['version']} "
                    f"rows {self.rows()} served {client.visible(list_id, **query)}")
        wait_for(is_equal, difference)

    def pending(self):
        """What the page says of edits without an answer; empty if there are none."""
        return self.text(".pending")

    def requests(self):
        """The targets of all requests of this page that have ended."""
        return self.driver.execute_script(
            "return performance.getEntriesByType('resource').map((entry) => entry.name.slice(location.origin.length))")

    def snapshots(self, list_id):
        """The snapshots of a list that this page has fetched, in any view."""
        path = f"/v1/lists/{urllib.parse.quote(list_id, safe='')}"
        return [one for one in self.requests() if one.split("?")[0] == path]

    def console(self):
        """The warnings and errors in the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


class BrowserTestCase(unittest.TestCase):
    """A server and a window for the tests of a class."""

    server: Server
    browser: Browser
    options = []
    """Of the server, besides those of each."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)
        cls.addClassCleanup(cls.server.close)
        cls.client = cls.server.client
        cls.browser = cls.window()

    @classmethod
    def window(cls, port=None, **options):
        browser = Browser(f"http://127.0.0.1:{port or cls.server.port}", **options)
        cls.addClassCleanup(browser.close)
        return browser

    def create(self, list_id, snapshot):
        self.client.write("PUT", f"/v1/lists/{list_id}", snapshot)

    def assert_quiet(self, browser=None):
        self.assertEqual([], (browser or self.browser).console())
