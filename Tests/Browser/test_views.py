"""Each view for everybody: by axe-core, on a phone, at twice the size, from right to left, in forced colours, at rest."""

import os
import re

from browser import SIZES, BrowserTestCase, wait_for
from views import Views

# The short form looks at each view in some of the ways.
ALL = os.environ.get("LISTSTATE_ALL_VIEWS") == "1"

# The names of what can be used in the view, and of those what cannot be reached: it is covered, or beyond an edge.
CONTROLS = """
const done = arguments[0];
const top = document.querySelector("dialog[open]") ?? document.body;
const frame = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
const nameOf = (one) => (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent).trim().replace(/\\s+/g, " ");
(async () => {
  const lost = [];
  const names = [];
  for (const one of top.querySelectorAll("a[href], button, input, select, textarea, summary")) {
    // A row of rows scrolls by itself, and a menu or a panel may lie over what is behind it.
    if (!one.checkVisibility({visibilityProperty: true}) || one.closest("[inert], .rows, [tabindex='-1']:not(.menu *)")) continue;
    if (document.querySelector(".menu") && !one.closest(".menu")) continue;
    one.scrollIntoView({block: "center", inline: "center"});
    await frame();
    const box = one.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const isSeen = hit && (one.contains(hit) || hit.contains(one) && hit.matches("label, a, li, .side-item") || one.labels && [...one.labels].some((label) => label.contains(hit)));
    const isInside = box.left >= -1 && box.right <= innerWidth + 1;
    names.push(nameOf(one));
    if (!isSeen || !isInside) lost.push(`${nameOf(one)} [${[box.left, box.top, box.right, box.bottom].map(Math.round)}] under ${hit?.className}`);
  }
  done([names, lost]);
})();
"""

# Parts that are wider than the window, or make it scroll sideways.
WIDE = """
const found = [];
for (const one of [document.documentElement, document.body, ...document.querySelectorAll("main, nav, dialog, aside, .selection-bar, .menu, .bar")]) {
  if (!one.checkVisibility()) continue;
  const box = one.getBoundingClientRect();
  if (one.scrollWidth > one.clientWidth + 1 && !one.matches("pre")) found.push(`${one.tagName}.${one.className}: ${one.scrollWidth} in ${one.clientWidth}`);
  if (box.left < -1 || box.right > innerWidth + 1) found.push(`${one.tagName}.${one.className}: ${box.left} to ${box.right} of ${innerWidth}`);
}
return found;
"""


def timeless(names):
    return {re.sub(r"\d+:\d+:\d+ [AP]M", "", name) for name in names}


