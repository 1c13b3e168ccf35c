"""How the page looks, as far as places, sizes and colours say it: what begins and ends at one edge, and what can be seen."""

from browser import BrowserTestCase, wait_for

# The left and right edge of the text of each element.
EDGES = """
return arguments[0].map((selector) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  const box = range.getBoundingClientRect();
  return [box.left, box.right];
});
"""


class LooksTests(BrowserTestCase):
    def edges(self, browser, *selectors):
        return browser.driver.execute_script(EDGES, selectors)

    def box(self, browser, selector):
        return browser.box(wait_for(lambda: browser.one(selector), selector))

    def style(self, browser, selector, name, pseudo=None):
        return browser.driver.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0]), arguments[2])[arguments[1]]", selector, name, pseudo)

    # The sidebar and the gallery.

    def test_a_list_without_sections_is_searched(self):
        self.create("nothing", {"title": "Nothing", "sections": []})
        self.browser.driver.get(f"{self.browser.base}/#/search?search=fox")
        wait_for(lambda: self.browser.one(".found[data-done]"), "an end")
        self.assertNotIn("could not", self.browser.text(".note"))
        self.assert_quiet()

    # Lists.

    def test_the_last_accessory_ends_at_the_same_edge_in_each_row(self):
        self.browser.open("wifi")
        info, switch = self.box(self.browser, ".accessories > .detail svg"), self.box(self.browser, ".switch")
        self.assertAlmostEqual(switch["right"], info["right"], delta=1)
        self.browser.open("list-appearances")
        middle = lambda selector: sum(self.box(self.browser, selector)[edge] for edge in ("left", "right")) / 2
        header, row = middle(".toggle svg"), middle(".disclosure svg")
        self.assertAlmostEqual(row, header, delta=1)

    def test_a_stroke_moves_no_text(self):
        self.browser.open("cell-content")
        lefts = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.primary')].map((one) => one.getBoundingClientRect().left)")
        self.assertEqual(1, len(set(lefts)), lefts)

    def test_a_row_with_its_own_background_has_no_line(self):
        self.browser.open("cell-content")
        shown = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.row:not(.is-last) > .cell')].map((one) => getComputedStyle(one, '::after').display)")
        self.assertEqual(["block", "block", "none", "none"], shown)

    def test_rows_lie_clear_on_the_background_of_their_section(self):
        self.browser.open("section-background")
        cell = ".row > .cell"
        self.assertEqual("rgba(0, 0, 0, 0)", self.style(self.browser, cell, "backgroundColor"))
        self.assertEqual("0px", self.style(self.browser, cell, "borderTopLeftRadius"))
        self.assertEqual("10px", self.style(self.browser, cell, "left", "::after"))

    def test_a_badge_of_one_digit_is_as_wide_as_high(self):
        self.browser.open("item-badges")
        box = self.box(self.browser, ".badge")
        self.assertEqual((20, 20), (box["width"], box["height"]))

    def test_a_header_follows_the_insets_of_its_section(self):
        """The insets of a section of videos are 20, and its header has 10 of its own; that of the reactor is as wide as the view."""
        self.browser.open("conference-videos")
        (text, _), = self.edges(self.browser, ".header .supplementary-text")
        self.assertAlmostEqual(self.box(self.browser, ".row")["left"] + 10, text, delta=1)
        self.browser.open("reactor-sections")
        (text, _), = self.edges(self.browser, ".header .supplementary-text")
        self.assertAlmostEqual(self.box(self.browser, ".row")["left"], text, delta=1)
        self.assertEqual(self.box(self.browser, ".section")["width"], self.box(self.browser, ".header")["width"])

    def test_descriptions_in_a_list_are_whole_on_a_phone(self):
        window = self.window(size="narrow")
        window.open("custom-cells")
        cut = window.driver.execute_script(
            "return [...document.querySelectorAll('.secondary')].filter((one) => one.scrollHeight > one.clientHeight + 1).length")
        self.assertEqual(0, cut)

    def test_each_symbol_of_the_samples_is_drawn(self):
        self.browser.open("custom-cells")
        paths = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.image path')].map((one) => one.getAttribute('d'))")
        self.assertEqual(9, len(set(paths)), "Two of them are drawn as one.")
