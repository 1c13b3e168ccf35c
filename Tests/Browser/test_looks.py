"""How the page looks, as far as places, sizes and colours say it: what begins and ends at one edge, and what can be seen."""

from selenium.webdriver.common.action_chains import ActionChains

from admin import SHOPPING
from browser import BrowserTestCase, wait_for
from views import ARABIC, EDITED, Views

# The left and right edge of the text of each element.
EDGES = """
return arguments[0].map((selector) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  const box = range.getBoundingClientRect();
  return [box.left, box.right];
});
"""

# The contrast of the backgrounds of two elements, as 1 to 21.
CONTRAST = """
const light = (selector) => {
  const parts = getComputedStyle(document.querySelector(selector)).backgroundColor.match(/\\d+/g).slice(0, 3)
    .map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const [a, b] = [...arguments].map(light);
return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
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

    def test_the_open_list_is_in_sight_in_the_sidebar_and_its_name_is_whole(self):
        for name in ("cell-content", "emoji-explorer-list", "emojis-and-numbers"):
            with self.subTest(name):
                self.browser.driver.get("about:blank")
                self.browser.open(name)
                link = '.side-item > a[aria-current="page"]'
                lists = self.box(self.browser, ".side-lists")
                wait_for(lambda: self.box(self.browser, link)["bottom"] <= lists["bottom"] + 1, f"{name} in sight")
                self.assertLessEqual(lists["top"], self.box(self.browser, link)["top"])
                plain = self.style(self.browser, ".side-item > a:not([aria-current])", "fontWeight")
                self.assertEqual(plain, self.style(self.browser, link, "fontWeight"))

    def test_names_in_the_sidebar_begin_at_one_edge_whatever_their_direction(self):
        self.create("arabic", ARABIC)
        self.create("shopping", SHOPPING)
        self.browser.open("shopping")
        wait_for(lambda: self.browser.one('.side-item[data-id="arabic"]'), "the list")
        texts = [f'.side-item[data-id="{name}"] .side-text' for name in ("arabic", "shopping")]
        (arabic, _), (latin, _) = self.edges(self.browser, *texts)
        self.assertAlmostEqual(latin, arabic, delta=1.5)

    def test_fields_can_be_seen_in_the_dark(self):
        window = self.window(scheme="dark")
        window.open_gallery()
        self.assertGreater(window.driver.execute_script(CONTRAST, ".sidebar .search", ".sidebar"), 1.15)

    def test_initials_are_those_of_large_words(self):
        self.create("small", {"title": "only small words", "sections": []})
        self.browser.open_gallery()
        glyph = lambda name: self.browser.text(f'.cards [data-id="{name}"] .glyph')
        self.assertEqual(["MS", "EN", "EE", "OS"], [glyph(name) for name in (
            "main-sub", "emojis-and-numbers", "emoji-explorer", "small")])

    def test_titles_of_all_places_begin_at_one_edge(self):
        for size in ("wide", "narrow"):
            window = self.window(size=size)
            places = []
            for address in ("#/", "#/search", "#/lists/grid"):
                window.driver.get("about:blank")
                window.driver.get(f"{window.base}/{address}")
                box = self.box(window, "main h1")
                places.append((box["left"], box["top"]))
            self.assertEqual(1, len(set(places)), places)

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

    def test_from_right_to_left_all_begins_at_the_right(self):
        self.create("shopping", SHOPPING)
        self.client.edit("shopping", {"op": "starItems", "items": ["pear"]})
        window = self.window()
        window.run_from_right_to_left()
        views = Views(window, self.client)
        views.show("history")
        (_, home), (_, link), (_, words), (_, meta) = self.edges(
            window, ".side-home", ".side-text", ".history-words", ".history-meta")
        self.assertAlmostEqual(link, home, delta=1)
        self.assertAlmostEqual(meta, words, delta=1)
        views.show("all-lists")
        (_, hit), = self.edges(window, ".hit")
        self.assertAlmostEqual(self.box(window, ".hit")["right"] - 14, hit, delta=1)

    # What is chosen, and windows.

    def test_the_bar_leaves_the_chosen_row_in_sight(self):
        self.create("packing", EDITED)
        for size in ("wide", "narrow"):
            window = self.window(size=size, reduced_motion=True)
            Views(window, self.client).show("edit-mode")
            row, bar = self.box(window, ".row.is-selected"), self.box(window, ".selection-bar")
            self.assertLessEqual(row["bottom"], bar["top"])
            self.assertEqual("none", self.style(window, ".row.is-selected > .cell", "display", "::after"))

    def test_the_button_that_takes_a_star_away_is_no_second_star(self):
        self.create("shopping", SHOPPING)
        self.client.edit("shopping", {"op": "starItems", "items": ["pear"]})
        self.browser.open("shopping")
        ActionChains(self.browser.driver).move_to_element(self.browser.row("pear")).perform()
        picture = lambda place: self.browser.one(f'.row[data-id="pear"] {place} path').get_attribute("d")
        wait_for(lambda: self.browser.one('.row[data-id="pear"] .row-actions [data-action=star]'), "a button")
        self.assertNotEqual(picture(".accessories .star"), picture(".row-actions"))

    def test_all_of_a_window_begins_at_one_edge(self):
        views = Views(self.browser, self.client)
        views.show("new-list")
        (title, _), (legend, _) = self.edges(self.browser, "dialog label", "dialog legend")
        choice = self.box(self.browser, "dialog .choice input")["left"]
        self.assertAlmostEqual(title, legend, delta=0.5)
        self.assertAlmostEqual(title, choice, delta=0.5)

    def test_a_finger_has_room(self):
        """44 points are as high as the guidelines of Apple ask for."""
        window = self.window(size="narrow")
        views = Views(window, self.client)
        for name in ("gallery", "list", "several", "history", "new-list"):
            views.show(name)
            low = window.driver.execute_script("""
              return [...document.querySelectorAll(".quiet-button, .main-button, .bar-button, .search")].filter((one) =>
                one.checkVisibility() && one.getBoundingClientRect().height < 44).map((one) => one.textContent || one.className)""")
            self.assertEqual([], low, name)

    def test_the_bar_ends_with_all_that_is_below_it(self):
        window = self.window(size="narrow")
        window.open("wifi")
        symbol, field = self.box(window, ".bar-tools > :last-child svg"), self.box(window, ".heading .search")
        self.assertAlmostEqual(field["right"], symbol["right"], delta=2)

    def test_a_title_of_one_word_is_whole_on_a_phone_while_its_list_scrolls(self):
        window = self.window(size="narrow")
        window.open("mountains")
        window.driver.execute_script("document.querySelector('.scroller').scrollTop = 120")
        title = wait_for(lambda: window.one(".bar-title.shown"), "a title")
        wide, seen = window.driver.execute_script("return [arguments[0].scrollWidth, arguments[0].clientWidth]", title)
        self.assertLessEqual(wide, seen)