class ViewTests(BrowserTestCase):
    def in_each(self, browser, check, turn):
        """Checks views, a third of them unless all are wanted; `check` takes their names. Turns 0 to 2 have all views."""
        views = Views(browser, self.client)
        for name in views.names if ALL else views.names[turn::3]:
            with self.subTest(name):
                views.show(name)
                check(name)
        # Some views are of what the server refuses, and the console says so.
        browser.console()

    def findings(self, browser, rules=None):
        result = browser.axe(options={"runOnly": rules} if rules else None)
        self.assertIn("color-contrast", {one["id"] for one in result["passes"]})
        return [(one["id"], one["help"], [node["html"][:160] for node in one["nodes"]][:3]) for one in result["violations"]]

    def test_axe_finds_nothing(self):
        for turn, size in enumerate(SIZES):
            browser = self.window(size=size, reduced_motion=True)

            def check(_):
                self.assertEqual([], self.findings(browser), size)
                browser.show_as("dark", reduced_motion=True)
                self.assertEqual([], self.findings(browser, ["color-contrast"]), f"{size} dark")
                browser.show_as("light", reduced_motion=True)
            self.in_each(browser, check, turn)

    def test_nothing_is_lost_at_twice_the_size(self):
        """A window of 1280 by 900 has 640 by 450 points then. What the sidebar has stands in the gallery."""
        browser = self.window(reduced_motion=True)
        whole, beside = {}, {}

        def remember(name):
            names, lost = browser.driver.execute_async_script(CONTROLS)
            self.assertEqual([], lost)
            beside[name] = set(browser.driver.execute_script("""
                return [...document.querySelectorAll('.sidebar :is(a, button, input)')].map((one) =>
                  (one.getAttribute('aria-label') ?? one.textContent).trim().replace(/\\s+/g, ' '))"""))
            whole[name] = timeless(names)

        def compare(name):
            names, lost = browser.driver.execute_async_script(CONTROLS)
            self.assertEqual([], lost)
            self.assertEqual([], browser.driver.execute_script(WIDE))
            self.assertEqual(set(), whole[name] - timeless(names) - beside[name])
        self.in_each(browser, remember, 2)
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 640, "height": 450, "deviceScaleFactor": 2, "mobile": False})
        self.in_each(browser, compare, 2)

    def test_a_phone_loses_nothing(self):
        narrow = self.window(size="narrow", reduced_motion=True)

        def check(_):
            self.assertEqual([], narrow.driver.execute_async_script(CONTROLS)[1])
            self.assertEqual([], narrow.driver.execute_script(WIDE))
        self.in_each(narrow, check, 0)

    def test_from_right_to_left(self):
        for turn, size in enumerate(SIZES, 1):
            browser = self.window(size=size, reduced_motion=True)
            browser.run_from_right_to_left()

            def check(_):
                self.assertEqual([], browser.driver.execute_async_script(CONTROLS)[1])
                self.assertEqual([], browser.driver.execute_script(WIDE))
                if size == "wide":
                    self.assertEqual(1280, browser.box(browser.one(".sidebar"))["right"])
            self.in_each(browser, check, turn)
            views = Views(browser, self.client)
            views.show("arabic")
            # A row begins at the right edge with its title, and ends at the left one with what it offers.
            box = lambda selector: browser.box(browser.one(f'.row[data-id="apple"] {selector}'))
            row = browser.box(browser.row("apple"))
            self.assertGreater(box(".primary")["right"], row["right"] - 30)
            self.assertLess(box(".secondary")["right"], box(".primary")["left"])
            self.assertLess(box(".accessories")["left"], row["left"] + 30)
            # The knob of a switch that is on stands at the left.
            self.assertEqual("matrix(1, 0, 0, 1, -20, 0)", browser.driver.execute_script(
                "return getComputedStyle(document.querySelector('.switch[aria-checked=true]'), '::after').transform"))
            # A branch stands further from the right than what it belongs to, and so do insets of a grid.
            deep = browser.driver.execute_script(
                "return getComputedStyle(document.querySelector('.row[data-id=small] .cell')).paddingRight")
            self.assertEqual("38px", deep)
            cell = browser.box(browser.row("g0"))
            column = browser.box(browser.one('.section[data-id="grid"] .rows'))
            self.assertAlmostEqual(12, column["right"] - cell["right"], delta=1)
            self.assert_quiet(browser)

    def test_forced_colours(self):
        for turn, (name, scheme) in enumerate((("high contrast on black", "dark"), ("high contrast on white", "light"))):
            browser = self.window()
            browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
                {"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": scheme}]})

            def check(view):
                # A button has an edge; nothing is told by a fill alone.
                flat = browser.driver.execute_script("""
                    return [...document.querySelectorAll(".quiet-button, .main-button, .switch, .pop-up, .sign-in-button, .confirm-delete")]
                      .filter((one) => one.checkVisibility() && getComputedStyle(one).borderTopWidth === "0px").map((one) => one.className)""")
                self.assertEqual([], flat, name)
                if view == "several" or view == "edit-mode":
                    style = "return getComputedStyle(document.querySelector('.row.is-selected > .cell')).outlineStyle"
                    self.assertEqual("solid", browser.driver.execute_script(style))
                if view == "old-version":
                    self.assertEqual("5px", browser.driver.execute_script(
                        "return getComputedStyle(document.querySelector('.row[data-past] > .cell')).borderInlineStartWidth"))
            self.in_each(browser, check, turn)
            browser.open("wifi")
            colours = "const one = document.querySelector('.switch'); return [getComputedStyle(one), getComputedStyle(one, '::after')].map((style) => style.backgroundColor)"
            track, knob = browser.driver.execute_script(colours)
            self.assertNotEqual(track, knob)
            browser.open("insertion-sort")
            hues = browser.driver.execute_script(
                "return new Set([...document.querySelectorAll('.cell')].slice(0, 24).map((one) => getComputedStyle(one).backgroundColor)).size")
            self.assertEqual(24, hues)
            self.assert_quiet(browser)

    def test_reduced_motion(self):
        browser = self.window(reduced_motion=True)
        moves = """
            window.moves_ = 0;
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (...given) { window.moves_ += 1; return animate.apply(this, given); };
            addEventListener("transitionrun", () => { window.moves_ += 1; }, true);
            addEventListener("animationstart", () => { window.moves_ += 1; }, true);"""
        self.in_each(browser, lambda view: self.assertEqual(
            0, browser.driver.execute_script("return document.getAnimations().length"), view), 1)
        self.client.write("POST", "/v1/samples/emoji-explorer")
        for is_reduced in (True, False):
            browser.show_as("light", reduced_motion=is_reduced)
            browser.open("emoji-explorer")
            browser.driver.execute_script(moves)
            browser.driver.execute_script("arguments[0].focus()", browser.row("outline.food"))
            Views.keys(Motion(browser), "\ue007")
            wait_for(lambda: browser.one('.row[data-id="outline.food"].is-expanded'), "an open branch")
            browser.wait_until_equal(self.client, "emoji-explorer")
            Views.keys(Motion(browser), "\ue007")
            browser.wait_until_equal(self.client, "emoji-explorer")
            count = browser.driver.execute_script("return window.moves_")
            self.assertEqual(is_reduced, count == 0, count)
        self.assert_quiet(browser)


class Motion:
    """A window that takes keys."""

    def __init__(self, browser):
        self.browser = browser
