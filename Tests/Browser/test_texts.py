"""Texts in the page: what is too long, what runs from right to left, digits, names that are heard, and columns."""

from browser import BrowserTestCase, wait_for
from hand import middle

LONG = " ".join(["A title that goes on and on"] * 12)
HEBREW = "שלום עולם: 12 (בדיקה)"
CELLS = {"k": {"configuration": "subtitleCell", "text": "title", "secondaryText": "detail", "accessories": ["star", "disclosure"]},
         "v": {"configuration": "valueCell", "text": "title", "secondaryText": "detail",
               "accessories": [{"accessory": "label", "field": "detail"}]},
         "video": {"configuration": "custom", "name": "video", "text": "title", "secondaryText": "detail"}}
KINDS = {"list": {"kind": "list", "appearance": "insetGrouped", "headerMode": "supplementary"}, "grid": {"kind": "grid"},
         "fixed": {"kind": "grid", "group": {
             "direction": "horizontal", "width": {"fractionalWidth": 1}, "height": {"absolute": 96},
             "item": {"width": {"fractionalWidth": 0.5}, "height": {"fractionalHeight": 1}}}},
         "orthogonal": {"kind": "orthogonal"}}


def texts(title, detail):
    return {"title": title, "sections": [
        {"id": name, "header": title, "layout": {**layout, "cells": CELLS}, "items": [
            {"id": f"{name}-{kind}", "kind": kind, "content": {"title": title, "detail": detail}} for kind in (*CELLS, "none")]}
        for name, layout in KINDS.items()]}


# Texts that are cut off without a sign, or that stand beyond their row.
CUT = """
return [...document.querySelectorAll(".row :is(.primary, .secondary, .label), .supplementary-text, h1")].flatMap((one) => {
  const {overflow, textOverflow, webkitLineClamp} = getComputedStyle(one);
  const isMarked = overflow === "hidden" && (webkitLineClamp !== "none" || textOverflow === "ellipsis");
  const [own, cell] = [one, one.closest(".row") ?? one.parentElement].map((each) => each.getBoundingClientRect());
  const isWithin = own.left >= cell.left - 1 && own.right <= cell.right + 1 && own.top >= cell.top - 1 && own.bottom <= cell.bottom + 1;
  const lines = Math.round(own.height / parseFloat(getComputedStyle(one).lineHeight));
  const isFull = one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
  return isMarked && isWithin && (isFull || lines <= 3) ? [] : [[one.className, one.closest(".row")?.dataset.id, isMarked, isWithin, lines]];
});
"""
FULL = """
return [...document.querySelectorAll(".row .primary, .supplementary-text, h1")]
  .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1).length;
"""
# The edges of the glyphs of each text, not of its box.
EDGES = """
return Object.fromEntries([...document.querySelectorAll(arguments[0])].map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const box = range.getBoundingClientRect();
  const {direction, unicodeBidi} = getComputedStyle(one);
  return [one.closest(".row").dataset.id, [Math.round(box.left), direction, unicodeBidi]];
}));
"""


class TextTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.narrow = cls.window(size="narrow")

    def samples(self):
        return [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]

    def fonts(self, browser, selector):
        """For each element: its text and the fonts that its glyphs come from."""
        ask = browser.driver.execute_cdp_cmd
        for domain in ("DOM", "CSS"):
            ask(f"{domain}.enable", {})
        root = ask("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        nodes = ask("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
        texts = browser.driver.execute_script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)
        return [(text, [font["familyName"] for font in ask("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]])
                for text, node in zip(texts, nodes)]

    def test_long_ones_end_in_an_ellipsis(self):
        self.create("long", texts(LONG, LONG))
        for browser in (self.browser, self.narrow):
            browser.open("long")
            self.assertEqual([], browser.driver.execute_script(CUT))
            self.assertGreater(browser.driver.execute_script(FULL), 10)
            self.assertEqual(0, browser.driver.execute_script("""
                return [...document.querySelectorAll(".section")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length"""))
            self.assert_quiet(browser)

    def test_each_has_its_own_direction_at_the_same_edge(self):
        self.create("hebrew", texts(HEBREW, "plain 12"))
        self.create("plain", texts("plain 12", HEBREW))
        edges = {}
        for name in ("hebrew", "plain"):
            self.browser.open(name)
            edges[name] = self.browser.driver.execute_script(EDGES, '.section:not([data-id="orthogonal"]) .primary')
        self.assertEqual(edges["hebrew"].keys(), edges["plain"].keys())
        for item, (left, direction, bidi) in edges["hebrew"].items():
            with self.subTest(item):
                self.assertEqual(("rtl", "isolate"), (direction, bidi))
                self.assertEqual("ltr", edges["plain"][item][1])
                self.assertLessEqual(abs(left - edges["plain"][item][0]), 2)
        self.assertEqual(["rtl", "rtl", "rtl"], self.browser_directions("hebrew", "h1", ".supplementary-text", ".bar-title"))
        self.assertEqual(["ltr", "rtl", "rtl"], self.browser_directions("plain", ".primary", ".secondary", ".label"))
        self.assert_quiet()

    def browser_directions(self, list_id, *selectors):
        self.browser.open(list_id)
        return [self.browser.driver.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0])).direction", one) for one in selectors]

    def test_a_name_in_a_message_turns_nothing_else(self):
        layout = {"kind": "list", "trailingSwipe": ["delete"]}
        self.create("message", {"title": "Message", "layout": layout, "sections": [
            {"id": "s", "items": [{"id": "h", "content": {"title": HEBREW}}]}]})
        self.browser.open("message")
        box = self.browser.bring_to_rest(self.browser.row("h"))
        self.browser.mouse("mouseMoved", box["x"] + 8, box["y"] + 8)
        button = wait_for(lambda: self.browser.one(".row-actions:not([hidden]) .delete"), "a button")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.mouse(kind, *middle(self.browser, button))
        wait_for(lambda: f"\u2068{HEBREW}\u2069 deleted." in self.browser.text("#toast"), lambda: self.browser.text("#toast"))

    def test_digits_never_come_from_the_pictures(self):
        # While somebody looks the server scans by itself.
        self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})
        digits = pictures = 0
        for sample in self.samples():
            self.browser.open(sample)
            for text, fonts in self.fonts(self.browser, ".row :is(.primary, .secondary, .badge), h1, .supplementary-text, .state"):
                if text and all(letter.isascii() for letter in text):
                    digits += any(letter.isdigit() for letter in text)
                    self.assertFalse([font for font in fonts if "Emoji" in font], (sample, text, fonts))
                pictures += any("Emoji" in font for font in fonts)
        self.assertGreater(digits, 100)
        self.assertGreater(pictures, 50)

    def test_title_and_content_are_one_column(self):
        for browser in (self.browser, self.narrow):
            for sample in self.samples():
                with self.subTest(sample):
                    browser.open(sample)
                    heading, content = browser.box(browser.one(".heading")), browser.box(browser.one(".collection"))
                    self.assertEqual((heading["left"], heading["right"]), (content["left"], content["right"]))

    def test_captions_of_videos_stand_on_the_page(self):
        self.create("videos", texts("A film", "Seen"))
        self.browser.open("videos")
        colours = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.custom-video')].map((one) => getComputedStyle(one).backgroundColor)")
        self.assertGreater(len(colours), 2)
        self.assertEqual({"rgba(0, 0, 0, 0)"}, set(colours))

    def test_the_title_does_not_meet_the_status(self):
        self.create("bar", {"title": LONG, "sections": [{"id": "s", "items": [
            {"id": f"r{index}", "content": {"title": f"Row {index}"}} for index in range(60)]}]})
        for width in (320, 390, 500, 760, 800, 900, 1000, 1280):
            with self.subTest(width):
                self.browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False})
                self.browser.open("bar")
                self.browser.driver.execute_script("document.querySelector('.scroller').scrollTop = 900")
                wait_for(lambda: self.browser.one(".bar-title.shown"), "a title in the bar")
                for state in ("Live", "Not signed in"):
                    self.browser.driver.execute_script("document.querySelector('.state').textContent = arguments[0]", state)
                    back, title, status, tools = (self.browser.box(self.browser.one(one)) for one in
                                                  (".bar .back", ".bar-title", ".state", ".bar-tools"))
                    self.assertLessEqual(back["right"], title["left"])
                    self.assertLessEqual(title["right"], status["left"])
                    self.assertLessEqual(tools["right"], width + 1)
        self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_names_of_tree_items_are_said_once(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.client.edit("emoji-explorer", {"op": "expandItems", "items": ["outline.food"]})
        self.create("branch", {"title": "Branch", "sections": [{"id": "s", "items": [
            {"id": "p", "expanded": True, "content": {"title": "Parent"}},
            {"id": "c", "parent": "p", "starred": True, "content": {"title": "Child"}}]}]})
        seen = 0
        for sample in [*self.samples(), "branch"]:
            self.browser.open(sample)
            names = self.browser.driver.execute_script("""
                return [...document.querySelectorAll('.row[role=treeitem]')].map((row) => row.querySelector(".primary")?.textContent)""")
            self.browser.driver.execute_cdp_cmd("Accessibility.enable", {})
            tree = self.browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
            said = [node["name"]["value"] for node in tree if node.get("role", {}).get("value") == "treeitem"]
            self.assertEqual(len(names), len(said), sample)
            for name, heard in zip(names, said):
                seen += 1
                self.assertTrue(heard.startswith(name or ""), (sample, name, heard))
                self.assertEqual(1, heard.count(name) if name else 1, (sample, name, heard))
                self.assertNotIn("Expand", heard)
            if sample == "branch":
                self.assertEqual(["Parent", "Child, starred"], said)
        self.assertGreater(seen, 15)
